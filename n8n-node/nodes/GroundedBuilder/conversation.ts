import { NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions } from 'n8n-workflow';

import { ask } from './model';
import type { ChatModel } from './model';
import type { Sidecar } from './transport';
import type { DraftRequest, EditRequest, SessionAnswer, SessionDone, SessionRequest } from './wire';

/** What a conversation is about, and where it begins. */
export type Opening =
	| { path: '/v1/n8n/sessions'; body: Omit<SessionRequest, 'drafter'> }
	| { path: '/v1/n8n/edit'; body: Omit<EditRequest, 'drafter'> };

/** The outcome of a conversation; `modelError` is why the model's part ended early, if it did. */
export interface Conversation {
	done: SessionDone;
	modelError?: string;
}

/** More turns than a sidecar may ask for, whatever it says. */
const MOST_TURNS = 24;

/** Carries messages between the sidecar and the model until the sidecar names the outcome. */
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
	let answer = await sidecar.call<SessionAnswer>('POST', opening.path, {
		...opening.body,
		drafter: model === undefined ? 'planner' : 'external',
	});

	for (let turn = 0; answer.status === 'draft'; turn++) {
		const path = `/v1/sessions/${encodeURIComponent(answer.session)}`;
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
		const said = await ask(model, answer.messages, signal, seconds);
		if ('failed' in said) modelError = said.failed;
		answer = await sidecar.call<SessionAnswer>(
			'POST',
			`${path}/drafts`,
			said satisfies DraftRequest,
		);
	}
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
