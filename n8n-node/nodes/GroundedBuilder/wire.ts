import type { components, paths } from './openapi';

type Schemas = components['schemas'];

/** What a route takes as JSON. */
type Posted<Path extends keyof paths> = paths[Path] extends {
	post: { requestBody: { content: { 'application/json': infer Body } } };
}
	? Body
	: never;

export type Diagnostic = Schemas['DiagnosticShape'];
export type Verdict = Schemas['Report']['verdict'];
export type Validation = Schemas['Report'];
export type Build = Schemas['Built'];
export type Receipt = Schemas['ReceiptShape'];
export type Import = Schemas['Import'];
export type ImportRequest = Posted<'/v1/n8n/import'>;

// The session routes, until the OpenAPI file has them.

export interface Message {
	role: 'system' | 'user' | 'assistant';
	content: string;
}

export interface SessionRequest {
	request: string;
	constraints?: Record<string, unknown>;
	rounds?: number;
	drafter: 'external' | 'planner';
}

export interface SessionDraft {
	session: string;
	status: 'draft';
	round: number;
	messages: Message[];
	response_schema: Record<string, unknown>;
}

export interface SessionDone {
	session: string;
	status: 'done';
	outcome: 'built' | 'incomplete' | 'refused';
	reason: string | null;
	summary: string;
	artifact: Record<string, unknown> | null;
	receipt: Receipt | null;
	diagnostics: Diagnostic[];
	todo: unknown[];
	rounds: number;
}

export type SessionAnswer = SessionDraft | SessionDone;
export type DraftRequest = { reply: string } | { failed: string };

/** The interface version this node speaks; a sidecar that announces another one is refused. */
export const API_VERSION = '1';
