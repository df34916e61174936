/** Tests that the catalog of a real n8n 2 states known facts about its nodes. */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { findPackage } from '../../src/source/locate.js';
import { installedCatalog, nodeModules, run } from './catalogs.js';

/** @param {string} id */
async function tool(id) {
  const { tools } = await installedCatalog();
  return tools.get(id) ?? assert.fail(`${id} is not in the catalog`);
}

/**
 * @param {any} ports
 * @param {Record<string, unknown>} when
 */
function row(ports, when) {
  const match = ports.table.find((/** @type {any} */ entry) => JSON.stringify(entry.when) === JSON.stringify(when));
  return match?.ports ?? assert.fail(`no row for ${JSON.stringify(when)}`);
}

test('a version that only the class of a node knows is in the catalog', async () => {
  const agent = await tool('@n8n/n8n-nodes-langchain.agent');
  const variant = agent.variants.find((/** @type {any} */ variant) => variant.versions.includes(2.3));
  assert.deepEqual(variant.versions, [2, 2.1, 2.2, 2.3]);
});

test('a version of a tool occurs in exactly one of its variants', async () => {
  const { tools } = await installedCatalog();
  for (const { id, variants } of tools.values()) {
    const versions = variants.flatMap((/** @type {any} */ variant) => variant.versions);
    assert.equal(new Set(versions).size, versions.length, id);
  }
});

test('what the configuration keeps out is there and marked', async () => {
  const { tools } = await installedCatalog();
  assert.equal(tools.get('n8n-nodes-base.executeCommand').availability, 'excluded');
  assert.equal(tools.get('n8n-nodes-base.executeCommandTool').availability, 'excluded');
  assert.equal(tools.get('n8n-nodes-base.localFileTrigger').availability, 'excluded');
  assert.equal(tools.get('n8n-nodes-base.httpRequest').availability, 'installed');
});

test('n8n makes a tool of a node: no input, one ai_tool output, a description', async () => {
  const gmail = await tool('n8n-nodes-base.gmailTool');
  for (const { inputs, outputs, parameters, traits } of gmail.variants) {
    assert.deepEqual([inputs, outputs], [[], [{ kind: 'ai_tool' }]]);
    const names = parameters.map((/** @type {any} */ parameter) => parameter.name);
    assert.ok(names.includes('toolDescription') && names.includes('descriptionType'));
    assert.equal(traits.tool_of, 'n8n-nodes-base.gmail');
  }
});

test('a human review tool takes tools in and is only for agents', async () => {
  const review = await tool('n8n-nodes-base.slackHitlTool');
  const [{ inputs, outputs, traits }] = review.variants;
  assert.deepEqual(inputs, [{ kind: 'ai_tool', name: 'Tool', required: true }]);
  assert.deepEqual(outputs[0].accepts, ['@n8n/n8n-nodes-langchain.agent', '@n8n/n8n-nodes-langchain.agentTool']);
  assert.equal(traits.generated, 'hitl_tool');
});

test('the inputs of Merge follow numberInputs', async () => {
  const merge = await tool('n8n-nodes-base.merge');
  const { inputs } = merge.variants.at(-1);
  assert.deepEqual(inputs.reads, ['numberInputs']);
  for (let count = 2; count <= 10; count++) assert.equal(row(inputs, { numberInputs: count }).length, count);
  assert.equal(row(inputs, { numberInputs: null }).length, 2);
  assert.deepEqual(merge.variants[0].inputs, [
    { kind: 'main', name: 'Input 1' },
    { kind: 'main', name: 'Input 2' },
  ]);
});

test('the outputs of Switch follow its mode', async () => {
  const { variants } = await tool('n8n-nodes-base.switch');
  const { outputs } = variants.at(-1);
  assert.equal(row(outputs, { mode: 'expression', numberOutputs: 4 }).length, 4);
  assert.deepEqual(row(outputs, { mode: 'rules', rules: {}, 'options.fallbackOutput': null }), []);
  assert.equal(outputs.table.filter((/** @type {any} */ row) => row.when.mode === 'rules' && row.when.rules?.values?.length > 1).length, 0);
});

test('an agent needs a model and takes one', async () => {
  const agent = await tool('@n8n/n8n-nodes-langchain.agent');
  const ports = row(agent.variants.at(-1).inputs, { hasOutputParser: false, needsFallback: false });
  const model = ports.find((/** @type {any} */ port) => port.kind === 'ai_languageModel');
  assert.deepEqual([model.required, model.max], [true, 1]);
  assert.ok(model.refuses.length > 0);
});

test('an output that depends on the version is a row for each', async () => {
  const respond = await tool('n8n-nodes-base.respondToWebhook');
  const { outputs } = respond.variants[0];
  assert.deepEqual(outputs.reads, ['@version', 'enableResponseOutput']);
  assert.equal(row(outputs, { '@version': 1.3 }).length, 2);
  assert.equal(row(outputs, { '@version': 1.4, enableResponseOutput: false }).length, 1);
});

