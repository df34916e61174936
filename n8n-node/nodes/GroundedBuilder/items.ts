import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { nodeError } from './errors';

/** Does the work of a node for every item; where the node may go on, a failure is an item. */
export async function forEachItem(
	context: IExecuteFunctions,
	work: (itemIndex: number) => Promise<IDataObject>,
): Promise<INodeExecutionData[][]> {
	const results: INodeExecutionData[] = [];
	for (let item = 0; item < context.getInputData().length; item++) {
		try {
			results.push({ json: await work(item), pairedItem: { item } });
		} catch (error) {
			const known = nodeError(context.getNode(), error, item);
			if (!context.continueOnFail()) throw known;
			const { message, description } = known;
			results.push({ json: { error: message, description }, error: known, pairedItem: { item } });
		}
	}
	return [results];
}
