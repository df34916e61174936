/** Implements the operation Try: runs a workflow apart, and reports requests and failures. */

import { NodeOperationError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { listIn, objectIn, optionsOf, secondsOf, stopOption, timeoutOption } from '../input';
import type { Options } from '../input';
import { reasons, rehearsed, resultOf, tried } from '../result';
import { connect } from '../transport';
import type { Sidecar } from '../transport';
import type { Diagnostic, Rehearsal, RehearsalRequest, Trial, TrialRequest } from '../wire';

const displayOptions = { show: { operation: ['try'] } };

export const description: INodeProperties[] = [
	{
		displayName: 'Workflow',
		name: 'workflow',
		type: 'json',
		required: true,
		default: '={{ $json.workflow }}',
		description: 'The workflow to try, as n8n exports it',
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
				displayName: 'Compare With',
				name: 'against',
				type: 'json',
				default: '{}',
				description: 'The result of an earlier rehearsal, as this operation returned it',
			},
			{
				displayName: 'Expectations',
				name: 'expectations',
				type: 'json',
				default: '[]',
				description: 'What must happen, as in [{"requests": {"host": "slack.com"}, "count": 3}]',
			},
			{
				displayName: 'Faults',
				name: 'faults',
				type: 'fixedCollection',
				typeOptions: { multipleValues: true },
				default: {},
				description: 'Errors that nodes get in place of answers',
				options: [
					{
						displayName: 'Fault',
						name: 'fault',
						values: [
							{
								displayName: 'Fault',
								name: 'kind',
								type: 'options',
								options: [
									{ name: '404 Not Found', value: '404' },
									{ name: '429 Too Many Requests', value: '429' },
									{ name: '500 Internal Server Error', value: '500' },
									{ name: 'Connection Ends', value: 'cut' },
									{ name: 'No Answer', value: 'timeout' },
								],
								default: '500',
							},
							{
								displayName: 'Node',
								name: 'node',
								type: 'string',
								default: '',
								description: 'The name of the node',
							},
						],
					},
				],
			},
			{
				displayName: 'Samples',
				name: 'samples',
				type: 'json',
				default: '{}',
				description: 'Items with which triggers begin: lists of JSON objects by node name',
			},
			stopOption,
			{
				displayName: 'Time',
				name: 'at',
				type: 'dateTime',
				default: '',
				description: 'When schedules start the workflow; now if it is empty',
			},
			timeoutOption,
		],
	},
];

type Result = { outcome: string; diagnostics: Diagnostic[] };

/** Has the real nodes run apart where the sidecar can do so, else a copy with stand-ins. */
export async function execute(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
	const given: unknown = context.getNodeParameter('workflow', itemIndex);
	const workflow = objectIn(context, itemIndex, 'Workflow', given);
	const options = optionsOf(context, itemIndex);
	const sidecar = await connect(context, itemIndex, secondsOf(options));
	const asked = fieldsOf(context, itemIndex, options);
	const rehearsal = await sidecar.call<Rehearsal>('POST', '/v1/n8n/rehearsal', {
		workflow,
		...asked,
	} satisfies RehearsalRequest);
	const needsRehearsal = Object.keys(asked).some((key) => key !== 'samples');
	if (rehearsal.outcome === 'unavailable' && !needsRehearsal) {
		const trial = await standIn(sidecar, workflow, asked.samples);
		const { runs, stood_in, never_run } = trial;
		return {
			...finish(context, itemIndex, options, workflow, trial, tried(trial)),
			by: 'trial',
			reason: rehearsal.reason,
			runs: runs as unknown as IDataObject[],
			stood_in: stood_in as unknown as IDataObject[],
			never_run,
		};
	}
	return {
		...(rehearsal as unknown as IDataObject),
		...finish(context, itemIndex, options, workflow, rehearsal, rehearsed(rehearsal)),
		by: 'rehearsal',
		reason: rehearsal.reason === '' ? null : rehearsal.reason,
	};
}

/** Runs a copy in which stand-ins take the place of services. */
async function standIn(
	sidecar: Sidecar,
	workflow: IDataObject,
	samples: RehearsalRequest['samples'],
): Promise<Trial> {
	return await sidecar.call<Trial>('POST', '/v1/n8n/trial', {
		workflow,
		...(samples === undefined ? {} : { samples }),
	} satisfies TrialRequest);
}

/** Returns the fields of the request that are set. */
function fieldsOf(
	context: IExecuteFunctions,
	itemIndex: number,
	options: Options,
): Omit<RehearsalRequest, 'workflow'> {
	const { samples, expectations, faults, at, against } = options;
	const named = (faults?.fault ?? []).filter(({ node }) => node !== '');
	const isSet = (value: unknown): boolean => value !== undefined && value !== '';
	const fields: IDataObject = {};
	if (isSet(samples)) fields.samples = objectIn(context, itemIndex, 'Samples', samples);
	if (isSet(expectations)) {
		fields.expectations = listIn(context, itemIndex, 'Expectations', expectations);
	}
	if (named.length > 0) {
		fields.faults = Object.fromEntries(named.map(({ node, kind }) => [node, kind]));
	}
	if (isSet(at)) fields.at = at;
	if (isSet(against)) {
		const earlier = objectIn(context, itemIndex, 'Compare With', against);
		if (Object.keys(earlier).length > 0) fields.against = earlier;
	}
	return fields as Omit<RehearsalRequest, 'workflow'>;
}

/** Returns the fields that every operation has, or throws where the caller wants a stop. */
function finish(
	context: IExecuteFunctions,
	itemIndex: number,
	options: Options,
	workflow: IDataObject,
	{ outcome, diagnostics }: Result,
	summary: string,
): IDataObject {
	if (outcome !== 'passed' && options.stopWhenRefused === true) {
		throw new NodeOperationError(context.getNode(), summary, {
			itemIndex,
			description: reasons(diagnostics),
		});
	}
	const wrong = diagnostics.some((finding) => finding.class === 'wrong');
	const open = diagnostics.some((finding) => finding.class === 'incomplete');
	const verdict = wrong ? 'wrong' : open ? 'incomplete' : 'ok';
	return resultOf({ outcome, verdict, summary, workflow, diagnostics });
}
