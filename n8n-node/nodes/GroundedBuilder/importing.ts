/** Has the sidecar import a signed workflow into n8n, as a new one or in place of another. */

import { NodeOperationError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { apiError } from './errors';
import { onceKey } from './input';
import type { Options } from './input';
import { reasons } from './result';
import type { Sidecar } from './transport';
import type { Import, ImportRequest, Receipt } from './wire';

/** A workflow with the receipt that the sidecar signed. */
export interface Signed {
	workflow: Record<string, unknown>;
	receipt: Receipt;
}

/**
 * Has a signed workflow imported, in place of `target` if given; throws if that fails, or if it is
 * refused and `stopWhenRefused` is set.
 */
export async function importSigned(
	context: IExecuteFunctions,
	itemIndex: number,
	sidecar: Sidecar,
	{ workflow, receipt }: Signed,
	options: Options,
	target = '',
): Promise<Import> {
	const imported = await sidecar.call<Import>('POST', '/v1/n8n/import', {
		workflow,
		receipt,
		key: onceKey(context, itemIndex),
		publish: context.getNodeParameter('publish', itemIndex, false) as boolean,
		...(target === '' ? {} : { workflow_id: target }),
	} satisfies ImportRequest);
	if (imported.outcome === 'failed') {
		const [first] = imported.diagnostics;
		const reason = first === undefined ? 'no reason given' : `${first.message}: ${first.help}`;
		const message = `The workflow could not be imported into n8n: ${reason}`;
		const description = reasons(imported.diagnostics);
		const error = apiError(context.getNode(), { message, description }, itemIndex);
		// Shown with the error, so that the built workflow is not lost.
		error.context.data = { workflow } as IDataObject;
		throw error;
	}
	if (imported.outcome === 'refused' && options.stopWhenRefused === true) {
		throw new NodeOperationError(context.getNode(), 'The workflow was not imported into n8n', {
			itemIndex,
			description: reasons(imported.diagnostics),
		});
	}
	return imported;
}
