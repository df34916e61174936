/** Collects the connected tools, describes them for the sidecar, and calls them. */

import { NodeConnectionTypes } from 'n8n-workflow';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { clipped } from '../GroundedBuilder/errors';
import { schemaOf } from './schema';
import type { ResultShape, ToolDefinition } from './wire';

/** A connected tool as n8n supplies it. */
export interface ConnectedTool {
	name: string;
	description: string;
	schema?: unknown;
	metadata?: { sourceNodeName?: unknown; gatedToolNodeName?: unknown };
	invoke(input: unknown, config?: { signal?: AbortSignal }): Promise<unknown>;
}

/** The connected tools by the id under which the sidecar knows them. */
export interface Toolbox {
	tools: ReadonlyMap<string, ConnectedTool>;
	/** Names of tools that wait for a person's approval, which only an agent can ask for. */
	gated: string[];
}

/** Returns the connected tools, including those of toolkits such as MCP servers. */
export async function connectedTools(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<Toolbox> {
	const supplied: unknown = await context.getInputConnectionData(
		NodeConnectionTypes.AiTool,
		itemIndex,
	);
	const all = flat(supplied);
	const gated = all.filter((tool) => tool.metadata?.gatedToolNodeName !== undefined);
	const tools = new Map<string, ConnectedTool>();
	for (const tool of all) {
		if (gated.includes(tool)) continue;
		tools.set(freeId(tool, tools), tool);
	}
	return { tools, gated: gated.map((tool) => tool.name) };
}

/** Returns the tool definitions that are sent to the sidecar. */
export function definitionsOf({ tools }: Toolbox): ToolDefinition[] {
	return [...tools].map(([id, tool]) => ({
		id,
		name: tool.name,
		provider: sourceOf(tool),
		description: tool.description,
		parameters: { schema: schemaOf(tool.schema) },
	}));
}

/** Calls a tool once; returns every failure as a result, also that a tool does not answer in time. */
export async function call(
	tool: ConnectedTool | undefined,
	toolArguments: IDataObject,
	cancelled: AbortSignal | undefined,
	seconds: number,
): Promise<ResultShape> {
	if (tool === undefined) {
		return { error: 'the tool is no longer connected', error_type: 'ToolNotFound' };
	}
	const late = AbortSignal.timeout(seconds * 1000);
	const signal = cancelled === undefined ? late : AbortSignal.any([late, cancelled]);
	try {
		const output = await Promise.race([tool.invoke(toolArguments, { signal }), aborted(signal)]);
		return { output: parsed(output) };
	} catch (error) {
		if (late.aborted) {
			return { error: `no answer within ${seconds} s`, error_type: 'Timeout' };
		}
		const message = error instanceof Error ? error.message : String(error);
		return { error: clipped(message || 'the tool failed'), error_type: 'ExecutionError' };
	}
}

function flat(supplied: unknown): ConnectedTool[] {
	if (Array.isArray(supplied)) return supplied.flatMap(flat);
	if (typeof supplied !== 'object' || supplied === null) return [];
	const { tools } = supplied as { tools?: unknown };
	if (Array.isArray(tools)) return tools.flatMap(flat);
	return typeof (supplied as { invoke?: unknown }).invoke === 'function'
		? [supplied as ConnectedTool]
		: [];
}

/** Returns the name of a tool, with that of its node if another tool has the same name. */
function freeId(tool: ConnectedTool, taken: ReadonlyMap<string, ConnectedTool>): string {
	const wanted = [tool.name, `${sourceOf(tool)}.${tool.name}`];
	for (const id of wanted) if (!taken.has(id)) return id;
	for (let number = 2; ; number++) {
		const id = `${wanted[1]}.${number}`;
		if (!taken.has(id)) return id;
	}
}

function sourceOf(tool: ConnectedTool): string {
	const source = tool.metadata?.sourceNodeName;
	return typeof source === 'string' ? source : '';
}

async function aborted(signal: AbortSignal): Promise<never> {
	return await new Promise((_, reject) => {
		const end = () => reject(signal.reason);
		if (signal.aborted) end();
		else signal.addEventListener('abort', end, { once: true });
	});
}

/** n8n's node tools answer with a text of JSON. */
function parsed(output: unknown): unknown {
	const content = (output as { content?: unknown } | null | undefined)?.content ?? output;
	if (typeof content !== 'string') return content ?? null;
	try {
		return JSON.parse(content) as unknown;
	} catch {
		return content;
	}
}
