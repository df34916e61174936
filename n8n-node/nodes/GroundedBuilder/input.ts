/** Reads the node's parameters (options, answers, JSON objects), and makes the key of one execution. */

import { NodeOperationError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

/** The options of all operations; absent ones have their defaults. */
export interface Options {
	against?: unknown;
	answer?: string;
	at?: string;
	clarify?: boolean;
	constraints?: unknown;
	conversation?: string;
	expectations?: unknown;
	faults?: { fault?: Array<{ node: string; kind: string }> };
	samples?: unknown;
	rounds?: number;
	stopWhenRefused?: boolean;
	timeout?: number;
	trial?: boolean;
}

const DEFAULT_SECONDS = 120;

export const timeoutOption: INodeProperties = {
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 3600 },
	default: DEFAULT_SECONDS,
	description: 'How long one answer of the sidecar or of the model may take',
};

export const stopOption: INodeProperties = {
	displayName: 'Stop When Refused',
	name: 'stopWhenRefused',
	type: 'boolean',
	default: false,
	description:
		'Whether to stop with an error, instead of returning an item, when no workflow could be made',
};

export function optionsOf(context: IExecuteFunctions, itemIndex: number): Options {
	return context.getNodeParameter('options', itemIndex, {}) as Options;
}

export function secondsOf(options: Options): number {
	const seconds = Number(options.timeout ?? DEFAULT_SECONDS);
	return seconds > 0 ? seconds : DEFAULT_SECONDS;
}

/** Returns the answer to a conversation's question, if one is given. */
export function answerIn(
	context: IExecuteFunctions,
	itemIndex: number,
	options: Options,
): { session: string; answer: string } | undefined {
	const session = (options.conversation ?? '').trim();
	const answer = (options.answer ?? '').trim();
	if (session === '' && answer === '') return undefined;
	if (session === '' || answer === '') {
		const absent = session === '' ? 'Conversation ID' : 'Answer';
		throw new NodeOperationError(
			context.getNode(),
			`"${absent}" is empty: an answer needs the ID of the conversation that asked`,
			{ itemIndex },
		);
	}
	return { session, answer };
}

/** Reads a JSON object given as an object or as text; the error names the field. */
export function objectIn(
	context: IExecuteFunctions,
	itemIndex: number,
	field: string,
	value: unknown,
): IDataObject {
	const read = readJson(context, itemIndex, field, value);
	if (typeof read !== 'object' || read === null || Array.isArray(read)) {
		throw new NodeOperationError(
			context.getNode(),
			`"${field}" is not a JSON object: give one as in {"nodes": [], "connections": {}}`,
			{ itemIndex },
		);
	}
	return read as IDataObject;
}

/** Reads a JSON list given as a list or as text; the error names the field. */
export function listIn(
	context: IExecuteFunctions,
	itemIndex: number,
	field: string,
	value: unknown,
): IDataObject[] {
	const read = readJson(context, itemIndex, field, value);
	if (!Array.isArray(read)) {
		throw new NodeOperationError(
			context.getNode(),
			`"${field}" is not a JSON list: give one as in [{}]`,
			{ itemIndex },
		);
	}
	return read as IDataObject[];
}

function readJson(
	context: IExecuteFunctions,
	itemIndex: number,
	field: string,
	value: unknown,
): unknown {
	if (typeof value !== 'string') return value;
	try {
		return JSON.parse(value);
	} catch (error) {
		throw new NodeOperationError(context.getNode(), `"${field}" is not JSON: correct the text`, {
			itemIndex,
			description: (error as Error).message,
		});
	}
}

/**
 * The key under which one thing is made however often it is asked for: a retried node has the
 * same execution, node, run and item, the next turn of a loop another run.
 */
export function onceKey(context: IExecuteFunctions, itemIndex: number): string {
	const run = Number(context.getWorkflowDataProxy(itemIndex).$runIndex ?? 0);
	return [context.getExecutionId(), context.getNode().id, run, itemIndex].join(':');
}
