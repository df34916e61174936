/** Implements the operation Import: has a workflow checked, signed and imported into n8n. */

import { NodeOperationError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { importSigned } from '../importing';
import { objectIn, onceKey, optionsOf, secondsOf, stopOption, timeoutOption } from '../input';
import { counted, reasons, resultOf } from '../result';
import { connect } from '../transport';
import type { Build } from '../wire';

const displayOptions = { show: { operation: ['import'] } };

export const description: INodeProperties[] = [
	{
		displayName: 'Workflow',
		name: 'workflow',
		type: 'json',
		required: true,
		default: '={{ $json.workflow }}',
		description: 'The workflow to check and import, as n8n exports it',
		displayOptions,
	},
	{
		displayName: 'Publish',
		name: 'publish',
		type: 'boolean',
		default: false,
		description: 'Whether to publish the workflow if no value is missing',
		displayOptions,
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions,
		options: [stopOption, timeoutOption],
	},
];

/** Has a workflow checked, signed and imported into n8n; a wrong one is not imported. */
export async function execute(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
	const given: unknown = context.getNodeParameter('workflow', itemIndex);
	const workflow = objectIn(context, itemIndex, 'Workflow', given);
	const options = optionsOf(context, itemIndex);
	const sidecar = await connect(context, itemIndex, secondsOf(options));
	const key = onceKey(context, itemIndex);
	const built = await sidecar.call<Build>('POST', '/v1/n8n/build', { workflow, key });
	const { verdict, diagnostics, artifact, receipt } = built;
	const summary = counted(verdict, diagnostics);
	if (artifact === null || receipt === null) {
		if (options.stopWhenRefused === true) {
			throw new NodeOperationError(context.getNode(), `Not imported: ${summary}`, {
				itemIndex,
				description: reasons(diagnostics),
			});
		}
		return resultOf({ outcome: 'refused', verdict, summary, workflow, diagnostics });
	}
	const signed = { workflow: artifact, receipt };
	const imported = await importSigned(context, itemIndex, sidecar, signed, options);
	const { outcome } = imported;
	return resultOf({ outcome, verdict, summary, workflow: artifact, diagnostics }, imported);
}
