/** Defines the Grounded Builder node: its operations, its parameters, its optional chat model. */

import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import * as edit from './actions/edit.operation';
import * as generate from './actions/generate.operation';
import * as importing from './actions/import.operation';
import * as simulink from './actions/simulink.operation';
import * as trying from './actions/try.operation';
import * as validate from './actions/validate.operation';
import { forEachItem, withoutFiles } from './items';
import type { Made, Operation } from './items';

const OPERATIONS: Record<string, Operation<Made>> = {
	edit: withoutFiles(edit.execute),
	generate: withoutFiles(generate.execute),
	import: withoutFiles(importing.execute),
	simulink: simulink.execute,
	try: withoutFiles(trying.execute),
	validate: withoutFiles(validate.execute),
};

/** Makes a checked workflow from a request, or checks, edits, tries or imports an existing one. */
export class GroundedBuilder implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Grounded Builder',
		name: 'groundedBuilder',
		icon: { light: 'file:../../icons/grounded.svg', dark: 'file:../../icons/grounded.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ $parameter["operation"] === "simulink" ? "build simulink model" : $parameter["operation"] + " workflow" }}',
		description: 'Generate, edit, try, validate and import workflows made only of installed nodes',
		defaults: { name: 'Grounded Builder' },
		usableAsTool: true,
		inputs: [
			NodeConnectionTypes.Main,
			{
				type: NodeConnectionTypes.AiLanguageModel,
				displayName: 'Chat Model',
				maxConnections: 1,
				required: false,
			},
		],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'groundedBuilderApi', required: true }],
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: [
					{ name: 'Simulink Model', value: 'simulinkModel' },
					{ name: 'Workflow', value: 'workflow' },
				],
				default: 'workflow',
			},
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: ['workflow'] } },
				options: [
					{
						name: 'Edit Workflow',
						value: 'edit',
						description: 'Change a workflow by request, and show the difference',
						action: 'Edit a workflow',
					},
					{
						name: 'Generate Workflow',
						value: 'generate',
						description: 'Turn a request into a workflow',
						action: 'Generate a workflow',
					},
					{
						name: 'Import Workflow',
						value: 'import',
						description: 'Check a workflow and import it into n8n',
						action: 'Import a workflow',
					},
					{
						name: 'Try Workflow',
						value: 'try',
						description: 'Run the real nodes apart, and show what they would send',
						action: 'Try a workflow',
					},
					{
						name: 'Validate Workflow',
						value: 'validate',
						description: 'Check a workflow against the installed nodes',
						action: 'Validate a workflow',
					},
				],
				default: 'generate',
			},
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: ['simulinkModel'] } },
				options: [
					{
						name: 'Build Simulink Model',
						value: 'simulink',
						description: 'Turn a request into a model that MATLAB builds and verifies',
						action: 'Build a simulink model',
					},
				],
				default: 'simulink',
			},
			...generate.description,
			...edit.description,
			...trying.description,
			...validate.description,
			...importing.description,
			...simulink.description,
		],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await forEachItem(this, async (item) => {
			const name = this.getNodeParameter('operation', item) as string;
			const operation = OPERATIONS[name];
			if (operation === undefined) {
				throw new NodeOperationError(this.getNode(), `There is no operation "${name}"`);
			}
			return await operation(this, item);
		});
	}
}
