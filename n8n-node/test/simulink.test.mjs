/** Tests the Simulink operation with scripted jobs. */

import assert from 'node:assert/strict';
import test from 'node:test';

import { finding, run } from './running.mjs';

const JOBS = '/v1/simulink/jobs';
const JOB = {
	id: 'J1',
	state: 'drafting',
	environment: 'e',
	lease: '',
	attempt: 1,
	summary: '2 blocks',
	problem: '',
	run: 'r',
	script: 'function ...',
	file: 'build_x.m',
	options: '{}',
	diagnostics: [],
	report: {},
	attempts: [],
	rounds: 1,
	picture: '',
	slx: '',
};
const jobs = (...states) => states.map((state) => ({ ok: true, jobs: [{ ...JOB, ...state }] }));

test('a model is submitted once and waited for until its job has ended', async () => {
	const building = { operation: 'simulink', request: 'a motor', options: { simulate: 10 } };
	const states = jobs(
		{ state: 'ready' },
		{ state: 'leased' },
		{ state: 'built', report: { ok: true }, picture: '<svg/>' },
	);
	const { results, calls } = await run([building], {
		[JOBS]: jobs({})[0],
		[`${JOBS}/J1?wait=25`]: () => states.shift(),
	});
	assert.deepEqual(calls[0], [
		JOBS,
		{
			request: 'a motor',
			environment: '',
			attempts: 3,
			options: { Simulate: 10 },
			key: '1:n1:0:0',
		},
	]);
	assert.equal(calls.length, 4);
	const { outcome, verdict, script, job, report } = results[0].json;
	assert.deepEqual(
		{ outcome, verdict, script, job, report },
		{ outcome: 'built', verdict: 'ok', script: 'function ...', job: 'J1', report: { ok: true } },
	);
	assert.deepEqual(results[0].binary, {
		picture: { data: '<svg/>', fileName: 'build_x.svg', mimeType: 'image/svg+xml' },
		script: { data: 'function ...', fileName: 'build_x.m', mimeType: 'text/plain' },
	});
});

test('a plan is handed over, a model file is attached where it is wanted', async () => {
	const options = { plan: '{"goal": "g", "steps": []}', slx: true };
	const { results, calls } = await run([{ operation: 'simulink', request: 'a motor', options }], {
		[JOBS]: jobs({ state: 'built' })[0],
		[`${JOBS}/J1?picture=false&slx=true`]: jobs({ state: 'built', slx: 'UEs=' })[0],
	});
	assert.deepEqual(calls[0][1].plan, { goal: 'g', steps: [] });
	assert.equal(results[0].binary.slx.fileName, 'build_x.slx');
	assert.equal(results[0].binary.slx.data, 'PK');
	const wrong = { operation: 'simulink', request: 'r', options: { plan: '[]' } };
	await assert.rejects(run([wrong], {}), /"Plan" is not a JSON object/);
});

test('a model that no MATLAB builds is told, at the end of the time or of the attempts', async () => {
	const building = { operation: 'simulink', request: 'a motor', options: { wait: 0 } };
	const waiting = await run([building], { [JOBS]: jobs({ state: 'ready' })[0] });
	assert.equal(waiting.calls.length, 1);
	assert.equal(waiting.results[0].json.outcome, 'ready');
	assert.equal(waiting.results[0].json.verdict, 'incomplete');
	assert.match(waiting.results[0].json.summary, /run grounded.work/);
	const failed = { state: 'failed', problem: 'no block', diagnostics: [finding('wrong')] };
	const answers = { [JOBS]: jobs(failed)[0] };
	const { results } = await run([building], answers);
	assert.equal(results[0].json.verdict, 'wrong');
	assert.equal(results[0].json.diagnostics.length, 1);
	const stopping = { ...building, options: { stopWhenRefused: true } };
	await assert.rejects(run([stopping], answers), /The model was not built: no block/);
	await assert.rejects(run([{ ...building, request: ' ' }], answers), /"Request" is empty/);
});

test('a cancelled execution cancels its job', async () => {
	const building = { operation: 'simulink', request: 'a motor', aborted: true };
	const { calls, results } = await run([building], {
		[JOBS]: jobs({ state: 'ready' })[0],
		[`${JOBS}/J1`]: jobs({ state: 'cancelled' })[0],
	});
	assert.deepEqual(
		calls.map(([path]) => path),
		[JOBS, `${JOBS}/J1`],
	);
	assert.equal(results[0].json.outcome, 'cancelled');
});