test('every expression has a table', async () => {
  const { tools } = await installedCatalog();
  for (const { id, package: owner, variants } of tools.values()) {
    if (!/^(@n8n\/)?n8n-nodes-(base|langchain)$/.test(owner)) continue;
    for (const { inputs, outputs } of variants) {
      for (const ports of [inputs, outputs]) {
        assert.ok(Array.isArray(ports) || ports.table.length > 0, id);
      }
    }
  }
});

test('an operation presets what makes the node do it and has a name', async () => {
  const gmail = await tool('n8n-nodes-base.gmail');
  const { operations } = gmail.variants.at(-1);
  const send = operations.find((/** @type {any} */ operation) => operation.params.operation === 'send');
  assert.deepEqual(send.params, { resource: 'message', operation: 'send' });
  assert.equal(send.name, 'Send a message');
  assert.ok(gmail.capabilities.includes('gmail.message.send'));
});

test('names, family and hosts lead to a tool', async () => {
  const sheets = await tool('n8n-nodes-base.googleSheets');
  assert.deepEqual([sheets.name, sheets.family], ['Google Sheets', 'google']);
  assert.ok(sheets.aliases.includes('GoogleSheets') && sheets.aliases.includes('GoogleSheets.node'));
  assert.ok(sheets.keywords.includes('CSV'));
  assert.ok(!sheets.aliases.includes('CSV'));
  assert.ok(sheets.hosts.includes('sheets.googleapis.com'));
  const github = await tool('n8n-nodes-base.github');
  assert.ok(github.hosts.includes('api.github.com') && !github.hosts.includes('github.com'));
});

test('a credential names the tools that take it, generated ones included', async () => {
  const { credentials } = await installedCatalog();
  const gmail = credentials.get('gmailOAuth2');
  assert.deepEqual(gmail.extends, ['googleOAuth2Api']);
  assert.ok(gmail.tools.includes('n8n-nodes-base.gmail') && gmail.tools.includes('n8n-nodes-base.gmailTool'));
});

test('custom API call is a trait where n8n offers it, never an option', async () => {
  const { tools, text } = await installedCatalog();
  assert.ok(!text.includes('__CUSTOM_API_CALL__'));
  const offering = [...tools.values()].filter(({ variants }) => variants.some((/** @type {any} */ variant) => variant.traits.custom_api_call));
  assert.ok(offering.length > 50);
  assert.ok(tools.get('n8n-nodes-base.httpRequest').variants.every((/** @type {any} */ variant) => !variant.traits.custom_api_call));
});

test('a node that n8n has put aside names its successor', async () => {
  const { tools } = await installedCatalog();
  for (const { id, replaced_by: successors = [] } of tools.values()) {
    for (const successor of successors) {
      assert.ok(tools.has(successor) && successor !== id && !tools.get(successor).hidden, `${id}: ${successor}`);
    }
  }
  const old = await tool('n8n-nodes-base.function');
  assert.deepEqual([old.hidden, old.replaced_by], [true, ['n8n-nodes-base.code']]);
  assert.equal((await tool('n8n-nodes-base.code')).hidden, false);
});

test('the requests of a node lead to its operation, declared or written in code', async () => {
  const calendar = await tool('n8n-nodes-base.googleCalendar');
  const create = calendar.requests.find((/** @type {any} */ request) => request.params?.operation === 'create');
  assert.deepEqual(create, {
    path: 'www.googleapis.com/calendar/v3/calendars/*/events',
    method: 'POST',
    params: { resource: 'event', operation: 'create' },
  });
  const { tools } = await installedCatalog();
  for (const { id, requests = [], variants } of tools.values()) {
    const known = new Set(variants.flatMap((/** @type {any} */ variant) => (variant.operations ?? []).map((/** @type {any} */ each) => JSON.stringify(each.params))));
    for (const { params } of requests) assert.ok(params === undefined || known.has(JSON.stringify(params)), id);
  }
});

test('a node calls the hosts of the credentials that it takes', async () => {
  assert.ok((await tool('n8n-nodes-base.telegram')).hosts.includes('api.telegram.org'));
  assert.ok((await tool('n8n-nodes-base.supabase')).hosts.includes('*.supabase.co'));
});

test('under a Node that n8n does not support nothing is written, and the needed one is named', async (t) => {
  const root = await mkdtemp(path.join(tmpdir(), 'node-catalog-sync-test-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const n8n = path.join(root, 'n8n');
  await mkdir(path.join(n8n, 'node_modules'), { recursive: true });
  const semver = findPackage(path.join(nodeModules, 'n8n'), 'semver') ?? assert.fail('n8n has no semver');
  await symlink(semver, path.join(n8n, 'node_modules/semver'));
  const manifest = JSON.parse(await readFile(path.join(nodeModules, 'n8n/package.json'), 'utf8'));
  await writeFile(path.join(n8n, 'package.json'), JSON.stringify({ ...manifest, engines: { node: '>=18.17 <= 20.x' } }));
  await assert.rejects(run(['--n8n', n8n]), (/** @type {any} */ error) => {
    assert.equal(error.code, 1);
    assert.match(error.stderr, /needs Node >=18\.17 <= 20\.x, and this is Node \d+\.[\s\S]*help: run node-catalog-sync with/);
    return true;
  });
});
