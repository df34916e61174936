/** Implements the operation Edit: has the sidecar change a workflow as a request asks. */

import { NodeOperationError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { converse } from '../conversation';
import { importSigned } from '../importing';
import { objectIn, optionsOf, secondsOf, stopOption, timeoutOption } from '../input';
import { connectedModel } from '../model';
import { findingsOf, hintOf, reasons, resultOf } from '../result';
import { connect } from '../transport';
import type { SessionDone } from '../wire';

const displayOptions = { show: { operation: ['edit'] } };

export const description: INodeProperties[] = [
	{
		displayName: 'Workflow',
		name: 'workflow',
		type: 'json',
		required: true,
		default: '={{ $json.workflow ?? $json }}',
		description: 'The workflow to change, as n8n exports it',
		displayOptions,
	},
	{
		displayName: 'Request',
		name: 'request',
		type: 'string',
		typeOptions: { rows: 4 },
		required: true,
		default: '',
		placeholder: 'Replace Slack by Microsoft Teams and add an error notification',
		description: 'What to change, in your own words; everything else stays unchanged',
		displayOptions,
	},
	{
		displayName: 'Import',
		name: 'import',
		type: 'boolean',
		default: false,
		description:
			'Whether to import the changed workflow into n8n at once, instead of only showing the difference',
		displayOptions,
	},
	{
		displayName: 'Workflow ID to Replace',
		name: 'workflowId',
		type: 'string',
		default: '={{ $json.workflow_id ?? $json.id }}',
		description: 'The workflow in n8n to replace; without an ID, a new workflow is created',
		displayOptions: { show: { operation: ['edit'], import: [true] } },
	},
	{
		displayName: 'Publish',
		name: 'publish',
		type: 'boolean',
		default: false,
		description: 'Whether to publish the workflow if no value is missing',
		displayOptions: { show: { operation: ['edit'], import: [true] } },
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

/** Has a workflow changed; everything that the request does not mention keeps its bytes. */
export async function execute(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
	const node = context.getNode();
	const given: unknown = context.getNodeParameter('workflow', itemIndex);
	const workflow = objectIn(context, itemIndex, 'Workflow', given);
	const request = String(context.getNodeParameter('request', itemIndex) ?? '').trim();
	if (request === '') {
		throw new NodeOperationError(node, '"Request" is empty: write what to change', { itemIndex });
	}
	const options = optionsOf(context, itemIndex);
	const seconds = secondsOf(options);
	const sidecar = await connect(context, itemIndex, seconds);
	const model = await connectedModel(context, itemIndex);
	const opening = { path: '/v1/n8n/edit', body: { workflow, request } } as const;
	const talk = await converse(context, itemIndex, sidecar, model, opening, seconds);
	const { done, modelError } = talk;
	if (done === undefined) {
		throw new NodeOperationError(node, `The sidecar asks: ${talk.question.question}`, {
			itemIndex,
			description: 'Edits do not use this option: state the intended change in "Request".',
		});
	}
	if (modelError !== undefined) context.addExecutionHints(hintOf(modelError, 'used its rules'));
	if (done.outcome === 'refused' && options.stopWhenRefused === true) {
		throw new NodeOperationError(node, `Nothing was changed: ${done.summary}`, {
			itemIndex,
			description: reasons(done.diagnostics),
		});
	}
	const findings = { ...findingsOf(done, modelError), workflow: done.edit?.workflow ?? null };
	const wantsImport = context.getNodeParameter('import', itemIndex, false) as boolean;
	if (!wantsImport || done.artifact === null || done.receipt === null) {
		return { ...resultOf(findings), ...changed(done) };
	}
	const signed = { workflow: done.artifact, receipt: done.receipt };
	const target = String(context.getNodeParameter('workflowId', itemIndex, '') ?? '').trim();
	const imported = await importSigned(context, itemIndex, sidecar, signed, options, target);
	return { ...resultOf(findings, imported), ...changed(done) };
}

/** Returns the changes line by line, the difference, and the findings that existed before. */
function changed({ edit }: SessionDone): IDataObject {
	return {
		changes: edit?.done ?? [],
		difference: edit?.difference ?? '',
		standing: (edit?.standing ?? []) as unknown as IDataObject[],
	};
}
