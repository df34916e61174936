/** Smaller laws of the catalog, on invented nodes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { literalHosts } from '../src/catalog/hosts.js';
import { readOperations } from '../src/catalog/operations.js';
import { pruneParameters } from '../src/catalog/parameters.js';
import { assignVersions } from '../src/catalog/versions.js';
import { exclusionRule } from '../src/source/excluded.js';

/** @param {string} name @param {any} rest @returns {any} */
const choice = (name, rest) => ({ name, displayName: name, type: 'options', default: '', ...rest });

test('an operation without a tie belongs to every resource', () => {
  const found = readOperations(
    [
      choice('resource', { options: [{ name: 'User', value: 'user' }, { name: 'Team', value: 'team' }] }),
      choice('operation', { options: [{ name: 'Get', value: 'get' }] }),
    ],
    [1],
  );
  assert.deepEqual(found, [
    { params: { resource: 'user', operation: 'get' }, name: 'Get User' },
    { params: { resource: 'team', operation: 'get' }, name: 'Get Team' },
  ]);
});

test('a condition with one value is part of the preset', () => {
  const found = readOperations(
    [choice('operation', { displayOptions: { show: { api: ['cloud'], other: ['a', 'b'] } }, options: [{ name: 'Get', value: 'get' }] })],
    [1],
  );
  assert.deepEqual(found[0]?.params, { api: 'cloud', operation: 'get' });
});

test('lists of different versions give one operation each with its versions', () => {
  const at = (/** @type {unknown[]} */ version, /** @type {any[]} */ options) =>
    choice('operation', { displayOptions: { show: { '@version': version } }, options });
  const found = readOperations(
    [at([1], [{ name: 'Old', value: 'old' }, { name: 'Both', value: 'both' }]), at([{ _cnd: { gt: 1 } }], [{ name: 'Both', value: 'both' }])],
    [1, 2],
  );
  assert.deepEqual(found, [
    { params: { operation: 'old' }, name: 'Old', versions: [1] },
    { params: { operation: 'both' }, name: 'Both' },
  ]);
});

test('a trigger without resource and operation has its events', () => {
  const found = readOperations([choice('event', { options: [{ name: 'Fallen', value: 'fallen' }] })], [1]);
  assert.deepEqual(found, [{ params: { event: 'fallen' }, name: 'Fallen' }]);
});

test('pruning keeps what n8n checks at every depth', () => {
  const inner = choice('inner', { required: true, routing: {}, placeholder: 'x', options: [{ name: 'X', value: 'x', routing: {} }] });
  const [outer] = pruneParameters([
    choice('outer', { type: 'fixedCollection', typeOptions: { multipleValues: true, sortable: true }, options: [{ name: 'group', displayName: 'G', values: [inner] }] }),
  ]);
  assert.deepEqual(outer, {
    name: 'outer',
    displayName: 'outer',
    type: 'fixedCollection',
    default: '',
    typeOptions: { multipleValues: true },
    options: [
      {
        name: 'group',
        displayName: 'G',
        values: [{ name: 'inner', displayName: 'inner', type: 'options', default: '', required: true, options: [{ name: 'X', value: 'x' }] }],
      },
    ],
  });
});

test('hosts are read out of expressions and templates', () => {
  assert.deepEqual(
    literalHosts([
      'https://api.acme.test/v1',
      '=https://{{$credentials.tenant}}.acme.test',
      'https://${region}-x.eu.acme.test:8080/a',
      'https://docs.acme.test',
      'http://localhost:3000',
      'http://127.0.0.1/x',
      '={{$credentials.url}}',
    ]),
    ['*.acme.test', '*.eu.acme.test', 'api.acme.test'],
  );
});

test('without a class the first implementation keeps a version that two state', () => {
  const node = (/** @type {any} */ version) => /** @type {any} */ ({ description: { version } });
  const shares = assignVersions([node([2, 3]), node([1, 2])], undefined);
  assert.deepEqual(shares.map(({ versions }) => versions), [[1], [2, 3]]);
});

test('n8n 1 excludes nothing by default, n8n 2 two nodes, the environment what it says', () => {
  const id = 'n8n-nodes-base.executeCommand';
  assert.equal(exclusionRule({}, '1.100.0')(id), false);
  assert.equal(exclusionRule({}, '2.0.0')(id), true);
  assert.equal(exclusionRule({ NODES_EXCLUDE: '[]' }, '2.0.0')(id), false);
  assert.equal(exclusionRule({ NODES_INCLUDE: '["n8n-nodes-base.set"]' }, '2.0.0')('n8n-nodes-base.code'), true);
});
