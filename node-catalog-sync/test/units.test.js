/** Tests single functions that build the catalog, on invented nodes. */

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { credentialHosts } from '../src/catalog/credential.js';
import { literalHosts } from '../src/catalog/hosts.js';
import { readOperations } from '../src/catalog/operations.js';
import { readOutputExamples } from '../src/catalog/output-examples.js';
import { pruneParameters } from '../src/catalog/parameters.js';
import { declaredRequests, requestsIn, uniqueRequests } from '../src/catalog/requests.js';
import { addSuccessors } from '../src/catalog/successors.js';
import { assignVersions } from '../src/catalog/versions.js';
import { exclusionRule } from '../src/source/excluded.js';
import { removalsIn } from '../src/source/removals.js';

/** @param {string} name @param {any} rest @returns {any} */
const choice = (name, rest) => ({ name, displayName: name, type: 'options', default: '', ...rest });

test('an operation without a tie belongs to every resource', () => {
  const operations = readOperations(
    [
      choice('resource', { options: [{ name: 'User', value: 'user' }, { name: 'Team', value: 'team' }] }),
      choice('operation', { options: [{ name: 'Get', value: 'get' }] }),
    ],
    [1],
  );
  assert.deepEqual(operations, [
    { params: { resource: 'user', operation: 'get' }, name: 'Get User' },
    { params: { resource: 'team', operation: 'get' }, name: 'Get Team' },
  ]);
});

test('a condition with one value is part of the preset', () => {
  const operations = readOperations(
    [choice('operation', { displayOptions: { show: { api: ['cloud'], other: ['a', 'b'] } }, options: [{ name: 'Get', value: 'get' }] })],
    [1],
  );
  assert.deepEqual(operations[0]?.params, { api: 'cloud', operation: 'get' });
});

test('lists of different versions give one operation each with its versions', () => {
  const at = (/** @type {unknown[]} */ version, /** @type {any[]} */ options) =>
    choice('operation', { displayOptions: { show: { '@version': version } }, options });
  const operations = readOperations(
    [at([1], [{ name: 'Old', value: 'old' }, { name: 'Both', value: 'both' }]), at([{ _cnd: { gt: 1 } }], [{ name: 'Both', value: 'both' }])],
    [1, 2],
  );
  assert.deepEqual(operations, [
    { params: { operation: 'old' }, name: 'Old', versions: [1] },
    { params: { operation: 'both' }, name: 'Both' },
  ]);
});

