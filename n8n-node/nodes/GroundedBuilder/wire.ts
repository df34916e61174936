/** Names the types of the sidecar's HTTP API that this node uses. */

import type { components, paths } from './openapi';

type Schemas = components['schemas'];

/** The JSON body of a route. */
type Posted<Path extends keyof paths> = paths[Path] extends {
	post: { requestBody: { content: { 'application/json': infer Body } } };
}
	? Body
	: never;

export type Diagnostic = Schemas['DiagnosticShape'];
export type Verdict = Schemas['Judged']['verdict'];
export type Validation = Schemas['Judged'];
export type Build = Schemas['Built'];
export type Receipt = Schemas['ReceiptShape'];
export type Import = Schemas['Import'];
export type ImportRequest = Posted<'/v1/n8n/import'>;

export type Trial = Schemas['TrialAnswer'];
export type TrialRequest = Posted<'/v1/n8n/trial'>;

export type Rehearsal = Schemas['RehearsalAnswer'];
/** Fields that have defaults may be left out. */
export type RehearsalRequest = Partial<Posted<'/v1/n8n/rehearsal'>>;

export type Job = Schemas['JobShape'];
export type JobAnswer = Schemas['JobAnswer'];
/** Fields that have defaults may be left out. */
export type JobRequest = Partial<Posted<'/v1/simulink/jobs'>>;

export type Message = Schemas['MessageShape'];
export type SessionRequest = Posted<'/v1/{domain}/sessions'>;
export type EditRequest = Posted<'/v1/{domain}/edit'>;
export type SessionDone = Schemas['SessionDone'];
export type SessionQuestion = Schemas['SessionQuestion'];
export type SessionAnswer = Schemas['SessionDraft'] | SessionQuestion | SessionDone;
export type DraftRequest = { reply: string } | { failed: string } | { answer: string };

/** The API version of this node; it refuses a sidecar that announces another version. */
export const API_VERSION = '1';
