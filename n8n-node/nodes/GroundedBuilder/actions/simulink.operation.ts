/** Implements the Simulink operation: has a model drafted and built in MATLAB, returns its files. */

import { NodeOperationError } from 'n8n-workflow';
import type { IBinaryKeyData, IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { objectIn, onceKey, optionsOf, secondsOf, stopOption, timeoutOption } from '../input';
import type { Made } from '../items';
import { reasons, resultOf } from '../result';
import { connect } from '../transport';
import type { Sidecar } from '../transport';
import type { Diagnostic, Job, JobAnswer, JobRequest, Verdict } from '../wire';

const displayOptions = { show: { operation: ['simulink'] } };

const DEFAULT_WAIT_S = 600;
/** The longest time, in seconds, that the sidecar delays an answer. */
const LONGEST_POLL_S = 25;
/** The time that an answer may take in addition to the requested delay. */
const SLACK_S = 10;

export const description: INodeProperties[] = [
	{
		displayName: 'Request',
		name: 'request',
		type: 'string',
		typeOptions: { rows: 4 },
		required: true,
		default: '',
		placeholder: 'A closed loop of a PI controller and the plant 2/(0.5s+1) with a step reference',
		description: 'The model to build, in your own words',
		displayOptions,
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions,
		options: [
			{
				displayName: 'Attempts',
				name: 'attempts',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 10 },
				default: 3,
				description:
					'How many builds may fail; after each, the model is drafted again with the errors from Simulink',
			},
			{
				displayName: 'Environment',
				name: 'environment',
				type: 'string',
				default: '',
				description:
					'The fingerprint of the MATLAB to build for, from grounded.sync; the default is the active catalog',
			},
			{
				displayName: 'Plan',
				name: 'plan',
				type: 'json',
				default: '{}',
				description:
					'A plan of the model as a JSON object, which is compiled unchanged; the request then only names the model',
			},
			{
				displayName: 'Simulate (Steps)',
				name: 'simulate',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 0,
				description: 'How many steps to simulate, so that solver errors are found',
			},
			{
				displayName: 'SLX File',
				name: 'slx',
				type: 'boolean',
				default: false,
				description:
					'Whether to attach the model as a .slx file written by the sidecar, which Simulink has not opened',
			},
			stopOption,
			timeoutOption,
			{
				displayName: 'Wait (Seconds)',
				name: 'wait',
				type: 'number',
				typeOptions: { minValue: 0, maxValue: 86_400 },
				default: DEFAULT_WAIT_S,
				description:
					'How long to wait for MATLAB to build the model; the job continues after that, unless it is cancelled',
			},
		],
	},
];

interface SimulinkOptions {
	attempts?: number;
	environment?: string;
	plan?: unknown;
	simulate?: number;
	slx?: boolean;
	wait?: number;
}

/** Has a model drafted, and built by a MATLAB worker; waits for the result. */
export async function execute(context: IExecuteFunctions, itemIndex: number): Promise<Made> {
	const node = context.getNode();
	const request = String(context.getNodeParameter('request', itemIndex) ?? '').trim();
	if (request === '') {
		throw new NodeOperationError(node, '"Request" is empty: write what to build', { itemIndex });
	}
	const options = optionsOf(context, itemIndex);
	const wanted = options as SimulinkOptions;
	const seconds = Math.max(secondsOf(options), LONGEST_POLL_S + SLACK_S);
	const sidecar = await connect(context, itemIndex, seconds);
	const submitted = await sidecar.call<JobAnswer>('POST', '/v1/simulink/jobs', {
		request,
		...planOf(context, itemIndex, wanted.plan),
		environment: String(wanted.environment ?? '').trim(),
		attempts: Number(wanted.attempts ?? 3),
		options: Number(wanted.simulate ?? 0) > 0 ? { Simulate: Number(wanted.simulate) } : {},
		key: onceKey(context, itemIndex),
	} satisfies JobRequest);
	const first = oneOf(submitted);
	const job = await ended(context, sidecar, first, Number(wanted.wait ?? DEFAULT_WAIT_S));
	const diagnostics = job.diagnostics as Diagnostic[];
	const summary = summaryOf(job);
	if (job.state !== 'built' && options.stopWhenRefused === true) {
		throw new NodeOperationError(node, summary, { itemIndex, description: reasons(diagnostics) });
	}
	const findings = { outcome: job.state, verdict: verdictOf(job), summary, diagnostics };
	const json = {
		...resultOf({ ...findings, workflow: null, rounds: job.rounds }),
		job: job.id,
		run: job.run,
		script: job.script,
		file: job.file,
		report: job.report as IDataObject,
		attempts: job.attempts as unknown as IDataObject[],
	};
	const path = `${pathOf(job)}?picture=false&slx=true`;
	const wants = wanted.slx === true && job.script !== '';
	const slx = wants ? oneOf(await sidecar.call<JobAnswer>('GET', path), job).slx : '';
	const binary = await filesOf(context, job, slx);
	return Object.keys(binary).length === 0 ? { json } : { json, binary };
}