test('a trigger without resource and operation has its events', () => {
  const operations = readOperations([choice('event', { options: [{ name: 'Fallen', value: 'fallen' }] })], [1]);
  assert.deepEqual(operations, [{ params: { event: 'fallen' }, name: 'Fallen' }]);
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

const DUTIES = [
  { params: { resource: 'user', operation: 'get' }, name: 'Get User' },
  { params: { resource: 'user', operation: 'delete' }, name: 'Delete User' },
  { params: { resource: 'team', operation: 'get' }, name: 'Get Team' },
];

test('a request belongs to the resource and operation compared before it', () => {
  const text = `
    const all = await call(this, 'GET', '/v1/teams');
    if (resource === 'user') {
      if (operation === 'get') { a = await call(this, 'GET', \`/v1/users/\${encode({ id })}\`); }
      if (operation === 'delete') { const endpoint = \`/v1/users/\${id}.json\`; await call(this, 'DELETE', endpoint); }
    }
    if (resource === 'team') { await call(this, 'POST', '/v1/teams', body); }`;
  assert.deepEqual(uniqueRequests([...requestsIn(text, {}, DUTIES)]), [
    { path: '/v1/teams', method: 'GET' },
    { path: '/v1/teams', method: 'POST' },
    { path: '/v1/users/*', method: 'DELETE', params: DUTIES[1]?.params },
    { path: '/v1/users/*', method: 'GET', params: DUTIES[0]?.params },
  ]);
});

test('a request under a condition of two operations belongs to neither', () => {
  const text = `if (resource === 'user') { if (operation === 'get' || operation === 'delete') { call('GET', '/v1/me'); } }`;
  assert.deepEqual([...requestsIn(text, {}, DUTIES)], [{ path: '/v1/me', method: 'GET' }]);
});

test('a path without a literal part is no request, a name without a slash none either', () => {
  assert.deepEqual([...requestsIn("call('GET', `${base}/${id}`); call('POST', 'Name');", {}, DUTIES)], []);
});

test('a declared choice makes the request that it routes', () => {
  const option = { name: 'Get', value: 'get', routing: { request: { method: 'GET', url: '=/users/{{$parameter.id}}/posts?all=1' } } };
  const list = choice('operation', { displayOptions: { show: { resource: ['user'] } }, options: [option] });
  assert.deepEqual(declaredRequests([list], DUTIES), [
    { path: '/users/*/posts', method: 'GET', params: { resource: 'user', operation: 'get' } },
  ]);
});

test('a credential is for the hosts that it is tested at and proposes, never for those to sign in at', () => {
  const field = (/** @type {string} */ name, /** @type {any} */ rest) => ({ name, displayName: name, type: 'string', default: '', ...rest });
  const hosts = credentialHosts({
    name: 'acmeApi',
    displayName: 'Acme',
    test: { request: { baseURL: 'https://api.acme.dev' } },
    properties: [
      field('authUrl', { type: 'hidden', default: 'https://login.acme.dev/token' }),
      field('server', { placeholder: 'https://your_team.acme.dev' }),
      field('region', { type: 'options', options: [{ name: 'EU', value: 'https://eu.acme.dev/v1' }] }),
    ],
  });
  assert.deepEqual(hosts, ['*.acme.dev', 'api.acme.dev', 'eu.acme.dev']);
});

test('a rule that replaces a node names it, its successors and the version', () => {
  const text = `exports.A = createNodeReplacementRule({
    id: 'lamp-removed',
    removedNodeType: 'n8n-nodes-base.lamp',
    recommendations: [
        { action: 'Replace with Bulb', description: 'For light.' },
        { action: 'Replace with Shade', description: 'For shade.' },
    ],
});`;
  assert.deepEqual(removalsIn(text, '9'), [{ id: 'n8n-nodes-base.lamp', version: '9', names: ['Bulb', 'Shade'] }]);
});

test('a successor is told by the rule or by the notice of the node, and only where it is offered', () => {
  const tool = (/** @type {string} */ id, /** @type {any} */ rest = {}) => ({
    kind: /** @type {const} */ ('tool'), id: `acme.${id}`, name: id, package: 'acme', availability: /** @type {const} */ ('installed'), hidden: false,
    variants: [{ versions: [1], inputs: [], outputs: [{ kind: 'main' }], parameters: [], traits: {} }], ...rest,
  });
  const [lamp, torch, bulb, hidden] = [tool('Lamp'), tool('Torch'), tool('Bulb'), tool('Hidden Bulb', { hidden: true })];
  const described = (/** @type {any} */ node, /** @type {any[]} */ properties) => [{ id: node.id, package: 'acme', community: true, availability: 'installed', description: { properties } }];
  const notice = { name: 'note', type: 'notice', displayName: "This node is deprecated. Please use 'Bulb' node instead.", default: '' };
  addSuccessors([lamp, torch, bulb, hidden], /** @type {any} */ (new Map([[torch.id, described(torch, [notice])]])), [
    { id: lamp.id, version: '9', names: ['Bulb', 'Unknown'] },
  ]);
  assert.deepEqual([lamp.replaced_by, lamp.version_deprecated], [[bulb.id], '9']);
  assert.deepEqual([torch.replaced_by, torch.version_deprecated, bulb.replaced_by], [[bulb.id], undefined, undefined]);
});

test('examples of outputs are read beside the code, without lists and open objects', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'examples-'));
  const write = (/** @type {string} */ name, /** @type {unknown} */ schema) => {
    const file = path.join(folder, '__schema__', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof schema === 'string' ? schema : JSON.stringify(schema));
  };
  const inner = { type: 'object', properties: { id: { type: 'string' } } };
  write('v2.1.0/message/post.json', { type: 'object', properties: { ts: { type: 'string' }, message: inner } });
  write('v2.0.0/output.json', inner);
  write('v2.0.0/output.with-parser.json', inner);
  write('v2.0.0/message/broken.json', '{');
  write('v2.0.0/message/any.json', { ...inner, additionalProperties: true });
  write('v1.0.0/message/post.json', inner);
  const node = /** @type {any} */ ({ file: path.join(folder, 'Some.node.js'), community: false });
  assert.deepEqual(readOutputExamples(node, [2, 2.1]), [
    { version: 2, of: [], fields: { id: null } },
    { version: 2.1, of: ['message', 'post'], fields: { message: { id: null }, ts: null } },
  ]);
  assert.deepEqual(readOutputExamples({ ...node, community: true }, [2]), []);
  rmSync(folder, { recursive: true });
});
