/** Tests that community packages and custom folders load separately, and that failures are reported. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';

import { installedCatalog, nodeModules } from './catalogs.js';

/** @param {string} name */
async function line(name) {
  const { header } = await installedCatalog();
  return header.packages.find((/** @type {any} */ line) => line.name === name) ?? assert.fail(`no line for ${name}`);
}

test('a community node has the id that n8n gives it, its tool and its trigger parameters', async () => {
  const { tools, credentials } = await installedCatalog();
  assert.deepEqual(await line('n8n-nodes-acme'), { name: 'n8n-nodes-acme', version: '1.2.3', community: true });
  const acme = tools.get('n8n-nodes-acme.acme');
  assert.deepEqual(acme.variants[0].versions, [1, 2]);
  assert.deepEqual(acme.keywords, ['anvil', 'rocket']);
  assert.equal(tools.get('n8n-nodes-acme.acmeTool').variants[0].outputs[0].kind, 'ai_tool');
  const poll = tools.get('n8n-nodes-acme.acmeTrigger').variants[0].parameters[0];
  assert.equal(poll.name, 'pollTimes');
  assert.deepEqual(credentials.get('acmeApi').tools, ['n8n-nodes-acme.acme', 'n8n-nodes-acme.acmeTool']);
});

test('an operation of some versions says which', async () => {
  const { tools } = await installedCatalog();
  const { operations } = tools.get('n8n-nodes-acme.acme').variants[0];
  assert.deepEqual(
    operations.map((/** @type {any} */ operation) => [operation.name, operation.versions]),
    [['Drop an anvil', undefined], ['Weigh Anvil', undefined], ['Create an order', [2]]],
  );
});

test('hosts are what the code calls, not what it links to', async () => {
  const { tools } = await installedCatalog();
  assert.deepEqual(tools.get('n8n-nodes-acme.acme').hosts, ['*.eu.acme.test', 'api.acme.test']);
});

test('the class decides about versions: keys are added, what it cannot load is dropped', async () => {
  const { tools } = await installedCatalog();
  const { variants, aliases } = tools.get('@acme/n8n-nodes-versions.ladder');
  assert.deepEqual(variants.map((/** @type {any} */ variant) => variant.versions), [[1], [2, 2.1, 2.2]]);
  assert.ok(aliases.includes('Old Ladder'));
});

test('a package that throws, hangs or cannot be read is reported and skipped', async () => {
  const { tools } = await installedCatalog();
  assert.match((await line('n8n-nodes-acme-broken')).error, /the anvil is cracked/);
  assert.match((await line('n8n-nodes-acme-endless')).error, /did not finish loading within 15 s/);
  assert.match((await line('n8n-nodes-acme-future')).error, /node API version 99/);
  assert.match((await line('n8n-nodes-acme-unreadable')).error, /package\.json cannot be read/);
  assert.ok(![...tools.keys()].some((id) => /^n8n-nodes-acme-(broken|endless|unreadable)\./.test(id)));
});

test('a description that cannot be used is reported with what is wrong', async () => {
  const { tools } = await installedCatalog();
  assert.match((await line('n8n-nodes-acme-malformed')).error, /n8n-nodes-acme-malformed\.shapeless cannot be used: credentials lack names/);
  assert.match((await line('n8n-nodes-acme-twisted')).error, /n8n-nodes-acme-twisted\.twisted cannot be used/);
  assert.ok(!tools.has('n8n-nodes-acme-malformed.shapeless') && !tools.has('n8n-nodes-acme-twisted.twisted'));
});

test('a package sees no environment, writes nothing and starts nothing', async () => {
  const { tools, text } = await installedCatalog();
  const seen = JSON.parse(tools.get('n8n-nodes-acme-nosy.nosy').description);
  assert.deepEqual(Object.keys(seen.env).sort(), ['HOME', 'NODE_PATH', 'TMPDIR']);
  assert.deepEqual([seen.write, seen.run], ['ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED']);
  assert.ok(!text.includes('anvil-under-the-bed'));
});

test('an expression that hangs costs its table and nothing else', async () => {
  const { tools } = await installedCatalog();
  const { outputs } = tools.get('n8n-nodes-acme.acmeTrigger').variants[0];
  assert.deepEqual(Object.keys(outputs), ['source', 'reads']);
});

test('a node of a custom folder is CUSTOM and gets the request options of declarative nodes', async () => {
  const { tools } = await installedCatalog();
  const { variants, package: owner } = tools.get('CUSTOM.lamp');
  assert.equal(owner, 'CUSTOM');
  assert.deepEqual(variants[0].parameters.map((/** @type {any} */ parameter) => parameter.name), ['requestOptions']);
});

test('a folder whose name is not that of a node package is left alone', async () => {
  const { text } = await installedCatalog();
  assert.ok(existsSync(nodeModules) && !text.includes('lamp-shade'));
});