/** Returns the plan, undefined if none is given. */
function planOf(
	context: IExecuteFunctions,
	itemIndex: number,
	given: unknown,
): { plan?: IDataObject } {
	if (given === undefined || given === '') return {};
	const plan = objectIn(context, itemIndex, 'Plan', given);
	return Object.keys(plan).length === 0 ? {} : { plan };
}

/** Returns the picture of the compiled model, the script and the model file, as far as they exist. */
async function filesOf(
	context: IExecuteFunctions,
	{ file, picture, script }: Job,
	slx: string,
): Promise<IBinaryKeyData> {
	const name = file.replace(/\.m$/, '');
	const files: Array<[string, string, string, Buffer]> = [
		['picture', `${name}.svg`, 'image/svg+xml', Buffer.from(picture, 'utf8')],
		['script', file, 'text/plain', Buffer.from(script, 'utf8')],
		['slx', `${name}.slx`, 'application/octet-stream', Buffer.from(slx, 'base64')],
	];
	const made: IBinaryKeyData = {};
	for (const [key, fileName, type, content] of files) {
		if (content.length === 0) continue;
		made[key] = await context.helpers.prepareBinaryData(content, fileName, type);
	}
	return made;
}

/** Returns the job when it has ended or the time is over; a cancelled execution cancels the job. */
async function ended(
	context: IExecuteFunctions,
	sidecar: Sidecar,
	first: Job,
	seconds: number,
): Promise<Job> {
	const until = Date.now() + seconds * 1000;
	const path = pathOf(first);
	let job = first;
	while (!isOver(job)) {
		if (context.getExecutionCancelSignal()?.aborted === true) {
			return oneOf(await sidecar.call<JobAnswer>('DELETE', path), job);
		}
		const left = Math.ceil((until - Date.now()) / 1000);
		if (left <= 0) break;
		const poll = Math.min(left, LONGEST_POLL_S);
		job = oneOf(await sidecar.call<JobAnswer>('GET', `${path}?wait=${poll}`), job);
	}
	return job;
}

function pathOf({ id }: Job): string {
	return `/v1/simulink/jobs/${encodeURIComponent(id)}`;
}

/** Returns the job of an answer, which has exactly one. */
function oneOf({ jobs }: JobAnswer, before?: Job): Job {
	const job = jobs[0] ?? before;
	if (job === undefined) throw new Error('The sidecar accepted the job but returned none');
	return job;
}

function isOver({ state }: Job): boolean {
	return state === 'built' || state === 'failed' || state === 'cancelled';
}

function verdictOf(job: Job): Verdict {
	if (job.state === 'built') return 'ok';
	return job.state === 'failed' ? 'wrong' : 'incomplete';
}

function summaryOf({ state, problem, summary, attempts }: Job): string {
	if (state === 'built') return `The model was built: ${summary}`;
	if (state === 'cancelled') return 'The job was cancelled';
	if (state === 'failed') return `The model was not built: ${problem || summary}`;
	const tries = attempts.length > 0 ? ` after ${attempts.length} attempts` : '';
	return state === 'ready'
		? `No MATLAB has taken the job${tries}: run grounded.work there, or raise "Wait"`
		: `The job is ${state}${tries}: raise "Wait", or look at it later`;
}
