/** Implements the operation Validate: has a workflow checked against the installed nodes. */

import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { objectIn, optionsOf, secondsOf, timeoutOption } from '../input';
import { counted, resultOf } from '../result';
import { connect } from '../transport';
import type { Validation } from '../wire';

const displayOptions = { show: { operation: ['validate'] } };

export const description: INodeProperties[] = [
	{
		displayName: 'Workflow',
		name: 'workflow',
		type: 'json',
		required: true,
		default: '={{ $json.workflow }}',
		description: 'The workflow to check, as n8n exports it',
		displayOptions,
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions,
		options: [timeoutOption],
	},
];

/** Has a workflow checked against the installed nodes. */
export async function execute(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
	const given: unknown = context.getNodeParameter('workflow', itemIndex);
	const workflow = objectIn(context, itemIndex, 'Workflow', given);
	const seconds = secondsOf(optionsOf(context, itemIndex));
	const sidecar = await connect(context, itemIndex, seconds);
	const report = await sidecar.call<Validation>('POST', '/v1/n8n/validate', { workflow });
	const { verdict, diagnostics } = report;
	const summary = counted(verdict, diagnostics);
	return {
		...resultOf({ outcome: 'validated', verdict, summary, workflow, diagnostics }),
		errors: report.errors as unknown as IDataObject[],
		catalog: report.catalog,
	};
}
