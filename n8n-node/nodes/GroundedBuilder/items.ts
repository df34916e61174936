/** Runs an operation for every input item, and returns its results, files or failures as items. */

import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';

import { nodeError } from './errors';

/** The result of one item, with its files. */
export interface Made {
	json: IDataObject;
	binary?: IBinaryKeyData;
}

export type Operation<Result> = (context: IExecuteFunctions, itemIndex: number) => Promise<Result>;

/** Returns the operation as one that makes no files. */
export function withoutFiles(operation: Operation<IDataObject>): Operation<Made> {
	return async (context, itemIndex) => ({ json: await operation(context, itemIndex) });
}

/** Runs an operation for every item; if the node continues on failure, a failure is an item. */
export async function forEachItem(
	context: IExecuteFunctions,
	work: (itemIndex: number) => Promise<Made>,
): Promise<INodeExecutionData[][]> {
	const results: INodeExecutionData[] = [];
	for (let item = 0; item < context.getInputData().length; item++) {
		try {
			results.push({ ...(await work(item)), pairedItem: { item } });
		} catch (error) {
			const known = nodeError(context.getNode(), error, item);
			if (!context.continueOnFail()) throw known;
			const { message, description } = known;
			results.push({ json: { error: message, description }, error: known, pairedItem: { item } });
		}
	}
	return [results];
}
