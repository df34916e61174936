/** Tests that replies of a chat model are read in all forms, and its failures reported. */

import assert from 'node:assert/strict';
import test from 'node:test';

import model from '../dist/nodes/GroundedBuilder/model.js';

const { ask, connectedModel, LONGEST_REPLY, textOf } = model;

const answering = (answer) => ({ invoke: async () => answer });
const askWith = (answer) => ask(answering(answer), [], undefined, 1);

test('text content is read as it is, parts are joined, what is no text is left out', () => {
	assert.equal(textOf({ content: 'plan' }), 'plan');
	assert.equal(
		textOf({
			content: [
				{ type: 'reasoning', text: 'hm' },
				{ type: 'text', text: 'pl' },
				{ type: 'tool_use', input: {} },
				'a',
				{ type: 'output_text', text: 'n' },
			],
		}),
		'plan',
	);
	assert.equal(textOf('plan'), 'plan');
	assert.equal(textOf({ text: 'plan' }), 'plan');
	for (const nothing of [undefined, null, 7, {}, { content: [null, 7] }, { content: {} }]) {
		assert.equal(textOf(nothing), '');
	}
});

test('roles are said in the words of the chat model, with the bound and the signal', async () => {
	const seen = [];
	const spy = { invoke: async (...args) => (seen.push(args), { content: 'x' }) };
	const { signal } = new AbortController();
	const messages = ['system', 'user', 'assistant'].map((role) => ({ role, content: role }));
	await ask(spy, messages, signal, 7);
	assert.deepEqual(seen, [
		[
			[
				['system', 'system'],
				['human', 'user'],
				['ai', 'assistant'],
			],
			{ signal, timeout: 7000 },
		],
	]);
});

test('a reply is passed on up to the bound and no further', async () => {
	const { reply } = await askWith({ content: 'x'.repeat(1_000_000) });
	assert.equal(reply.length, LONGEST_REPLY);
});

test('a model that says nothing is a failure that names why it stopped', async () => {
	assert.deepEqual(await askWith({ content: ' \n' }), {
		failed: 'the model answered with nothing',
	});
	assert.deepEqual(await askWith({ content: [], response_metadata: { finish_reason: 'length' } }), {
		failed: 'the model answered with nothing (it stopped for: length)',
	});
});

test('a model that throws is a failure in its own words, bounded', async () => {
	const throwing = (thrown) =>
		ask({ invoke: () => Promise.reject(thrown) }, [], undefined, 1).then((turn) => turn.failed);
	const wrapped = Object.assign(new Error('Bad request'), { description: 'no such model' });
	assert.equal(await throwing(wrapped), 'Bad request: no such model');
	assert.equal(await throwing(new RangeError('')), 'the model threw RangeError');
	assert.equal(await throwing('quota'), 'the model threw quota');
	assert.equal(
		await throwing(new Error('Request was aborted.')),
		'no answer from the model within 1 s (Request was aborted.)',
	);
	assert.ok((await throwing(new Error('x'.repeat(100_000)))).length < 3000);
});

test('without the input, a connection or a method to call there is no model', async () => {
	const context = (inputs, supplied) => ({
		getNodeInputs: () => inputs,
		getInputConnectionData: async () => supplied,
	});
	const input = [{ type: 'ai_languageModel' }];
	const chat = answering('x');
	assert.equal(await connectedModel(context([], chat), 0), undefined);
	assert.equal(await connectedModel(context(input, undefined), 0), undefined);
	assert.equal(await connectedModel(context(input, []), 0), undefined);
	assert.equal(await connectedModel(context(input, {}), 0), undefined);
	assert.equal(await connectedModel(context(input, [chat]), 0), chat);
	assert.equal(await connectedModel(context(input, chat), 0), chat);
});
