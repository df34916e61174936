/** Tests that n8n reads reduced declarations like whole ones, and that sources and runs agree. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { n8nFolder, nodeModules, npmCatalog, plainCatalog } from './catalogs.js';

const { NodeHelpers } = createRequire(path.join(nodeModules, 'n8n/package.json'))('n8n-workflow');

/** n8n's own list, unpruned. */
async function exported() {
  const scratch = await mkdtemp(path.join(tmpdir(), 'node-catalog-sync-test-'));
  const file = path.join(scratch, 'nodes.json');
  const env = { PATH: process.env.PATH, HOME: scratch, N8N_USER_FOLDER: scratch, N8N_LOG_LEVEL: 'error' };
  const args = [path.join(n8nFolder, 'node_modules/n8n/bin/n8n'), 'export:nodes', `--output=${file}`];
  await promisify(execFile)(process.execPath, args, { env, cwd: scratch, maxBuffer: 1e8 });
  const descriptions = JSON.parse(await readFile(file, 'utf8'));
  await rm(scratch, { recursive: true });
  return descriptions;
}

/**
 * Gives the parameters of a node every shape that n8n treats specially.
 * @param {any} description
 * @param {Record<string, unknown>} params
 */
function filled(description, params) {
  /** @type {Record<string, unknown>} */
  const values = { ...params };
  for (const { name, type, options = [], typeOptions, modes } of description.properties) {
    if (name in params) continue;
    if (type === 'collection') {
      values[name] = Object.fromEntries(options.map((/** @type {any} */ option) => [option.name, option.default]));
    } else if (type === 'fixedCollection') {
      values[name] = Object.fromEntries(
        options.map((/** @type {any} */ option) => [option.name, typeOptions?.multipleValues ? [{}] : {}]),
      );
    } else if (type === 'resourceLocator') {
      values[name] = { __rl: true, mode: modes?.[0]?.name, value: 'not a valid value!' };
    } else if (type === 'string') values[name] = '';
  }
  return values;
}

/**
 * @param {any} description
 * @param {any[]} properties
 * @param {number} typeVersion
 * @param {Record<string, unknown>} parameters
 */
function judge(description, properties, typeVersion, parameters) {
  const node = { id: '1', name: 'N', type: description.name, typeVersion, position: [0, 0], parameters };
  const type = { ...description, properties };
  try {
    const full = NodeHelpers.getNodeParameters(properties, parameters, true, false, node, type);
    const issues = NodeHelpers.getNodeParametersIssues(properties, { ...node, parameters: full }, type);
    return JSON.stringify([full, issues]);
  } catch (error) {
    return String(error);
  }
}

test('n8n reads the same values and issues out of the pruned parameters as out of its own', async () => {
  const { tools } = await plainCatalog();
  let checks = 0;
  for (const description of await exported()) {
    const { variants } = tools.get(description.name);
    for (const version of [description.version].flat()) {
      const variant = variants.find((/** @type {any} */ variant) => variant.versions.includes(version));
      const cases = [{}, ...(variant.operations ?? []).map((/** @type {any} */ operation) => operation.params)];
      for (const params of cases.flatMap((preset) => [preset, filled(description, preset)])) {
        const own = judge(description, description.properties, version, params);
        const ours = judge(description, variant.parameters, version, params);
        assert.equal(ours, own, `${description.name} ${version} ${JSON.stringify(params)}`);
        checks += 1;
      }
    }
  }
  assert.ok(checks > 20_000, `${checks} checks`);
});

test('the same installation gives the same bytes', async () => {
  const { run } = await import('./catalogs.js');
  const again = await run(['--n8n', nodeModules, '--user-folder', path.join(tmpdir(), 'nobody-at-all')]);
  assert.ok(again.text === (await plainCatalog()).text);
});

test('packages alone give the same tools, versions, ports and operations', async () => {
  const [installed, npm] = [await plainCatalog(), await npmCatalog()];
  assert.equal(npm.header.origin, 'assumed');
  assert.deepEqual([...npm.tools.keys()], [...installed.tools.keys()]);
  assert.deepEqual([...npm.credentials.keys()], [...installed.credentials.keys()]);
  for (const [id, tool] of installed.tools) {
    const { variants: theirs, ...other } = npm.tools.get(id);
    const { variants, ...own } = tool;
    // The words of what n8n generates are not in the packages.
    if (variants[0].traits.generated === 'hitl_tool') other.description = own.description;
    assert.deepEqual(other, own);
    variants.forEach((/** @type {any} */ variant, /** @type {number} */ index) => {
      const { parameters, ...rest } = variant;
      const { parameters: same, ...others } = theirs[index];
      assert.deepEqual(others, rest, id);
      const shape = (/** @type {any[]} */ list) => list.map(({ name, type, required, displayOptions }) => ({ name, type, required, displayOptions }));
      assert.deepEqual(shape(same), shape(parameters), id);
    });
  }
});
