/** Finds the connected chat model, asks it, and reads the text of its reply. */

import { NodeConnectionTypes } from 'n8n-workflow';
import type { IExecuteFunctions } from 'n8n-workflow';

import { clipped } from './errors';
import type { Message } from './wire';

/** The part of a chat model that this node uses, as n8n's own chat model nodes supply it. */
export interface ChatModel {
	invoke(
		messages: Array<[role: string, content: string]>,
		options?: { signal?: AbortSignal; timeout?: number },
	): Promise<unknown>;
}

export type Turn = { reply: string } | { failed: string };

/** The longest reply that is sent to the sidecar, in characters; a longer one is cut. */
export const LONGEST_REPLY = 400_000;

/** Returns the chat model connected to the node, or undefined when there is none. */
export async function connectedModel(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<ChatModel | undefined> {
	// As a tool of an agent the node has no inputs of its own.
	const type = NodeConnectionTypes.AiLanguageModel;
	if (!context.getNodeInputs().some((input) => input.type === type)) return undefined;
	const supplied: unknown = await context.getInputConnectionData(type, itemIndex);
	const model: unknown = Array.isArray(supplied) ? supplied[0] : supplied;
	return isChatModel(model) ? model : undefined;
}

/** Asks the model once; returns a failure, and does not throw, if the model throws or is silent. */
export async function ask(
	model: ChatModel,
	messages: Message[],
	signal: AbortSignal | undefined,
	seconds: number,
): Promise<Turn> {
	const chatMessages = messages.map(({ role, content }): [string, string] => [
		ROLES[role],
		content,
	]);
	let answer: unknown;
	try {
		answer = await model.invoke(chatMessages, { signal, timeout: seconds * 1000 });
	} catch (error) {
		const late = /abort|timed? ?out/i.test(String(error)) && signal?.aborted !== true;
		const why = whyThrown(error);
		return { failed: late ? `no answer from the model within ${seconds} s (${why})` : why };
	}
	const text = textOf(answer);
	if (text.trim() === '') return { failed: `the model answered with nothing${reasonOf(answer)}` };
	return { reply: text.slice(0, LONGEST_REPLY) };
}

/** Returns the text of a model's reply: a string, or an object whose content is text or parts. */
export function textOf(answer: unknown): string {
	if (typeof answer === 'string') return answer;
	if (typeof answer !== 'object' || answer === null) return '';
	const { content, text } = answer as { content?: unknown; text?: unknown };
	if (typeof content === 'string') return content;
	if (Array.isArray(content)) return content.map(textOfPart).join('');
	return typeof text === 'string' ? text : '';
}

const ROLES = { system: 'system', user: 'human', assistant: 'ai' } as const;

/** Returns the text of a part; empty for reasoning, an image or a tool call. */
function textOfPart(part: unknown): string {
	if (typeof part === 'string') return part;
	if (typeof part !== 'object' || part === null) return '';
	const { type, text } = part as { type?: unknown; text?: unknown };
	const isText = type === undefined || type === 'text' || type === 'output_text';
	return isText && typeof text === 'string' ? text : '';
}

/** Returns the reason of an error; n8n's model nodes put the provider's text into `description`. */
function whyThrown(error: unknown): string {
	if (!(error instanceof Error)) return clipped(`the model threw ${String(error)}`);
	const { description } = error as { description?: unknown };
	const parts = [error.message, description].filter(
		(part): part is string => typeof part === 'string' && part !== '',
	);
	return clipped(
		parts.length > 0 ? [...new Set(parts)].join(': ') : `the model threw ${error.name}`,
	);
}

function reasonOf(answer: unknown): string {
	const metadata = (answer as { response_metadata?: unknown } | null | undefined)
		?.response_metadata;
	const reason = (metadata as { finish_reason?: unknown } | null | undefined)?.finish_reason;
	return typeof reason === 'string' ? ` (it stopped for: ${clipped(reason, 100)})` : '';
}

function isChatModel(value: unknown): value is ChatModel {
	return typeof (value as { invoke?: unknown } | null | undefined)?.invoke === 'function';
}
