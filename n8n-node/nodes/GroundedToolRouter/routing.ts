/** Passes messages, tool calls and results between sidecar, model and tools until a route ends. */

import { NodeOperationError } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { ask } from '../GroundedBuilder/model';
import type { ChatModel } from '../GroundedBuilder/model';
import type { Sidecar } from '../GroundedBuilder/transport';
import { call, definitionsOf } from './tools';
import type { Toolbox } from './tools';
import type { RouteAnswer, RouteDone, RouteReply, RouteRequest } from './wire';

/** The input of a route without its tools. */
export type RouteOrder = Pick<RouteRequest, 'request' | 'rounds' | 'answer' | 'forbid'>;

export interface Patience {
	answerSeconds: number;
	toolSeconds: number;
}

/** The end of a route; `modelError` is why the model's part ended early, if it did. */
export interface Routed {
	done: RouteDone;
	modelError?: string;
}

/** The maximum number of steps, whatever the sidecar requests. */
const MOST_STEPS = 2_000;

/** Passes messages, calls and results until the sidecar ends the route. */
export async function route(
	context: IExecuteFunctions,
	itemIndex: number,
	sidecar: Sidecar,
	model: ChatModel | undefined,
	toolbox: Toolbox,
	order: RouteOrder,
	patience: Patience,
): Promise<Routed> {
	const cancelled = context.getExecutionCancelSignal();
	const connected = [...toolbox.tools.keys()];
	let modelError: string | undefined;
	let answer = await sidecar.call<RouteAnswer>('POST', '/v1/route', {
		...order,
		tools: definitionsOf(toolbox),
		drafter: model === undefined ? 'none' : 'external',
		caller: callerOf(context, itemIndex),
	});
	for (let step = 0; answer.status !== 'done'; step++) {
		const halt = (message: string) =>
			new NodeOperationError(context.getNode(), message, { itemIndex });
		if (cancelled?.aborted) throw halt('The execution was cancelled');
		if (step === MOST_STEPS) {
			throw halt(`The sidecar asked for more than ${MOST_STEPS} steps: update it`);
		}
		let reply: RouteReply;
		if (answer.status === 'ask') {
			const modelReply =
				model === undefined
					? { failed: 'no chat model is connected' }
					: await ask(model, answer.messages, cancelled, patience.answerSeconds);
			if ('failed' in modelReply) modelError = modelReply.failed;
			reply = { ...modelReply, connected };
		} else if (answer.status === 'call') {
			const { id, tool_id, arguments: given } = answer.call;
			const tool = toolbox.tools.get(tool_id);
			const result = await call(tool, given as IDataObject, cancelled, patience.toolSeconds);
			reply = { result: { call: id, ...result }, connected };
		} else {
			const status = String((answer as { status?: unknown }).status);
			throw halt(`The sidecar answered with the unknown status "${status}": update this node`);
		}
		const path = `/v1/route/${encodeURIComponent(answer.route)}/reply`;
		answer = await sidecar.call<RouteAnswer>('POST', path, reply);
	}
	return { done: answer, modelError };
}

function callerOf(context: IExecuteFunctions, itemIndex: number): IDataObject {
	return {
		workflow: context.getWorkflow().id ?? null,
		execution: context.getExecutionId(),
		node: context.getNode().name,
		item: itemIndex,
	};
}
