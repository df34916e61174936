/** Tests how the tool router collects and calls connected tools. */

import assert from 'node:assert/strict';
import test from 'node:test';

import tools from '../dist/nodes/GroundedToolRouter/tools.js';

const { call, connectedTools, definitionsOf } = tools;

const tool = (name, more = {}) => ({
	name,
	description: `the ${name}`,
	invoke: async (given) => JSON.stringify({ given }),
	...more,
});
const supplying = (...supplied) => ({ getInputConnectionData: async () => supplied });

test('toolkits give their tools, names that meet get the node they come from', async () => {
	const kit = { tools: [tool('search'), tool('fetch')], getTools: () => [] };
	const other = tool('search', { metadata: { sourceNodeName: 'Web' } });
	const box = await connectedTools(supplying(kit, [other], other, null, 'x', {}), 0);
	assert.deepEqual([...box.tools.keys()], ['search', 'fetch', 'Web.search', 'Web.search.2']);
	assert.deepEqual(definitionsOf(box)[2], {
		id: 'Web.search',
		name: 'search',
		provider: 'Web',
		description: 'the search',
		parameters: { schema: {} },
	});
});

test('a tool that waits for approval is not called', async () => {
	const gated = tool('delete', { metadata: { gatedToolNodeName: 'Delete' } });
	const box = await connectedTools(supplying(gated, tool('list')), 0);
	assert.deepEqual([[...box.tools.keys()], box.gated], [['list'], ['delete']]);
});

test('whatever becomes of a call is a result', async () => {
	const ask = (input, seconds = 5) => call(input, { a: 1 }, undefined, seconds);
	assert.deepEqual(await ask(tool('x')), { output: { given: { a: 1 } } });
	assert.deepEqual(await ask(tool('x', { invoke: async () => 'plain' })), { output: 'plain' });
	assert.deepEqual(await ask(tool('x', { invoke: async () => undefined })), { output: null });
	const broken = tool('x', { invoke: async () => Promise.reject(new Error('no such page')) });
	assert.deepEqual(await ask(broken), { error: 'no such page', error_type: 'ExecutionError' });
	assert.equal((await ask(undefined)).error_type, 'ToolNotFound');
	const hanging = tool('x', { invoke: () => new Promise(() => {}) });
	assert.equal((await ask(hanging, 0.05)).error_type, 'Timeout');
});
