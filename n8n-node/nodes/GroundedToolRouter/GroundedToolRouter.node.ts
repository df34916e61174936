/** Defines the Grounded Tool Router node, which calls connected tools for a request. */

import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { secondsOf, timeoutOption } from '../GroundedBuilder/input';
import { forEachItem, withoutFiles } from '../GroundedBuilder/items';
import { connectedModel } from '../GroundedBuilder/model';
import { connect } from '../GroundedBuilder/transport';
import { route } from './routing';
import { connectedTools } from './tools';

/** Calls the connected tools that a request needs, in planned order; it never calls others. */
export class GroundedToolRouter implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Grounded Tool Router',
		name: 'groundedToolRouter',
		icon: { light: 'file:../../icons/grounded.svg', dark: 'file:../../icons/grounded.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["request"] }}',
		description: 'Call connected tools as a request needs, and only these',
		defaults: { name: 'Grounded Tool Router' },
		usableAsTool: undefined, // a tool in n8n has no inputs, so it would have no tools
		inputs: [
			NodeConnectionTypes.Main,
			{
				type: NodeConnectionTypes.AiLanguageModel,
				displayName: 'Chat Model',
				maxConnections: 1,
				required: false,
			},
			{ type: NodeConnectionTypes.AiTool, displayName: 'Tools', required: false },
		],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'groundedBuilderApi', required: true }],
		properties: [
			{
				displayName: 'Request',
				name: 'request',
				type: 'string',
				typeOptions: { rows: 4 },
				required: true,
				default: '={{ $json.chatInput }}',
				placeholder: 'Who is Gibby from iCarly?',
				description: 'What the tools should do, in your own words',
			},
			{
				displayName: 'Answer',
				name: 'answer',
				type: 'boolean',
				default: true,
				description: 'Whether the chat model writes an answer from the results of the calls',
			},
			{
				displayName: 'Options',
				name: 'options',
				type: 'collection',
				placeholder: 'Add option',
				default: {},
				options: [
					{
						displayName: 'Forbidden Tools',
						name: 'forbid',
						type: 'string',
						default: '',
						placeholder: 'delete_files, send_mail',
						description: 'Names of connected tools that must not be called, separated by commas',
					},
					{
						displayName: 'Max Rounds',
						name: 'rounds',
						type: 'number',
						typeOptions: { minValue: 1, maxValue: 20 },
						default: 3,
						description: 'How often the chat model may reply before the sidecar decides',
					},
					timeoutOption,
					{
						displayName: 'Tool Timeout (Seconds)',
						name: 'toolTimeout',
						type: 'number',
						typeOptions: { minValue: 1, maxValue: 3600 },
						default: 60,
						description: 'How long one call of a tool may take',
					},
				],
			},
		],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await forEachItem(this, async (item) => await work(this, item));
	}
}

const work = withoutFiles(routed);

interface Options {
	forbid?: string;
	rounds?: number;
	timeout?: number;
	toolTimeout?: number;
}

async function routed(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
	const request = String(context.getNodeParameter('request', itemIndex) ?? '').trim();
	if (request === '') {
		throw new NodeOperationError(context.getNode(), '"Request" is empty: write what to do', {
			itemIndex,
		});
	}
	const options = context.getNodeParameter('options', itemIndex, {}) as Options;
	const answerSeconds = secondsOf(options);
	const sidecar = await connect(context, itemIndex, answerSeconds);
	const model = await connectedModel(context, itemIndex);
	const toolbox = await connectedTools(context, itemIndex);
	if (toolbox.gated.length > 0) {
		const message = `Not called, because only an agent can ask for approval: ${toolbox.gated.join(', ')}`;
		context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
	}
	const forbid = (options.forbid ?? '').split(',').map((name) => name.trim());
	const routeOrder = {
		request,
		answer: model !== undefined && (context.getNodeParameter('answer', itemIndex) as boolean),
		forbid: forbid.filter((name) => name !== ''),
		...(options.rounds === undefined ? {} : { rounds: options.rounds }),
	};
	const patience = { answerSeconds, toolSeconds: Number(options.toolTimeout ?? 60) };
	const end = await route(context, itemIndex, sidecar, model, toolbox, routeOrder, patience);
	if (end.modelError !== undefined) {
		const message = `The chat model failed, so the sidecar chose: ${end.modelError}`;
		context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
	}
	const { route: run, outcome, text, error, calls, order, rounds, summary } = end.done;
	return {
		outcome,
		text,
		summary,
		calls: calls as unknown as IDataObject[],
		order,
		error: error as unknown as IDataObject | null,
		rounds,
		route: run,
		connected_tools: [...toolbox.tools.keys()],
		...(end.modelError === undefined ? {} : { model_error: end.modelError }),
	};
}
