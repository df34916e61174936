/** Tests that port expressions become tables and cannot reach anything of this process. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { tabulate } from '../src/catalog/port-table.js';

/**
 * @param {string} code
 * @param {any[]} [properties]
 * @param {number[]} [versions]
 */
function table(code, properties = [], versions = [1]) {
  return tabulate({ source: `={{ ${code} }}`, properties, versions, name: 'acme.anvil' });
}

const mode = { name: 'mode', displayName: 'Mode', type: 'options', options: [{ name: 'A', value: 'a' }, { name: 'B', value: 'b' }] };
const size = { name: 'size', displayName: 'Size', type: 'boolean', default: false, displayOptions: { show: { mode: ['b'] } } };

test('a row mentions only what the code read on that path', () => {
  const { reads, rows } = table("$parameter.mode === 'a' ? ['main'] : $parameter.size ? ['main', 'main'] : []", [mode, size]);
  assert.deepEqual(reads, ['mode', 'size']);
  assert.deepEqual(rows, [
    { when: { mode: 'a' }, ports: ['main'] },
    { when: { mode: 'b', size: true }, ports: ['main', 'main'] },
    { when: { mode: 'b', size: false }, ports: [] },
  ]);
});

test('a parameter that n8n hides is absent, written as null', () => {
  const { rows } = table("((mode, size) => size === undefined ? ['main'] : [mode])($parameter.mode, $parameter.size)", [mode, size]);
  assert.deepEqual(rows.map(({ when }) => when), [
    { mode: 'a', size: null },
    { mode: 'b', size: true },
    { mode: 'b', size: false },
  ]);
});

test('a part of a collection is a dotted path and may be absent', () => {
  const options = { name: 'options', displayName: 'Options', type: 'collection', default: {}, options: [{ name: 'extra', displayName: 'Extra', type: 'boolean', default: true }] };
  const { reads, rows } = table("$parameter.options?.extra ? ['main', 'main'] : ['main']", [options]);
  assert.deepEqual(reads, ['options.extra']);
  assert.deepEqual(rows.map(({ when }) => when['options.extra']), [true, false, null]);
});

test('versions are values of @version, compared where visibility depends on them', () => {
  const late = { ...size, displayOptions: { show: { '@version': [{ _cnd: { gte: 2 } }] } } };
  const { rows } = table("$nodeVersion === 1 ? ['main'] : [$parameter.size ? 'a' : 'b']", [late], [1, 2]);
  assert.deepEqual(rows, [
    { when: { '@version': 1 }, ports: ['main'] },
    { when: { '@version': 2, size: true }, ports: ['a'] },
    { when: { '@version': 2, size: false }, ports: ['b'] },
  ]);
});

test('a value that cannot be listed leaves its rows out, not the others', () => {
  const text = { name: 'text', displayName: 'Text', type: 'string', default: '=x' };
  const { reads, rows } = table("$parameter.mode === 'a' ? ['main'] : [$parameter.text]", [mode, text]);
  assert.deepEqual(reads, ['mode', 'text']);
  assert.deepEqual(rows, [{ when: { mode: 'a' }, ports: ['main'] }]);
});

test('an expression that throws is a node without these ports, as in n8n', () => {
  assert.deepEqual(table('$parameter.mode.missing.deeper', [mode]).rows.map(({ ports }) => ports), [[], []]);
});

test('an expression that needs the run is listed without a table', () => {
  assert.deepEqual(table("$json.kind === 'x' ? ['main'] : $parameter.mode", [mode]), { reads: ['mode'], rows: [] });
});

test('endless and endlessly branching expressions end', () => {
  assert.deepEqual(table('(() => { for (;;) {} })()').rows, []);
  const many = Array.from({ length: 20 }, (_, i) => ({ ...size, name: `p${i}`, displayOptions: undefined }));
  const code = `[${many.map(({ name }) => `$parameter.${name}`).join(',')}] && ['main']`;
  assert.ok(table(code, many).rows.length <= 256);
});

for (const attack of [
  "this.constructor.constructor('return process')().env",
  "$parameter.constructor.constructor('return process')()",
  "(() => { const e = new Error(); e.constructor.constructor('return process')().exit(3) })()",
  "import('node:fs')",
  'process.exit(3)',
  "require('node:fs')",
  'globalThis.process.kill(globalThis.process.pid)',
]) {
  test(`nothing of this process is in reach of ${attack}`, () => {
    assert.ok(table(attack, [mode]).rows.every(({ ports }) => JSON.stringify(ports) === '[]'));
  });
}
