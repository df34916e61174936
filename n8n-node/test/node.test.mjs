/** Tests the built node: its description, its operations and its output items. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

import node from '../dist/nodes/GroundedBuilder/GroundedBuilder.node.js';
import { finding, run } from './running.mjs';

const WORKFLOW = { name: 'W', nodes: [], connections: {} };
const RECEIPT = { signature: 's' };
const DONE = {
	session: 's',
	status: 'done',
	outcome: 'built',
	reason: null,
	summary: 'Built',
	artifact: WORKFLOW,
	receipt: RECEIPT,
	diagnostics: [],
	todo: ['a'],
	rounds: 1,
};
const IMPORTED = {
	outcome: 'imported',
	workflow_id: 'w1',
	url: 'http://n8n/workflow/w1',
	published: false,
	diagnostics: [],
	todo: ['a', 'b'],
};

const generate = { operation: 'generate', request: 'r' };
const importing = { operation: 'import', workflow: WORKFLOW };
const SESSIONS = '/v1/n8n/sessions';
const IMPORT = '/v1/n8n/import';
const BUILD = '/v1/n8n/build';

test('a built workflow is imported under a key of its own item, open points named once', async () => {
	const answers = { [SESSIONS]: DONE, [IMPORT]: IMPORTED };
	const { results, calls } = await run([generate, { ...generate, publish: true }], answers);
	assert.deepEqual(
		results.map((result) => result.pairedItem),
		[{ item: 0 }, { item: 1 }],
	);
	assert.deepEqual(results[0].json.todo, ['a', 'b']);
	assert.equal(results[0].json.workflow_id, 'w1');
	const imports = calls.filter(([path]) => path === IMPORT).map(([, body]) => body);
	assert.deepEqual(
		imports.map(({ key, publish }) => [key, publish]),
		[
			['1:n1:0:0', false],
			['1:n1:0:1', true],
		],
	);
	assert.deepEqual(imports[0].receipt, RECEIPT);
});

test('a trial of the drafts is asked for only where it is wanted', async () => {
	const tried = { ...generate, import: false, options: { trial: true } };
	const { calls } = await run([tried, { ...generate, import: false }], { [SESSIONS]: DONE });
	assert.deepEqual(calls[0][1], { request: 'r', trial: true, drafter: 'planner' });
	assert.deepEqual(calls[1][1], { request: 'r', drafter: 'planner' });
});

test('nothing is imported unasked, and nothing that was refused', async () => {
	const refused = { ...DONE, outcome: 'refused', artifact: null, receipt: null };
	for (const [item, done] of [
		[{ ...generate, import: false }, DONE],
		[generate, refused],
	]) {
		const { results, calls } = await run([item], { [SESSIONS]: done });
		assert.equal(calls.length, 1);
		assert.equal(results[0].json.outcome, done.outcome);
		assert.equal(results[0].json.import, null);
	}
	const stopping = { ...generate, options: { stopWhenRefused: true } };
	await assert.rejects(run([stopping], { [SESSIONS]: refused }), /No workflow was built: Built/);
});

test('an import that failed is an error with the reason and the workflow', async () => {
	const failed = { ...IMPORTED, outcome: 'failed', diagnostics: [finding('wrong')] };
	await assert.rejects(run([generate], { [SESSIONS]: DONE, [IMPORT]: failed }), (error) => {
		assert.equal(error.message, 'The workflow could not be imported into n8n: m: h');
		assert.deepEqual(error.context.data, { workflow: WORKFLOW });
		return true;
	});
});

test('an edit shows the difference, and is imported only when asked, over the workflow named', async () => {
	const changed = { ...WORKFLOW, name: 'Changed' };
	const edit = { workflow: changed, done: ['renamed'], difference: '-W\n+Changed', standing: [] };
	const done = { ...DONE, artifact: changed, edit };
	const answers = { '/v1/n8n/edit': done, [IMPORT]: IMPORTED };
	const editing = { operation: 'edit', workflow: WORKFLOW, request: 'call it Changed' };
	const over = { ...editing, import: true, workflowId: 'w1' };
	const { results, calls } = await run([editing, over], answers);
	assert.deepEqual(calls[0], [
		'/v1/n8n/edit',
		{ workflow: WORKFLOW, request: 'call it Changed', drafter: 'planner' },
	]);
	assert.equal(results[0].json.difference, '-W\n+Changed');
	assert.deepEqual(results[0].json.changes, ['renamed']);
	assert.deepEqual(results[0].json.workflow, changed);
	assert.equal(results[0].json.import, null);
	assert.equal(calls.length, 3);
	assert.equal(calls[2][1].workflow_id, 'w1');
	assert.deepEqual(calls[2][1].workflow, changed);
	assert.equal(results[1].json.import, 'imported');
});

test('an edit takes by default the workflow of the item and its ID in n8n', async () => {
	const { properties } = new node.GroundedBuilder().description;
	const defaultOf = (name, json) => {
		const shown = ({ displayOptions }) => displayOptions?.show?.operation?.includes('edit');
		const property = properties.find((property) => property.name === name && shown(property));
		const expression = property.default.replace(/^=\{\{(.*)\}\}$/, '$1');
		return new Function('$json', `return ${expression}`)(json);
	};
	const { results } = await run([generate], { [SESSIONS]: DONE, [IMPORT]: IMPORTED });
	const generated = results[0].json;
	assert.deepEqual(defaultOf('workflow', generated), WORKFLOW);
	assert.equal(defaultOf('workflowId', generated), 'w1');
	const exported = { id: 'w2', ...WORKFLOW };
	assert.deepEqual(defaultOf('workflow', exported), exported);
	assert.equal(defaultOf('workflowId', exported), 'w2');
	const unsaved = { ...generated, workflow_id: null };
	assert.equal(defaultOf('workflowId', unsaved), undefined);
});

test('an edit that changes nothing says why and has no workflow', async () => {
	const done = {
		...DONE,
		outcome: 'refused',
		summary: 'No',
		artifact: null,
		receipt: null,
		edit: null,
	};
	const editing = { operation: 'edit', workflow: WORKFLOW, request: 'x', import: true };
	const { results, calls } = await run([editing], { '/v1/n8n/edit': done });
	assert.equal(calls.length, 1);
	assert.equal(results[0].json.summary, 'No');
	assert.equal(results[0].json.workflow, null);
	assert.equal(results[0].json.difference, '');
});

const REHEARSAL = '/v1/n8n/rehearsal';
const TRIAL = '/v1/n8n/trial';
const unavailable = {
	outcome: 'unavailable',
	reason: 'no n8n to rehearse in',
	diagnostics: [],
	errors: [],
	runs: [],
	never_run: [],
};

test('a rehearsal shows the requests of each node', async () => {
	const step = { node: 'A', items: 1, error: '', requests: [{ method: 'POST', url: 'https://a' }] };
	const ran = { trigger: 'T', variant: 'natural', refusal: '', error: null, steps: [step] };
	const rehearsal = {
		...unavailable,
		outcome: 'passed',
		reason: '',
		isolated: true,
		runs: [{ ...ran, expectations: [] }],
		never_run: [{ node: 'B', reason: 'no trigger leads to it' }],
	};
	const options = {
		samples: '{"T": [{}]}',
		expectations: '[{"node": "A", "runs": 1}]',
		faults: { fault: [{ node: 'A', kind: '429' }] },
		at: '2026-03-01T09:00:00',
		against: '{}',
	};
	const trying = { operation: 'try', workflow: WORKFLOW, options };
	const { results, calls } = await run([trying], { [REHEARSAL]: rehearsal });
	assert.deepEqual(calls, [
		[
			REHEARSAL,
			{
				workflow: WORKFLOW,
				samples: { T: [{}] },
				expectations: [{ node: 'A', runs: 1 }],
				faults: { A: '429' },
				at: '2026-03-01T09:00:00',
			},
		],
	]);
	const { json } = results[0];
	assert.equal(json.summary, 'Runs: 1, requests: 1; no run came to B');
	assert.deepEqual([json.by, json.isolated, json.reason], ['rehearsal', true, null]);
	assert.deepEqual(json.runs[0].steps[0].requests, step.requests);
	const failing = { ...ran, error: { node: 'A', message: 'no' } };
	const failed = { ...rehearsal, outcome: 'failed', runs: [failing] };
	const second = await run([trying], { [REHEARSAL]: failed });
	assert.equal(second.results[0].json.summary, 'The rehearsal failed; "A": no');
	const unmet = { ...finding('wrong'), stage: 'run', message: 'two posts were sent' };
	const judged = { ...failed, diagnostics: [unmet] };
	const third = await run([trying], { [REHEARSAL]: judged });
	assert.equal(third.results[0].json.summary, 'The rehearsal failed; two posts were sent');
	const stopping = { ...trying, options: { stopWhenRefused: true } };
	await assert.rejects(run([stopping], { [REHEARSAL]: failed }), /"A": no/);
	const listless = { ...trying, options: { expectations: '{}' } };
	await assert.rejects(run([listless], { [REHEARSAL]: rehearsal }), /"Expectations".*list/);
});

test('a trial takes the place of a rehearsal that is unavailable', async () => {
	const trial = {
		outcome: 'passed',
		diagnostics: [],
		errors: [],
		runs: [{}],
		stood_in: [{}, {}],
		never_run: ['B'],
	};
	const answers = { [REHEARSAL]: unavailable, [TRIAL]: trial };
	const trying = { operation: 'try', workflow: WORKFLOW, options: { samples: '{"A": [{}]}' } };
	const { results, calls } = await run([trying], answers);
	assert.deepEqual(calls[1], [TRIAL, { workflow: WORKFLOW, samples: { A: [{}] } }]);
	assert.equal(
		results[0].json.summary,
		'Runs that passed: 1, nodes that were not run: 2; no run came to B',
	);
	assert.deepEqual([results[0].json.by, results[0].json.reason], ['trial', unavailable.reason]);
	const failed = { ...finding('wrong'), code: 'N8N601', stage: 'run', message: '"A" fails' };
	const wrong = { ...answers, [TRIAL]: { ...trial, outcome: 'failed', diagnostics: [failed] } };
	const second = await run([trying], wrong);
	assert.equal(second.results[0].json.verdict, 'wrong');
	assert.equal(second.results[0].json.summary, 'The trial failed; "A" fails');
	const stopping = { ...trying, options: { stopWhenRefused: true } };
	await assert.rejects(run([stopping], wrong), /"A" fails/);
	const faults = { fault: [{ node: 'A', kind: 'cut' }] };
	const third = await run([{ ...trying, options: { faults } }], answers);
	assert.equal(third.calls.length, 1);
	assert.equal(third.results[0].json.summary, 'Not rehearsed: no n8n to rehearse in');
});

test('a workflow that is wrong stays out of n8n', async () => {
	const built = {
		verdict: 'wrong',
		artifact: null,
		receipt: null,
		diagnostics: [finding('wrong')],
	};
	const { results, calls } = await run([importing], { [BUILD]: built });
	assert.equal(calls.length, 1);
	assert.equal(results[0].json.outcome, 'refused');
	assert.equal(results[0].json.summary, 'The workflow is wrong in 1 place');
	const stopping = { ...importing, options: { stopWhenRefused: true } };
	await assert.rejects(run([stopping], { [BUILD]: built }), /Not imported: .* wrong in 1 place/);
});

test('a workflow may be given as text; what is no JSON object is named', async () => {
	const report = { verdict: 'ok', diagnostics: [], errors: [], catalog: 'f', ms: 1 };
	const validate = { operation: 'validate', workflow: JSON.stringify(WORKFLOW) };
	const answers = { '/v1/n8n/validate': report };
	assert.deepEqual((await run([validate], answers)).results[0].json.workflow, WORKFLOW);
	await assert.rejects(run([{ ...validate, workflow: '{' }], answers), /"Workflow" is not JSON/);
	await assert.rejects(run([{ ...validate, workflow: '[]' }], answers), /not a JSON object/);
	const constrained = { ...generate, options: { constraints: 'x' } };
	await assert.rejects(run([constrained], answers), /"Constraints" is not JSON/);
});

test('when the node may go on, a failed item says why and the others go on', async () => {
	const answers = { [SESSIONS]: DONE, [IMPORT]: IMPORTED };
	const { results } = await run([{ ...generate, request: ' ' }, generate], answers, true);
	assert.match(results[0].json.error, /"Request" is empty/);
	assert.deepEqual(results[0].pairedItem, { item: 0 });
	assert.equal(results[1].json.outcome, 'built');
});

test('the examples use parameters, operations and inputs that the node has', () => {
	const { description } = new node.GroundedBuilder();
	const names = new Set(description.properties.map((property) => property.name));
	for (const file of ['chat', 'webhook']) {
		const url = new URL(`../examples/${file}.json`, import.meta.url);
		const workflow = JSON.parse(readFileSync(url, 'utf8'));
		const type = `n8n-nodes-grounded-builder.${description.name}`;
		const used = workflow.nodes.filter((node) => node.type === type);
		assert.equal(used.length, 1);
		for (const name of Object.keys(used[0].parameters)) assert.ok(names.has(name), name);
		assert.equal(used[0].typeVersion, description.version);
		assert.ok(!JSON.stringify(workflow).includes('"credentials"'));
	}
});
