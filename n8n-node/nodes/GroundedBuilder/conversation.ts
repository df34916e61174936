/** Passes messages between the sidecar and the chat model until a draft is done. */

import { NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions } from 'n8n-workflow';

import { ask } from './model';
import type { ChatModel } from './model';
import type { Sidecar } from './transport';
import type {
	DraftRequest,
	EditRequest,
	SessionAnswer,
	SessionDone,
	SessionQuestion,
	SessionRequest,
} from './wire';

/** The request of a conversation, and the route that opens it. */
export type Opening =
	| { path: '/v1/n8n/sessions'; body: Omit<SessionRequest, 'drafter'> }
	| { path: '/v1/n8n/edit'; body: Omit<EditRequest, 'drafter'> }
	| { session: string; answer: string };

/**
 * The outcome of a conversation, or its question to the person who made the request. `modelError`
 * is why the model's part ended early, if it did.
 */
export type Conversation = (
	| { done: SessionDone; question?: undefined }
	| { done?: undefined; question: SessionQuestion }
) & { modelError?: string };

/** The maximum number of turns, whatever the sidecar requests. */
const MOST_TURNS = 24;

/** Passes messages between the sidecar and the model until the sidecar returns the outcome. */
export async function converse(
	context: IExecuteFunctions,
	itemIndex: number,
	sidecar: Sidecar,
	model: ChatModel | undefined,
	opening: Opening,
	seconds: number,
): Promise<Conversation> {
	const signal = context.getExecutionCancelSignal();
	let modelError: string | undefined;
	const drafter = model === undefined ? 'planner' : 'external';
	let answer =
		'answer' in opening
			? await sidecar.call<SessionAnswer>('POST', `${pathOf(opening.session)}/drafts`, {
					answer: opening.answer,
				} satisfies DraftRequest)
			: await sidecar.call<SessionAnswer>('POST', opening.path, { ...opening.body, drafter });

	for (let turn = 0; answer.status === 'draft'; turn++) {
		const path = pathOf(answer.session);
		const halt = async (message: string) => {
			await sidecar.send('DELETE', path);
			return new NodeOperationError(context.getNode(), message, { itemIndex });
		};
		if (signal?.aborted) throw await halt('The execution was cancelled');
		if (turn === MOST_TURNS) {
			throw await halt(`The sidecar asked for more than ${MOST_TURNS} drafts: update it`);
		}
		if (model === undefined) {
			throw await halt('The sidecar asks for a chat model: connect one, or update the sidecar');
		}
		const reply = await ask(model, answer.messages, signal, seconds);
		if ('failed' in reply) modelError = reply.failed;
		answer = await sidecar.call<SessionAnswer>(
			'POST',
			`${path}/drafts`,
			reply satisfies DraftRequest,
		);
	}
	if (answer.status === 'question') return { question: answer, modelError };
	if (answer.status !== 'done') {
		const status = String((answer as { status?: unknown }).status);
		throw new NodeOperationError(
			context.getNode(),
			`The sidecar answered with the unknown status "${status}": update this node or the sidecar`,
			{ itemIndex },
		);
	}
	return { done: answer, modelError };
}

function pathOf(session: string): string {
	return `/v1/sessions/${encodeURIComponent(session)}`;
}
