/** Implements the operation Generate: has a workflow drafted and, if requested, imported. */

import { NodeOperationError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { converse } from '../conversation';
import { importSigned } from '../importing';
import { answerIn, objectIn, optionsOf, secondsOf, stopOption, timeoutOption } from '../input';
import { connectedModel } from '../model';
import { findingsOf, hintOf, questionHint, questionResult, reasons, resultOf } from '../result';
import { connect } from '../transport';

const displayOptions = { show: { operation: ['generate'] } };

export const description: INodeProperties[] = [
	{
		displayName: 'Request',
		name: 'request',
		type: 'string',
		typeOptions: { rows: 4 },
		required: true,
		default: '',
		placeholder: 'Take new Gmail attachments and upload them to Google Drive',
		description: 'What the workflow should do, in your own words',
		displayOptions,
	},
	{
		displayName: 'Import',
		name: 'import',
		type: 'boolean',
		default: true,
		description: 'Whether to import the built workflow into n8n',
		displayOptions,
	},
	{
		displayName: 'Publish',
		name: 'publish',
		type: 'boolean',
		default: false,
		description: 'Whether to publish the workflow if no value is missing',
		displayOptions: { show: { operation: ['generate'], import: [true] } },
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
				displayName: 'Answer',
				name: 'answer',
				type: 'string',
				default: '',
				description:
					'The answer to the question of a conversation, which then continues. Needs the conversation ID.',
			},
			{
				displayName: 'Ask When Unclear',
				name: 'clarify',
				type: 'boolean',
				default: false,
				description:
					'Whether the model may ask what you mean. The question is the output; answer it with the options Conversation ID and Answer. Otherwise its assumption is in the note of the workflow.',
			},
			{
				displayName: 'Constraints',
				name: 'constraints',
				type: 'json',
				default: '{}',
				description: 'What the workflow must or must not use, as a JSON object',
			},
			{
				displayName: 'Conversation ID',
				name: 'conversation',
				type: 'string',
				default: '',
				description: 'The conversation that asked, from its output',
			},
			{
				displayName: 'Max Rounds',
				name: 'rounds',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 20 },
				default: 4,
				description: 'How many drafts the chat model may write before the sidecar decides',
			},
			stopOption,
			timeoutOption,
			{
				displayName: 'Trial Run',
				name: 'trial',
				type: 'boolean',
				default: true,
				description:
					'Whether to run an isolated copy of each draft that compiles, with sample data for external services, and to have failures corrected. By default a copy is run if the sidecar has an n8n.',
			},
		],
	},
];

/** Has a workflow drafted, compiled and, if requested, imported. */
export async function execute(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
	const node = context.getNode();
	const request = String(context.getNodeParameter('request', itemIndex) ?? '').trim();
	if (request === '') {
		throw new NodeOperationError(node, '"Request" is empty: write what the workflow shall do', {
			itemIndex,
		});
	}
	const options = optionsOf(context, itemIndex);
	const seconds = secondsOf(options);
	const sidecar = await connect(context, itemIndex, seconds);
	const model = await connectedModel(context, itemIndex);
	const body = {
		request,
		...(options.constraints === undefined
			? {}
			: { constraints: objectIn(context, itemIndex, 'Constraints', options.constraints) }),
		...(options.rounds === undefined ? {} : { rounds: options.rounds }),
		...(options.trial === undefined ? {} : { trial: options.trial }),
		...(options.clarify === true ? { clarify: true } : {}),
	};
	const opening = answerIn(context, itemIndex, options) ?? {
		path: '/v1/n8n/sessions' as const,
		body,
	};
	const talk = await converse(context, itemIndex, sidecar, model, opening, seconds);
	const { done, question, modelError } = talk;
	if (modelError !== undefined) {
		context.addExecutionHints(hintOf(modelError, 'planned on its own'));
	}
	if (question !== undefined) {
		context.addExecutionHints(questionHint(question));
		return questionResult(question);
	}
	if (done.outcome === 'refused' && options.stopWhenRefused === true) {
		throw new NodeOperationError(node, `No workflow was built: ${done.summary}`, {
			itemIndex,
			description: reasons(done.diagnostics),
		});
	}
	const wantsImport = context.getNodeParameter('import', itemIndex, true) as boolean;
	const findings = findingsOf(done, modelError);
	if (!wantsImport || done.artifact === null || done.receipt === null) return resultOf(findings);
	const signed = { workflow: done.artifact, receipt: done.receipt };
	const imported = await importSigned(context, itemIndex, sidecar, signed, options);
	return resultOf(findings, imported);
}
