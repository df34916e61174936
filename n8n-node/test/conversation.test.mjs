/** Tests that conversations end, whatever the sidecar and the model answer. */

import assert from 'node:assert/strict';
import test from 'node:test';

import conversation from '../dist/nodes/GroundedBuilder/conversation.js';
import input from '../dist/nodes/GroundedBuilder/input.js';
import transport from '../dist/nodes/GroundedBuilder/transport.js';

const { converse } = conversation;

const NODE = { id: 'n1', name: 'Grounded Builder', type: 't', typeVersion: 1, parameters: {} };
const context = {
	getNode: () => NODE,
	getExecutionId: () => '12',
	getExecutionCancelSignal: () => undefined,
	getWorkflowDataProxy: () => ({ $runIndex: 2 }),
};
const draft = { session: '01/A', status: 'draft', messages: [{ role: 'user', content: 'go' }] };
const done = { session: '01/A', status: 'done', outcome: 'built' };

/** A sidecar that gives these answers in turn, the last one for ever. */
function scripted(...answers) {
	const calls = [];
	return {
		calls,
		call: async (method, path, body) => {
			calls.push([method, path, body]);
			return answers.length > 1 ? answers.shift() : answers[0];
		},
		send: async (method, path) => void calls.push([method, path]),
	};
}

const opening = { path: '/v1/n8n/sessions', body: { request: 'r' } };
const talk = (sidecar, model) => converse(context, 0, sidecar, model, opening, 1);

test('without a model the sidecar plans and no draft is sent', async () => {
	const sidecar = scripted(done);
	assert.deepEqual(await talk(sidecar), { done, modelError: undefined });
	assert.deepEqual(sidecar.calls, [
		['POST', '/v1/n8n/sessions', { request: 'r', drafter: 'planner' }],
	]);
});

test('replies go to the session until there is an outcome', async () => {
	const sidecar = scripted(draft, draft, done);
	const model = { invoke: async () => ({ content: 'plan' }) };
	assert.equal((await talk(sidecar, model)).done, done);
	assert.deepEqual(sidecar.calls.slice(1), [
		['POST', '/v1/sessions/01%2FA/drafts', { reply: 'plan' }],
		['POST', '/v1/sessions/01%2FA/drafts', { reply: 'plan' }],
	]);
});

test('a model that fails is reported to the sidecar and remembered', async () => {
	const sidecar = scripted(draft, done);
	const model = { invoke: () => Promise.reject(new Error('quota')) };
	assert.equal((await talk(sidecar, model)).modelError, 'quota');
	assert.deepEqual(sidecar.calls[1][2], { failed: 'quota' });
});

test('a sidecar that asks for ever is left, and its session cancelled', async () => {
	const sidecar = scripted(draft);
	const model = { invoke: async () => 'plan' };
	await assert.rejects(talk(sidecar, model), /more than 24 drafts/);
	assert.deepEqual(sidecar.calls.at(-1), ['DELETE', '/v1/sessions/01%2FA']);
	assert.ok(sidecar.calls.length < 30);
});

test('a draft asked of no model and an unknown status are errors', async () => {
	await assert.rejects(talk(scripted(draft)), /asks for a chat model/);
	await assert.rejects(talk(scripted({ status: 'odd' })), /unknown status "odd"/);
});

test('a question ends the run, and its answer continues the conversation', async () => {
	const question = { session: '01/A', status: 'question', question: 'Which?', choices: ['a'] };
	const model = { invoke: async () => 'plan' };
	const asked = await talk(scripted(draft, question), model);
	assert.deepEqual(asked, { question, modelError: undefined });
	const sidecar = scripted(draft, done);
	const answered = { session: '01/A', answer: 'a' };
	assert.equal((await converse(context, 0, sidecar, model, answered, 1)).done, done);
	assert.deepEqual(sidecar.calls[0], ['POST', '/v1/sessions/01%2FA/drafts', { answer: 'a' }]);
});

test('an answer needs its conversation', () => {
	const given = (options) => input.answerIn(context, 0, options);
	assert.equal(given({}), undefined);
	assert.deepEqual(given({ conversation: ' x ', answer: 'a' }), { session: 'x', answer: 'a' });
	assert.throws(() => given({ answer: 'a' }), /"Conversation ID" is empty/);
	assert.throws(() => given({ conversation: 'x' }), /"Answer" is empty/);
});

test('a retried node has the same key, another run or item has not', () => {
	assert.equal(input.onceKey(context, 3), '12:n1:2:3');
});

test('a base address is trimmed of spaces, slashes and the version', () => {
	for (const url of ['http://h:1', ' http://h:1/ ', 'http://h:1/v1', 'http://h:1/v1//']) {
		assert.equal(transport.trimmedBase(url), 'http://h:1');
	}
});
