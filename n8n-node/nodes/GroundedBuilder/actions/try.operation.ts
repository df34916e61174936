/** Implements the operation Try: has a safe copy of a workflow run, and reports where it fails. */

import { NodeOperationError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { objectIn, optionsOf, secondsOf, stopOption, timeoutOption } from '../input';
import { reasons, resultOf, tried } from '../result';
import { connect } from '../transport';
import type { Trial, TrialRequest } from '../wire';

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
				displayName: 'Samples',
				name: 'samples',
				type: 'json',
				default: '{}',
				description:
					'Output items of nodes that do not run in the trial: lists of JSON objects by node name',
			},
			stopOption,
			timeoutOption,
		],
	},
];

/** Has a copy run that reaches nothing outside of n8n, and returns where it fails. */
export async function execute(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
	const given: unknown = context.getNodeParameter('workflow', itemIndex);
	const workflow = objectIn(context, itemIndex, 'Workflow', given);
	const options = optionsOf(context, itemIndex);
	const sidecar = await connect(context, itemIndex, secondsOf(options));
	const samples =
		options.samples === undefined
			? {}
			: { samples: objectIn(context, itemIndex, 'Samples', options.samples) };
	const trial = await sidecar.call<Trial>('POST', '/v1/n8n/trial', {
		workflow,
		...(samples as Pick<TrialRequest, 'samples'>),
	} satisfies TrialRequest);
	const { outcome, diagnostics, runs, stood_in, never_run } = trial;
	const summary = tried(trial);
	if (outcome !== 'passed' && options.stopWhenRefused === true) {
		throw new NodeOperationError(context.getNode(), summary, {
			itemIndex,
			description: reasons(diagnostics),
		});
	}
	const wrong = diagnostics.some((finding) => finding.class === 'wrong');
	const open = diagnostics.some((finding) => finding.class === 'incomplete');
	const verdict = wrong ? 'wrong' : open ? 'incomplete' : 'ok';
	return {
		...resultOf({ outcome, verdict, summary, workflow, diagnostics }),
		runs: runs as unknown as IDataObject[],
		stood_in: stood_in as unknown as IDataObject[],
		never_run,
	};
}
