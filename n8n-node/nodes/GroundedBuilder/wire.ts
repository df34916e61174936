import type { components } from './openapi';

type Schemas = components['schemas'];

export type Diagnostic = Schemas['DiagnosticShape'];
export type Message = Schemas['Message'];
export type SessionRequest = Schemas['SessionRequest'];
export type SessionDone = Schemas['SessionDone'];
export type SessionAnswer = Schemas['SessionDraft'] | Schemas['SessionDone'];
export type DraftRequest = Schemas['DraftRequest'];
export type Validation = Schemas['Report'];
export type Build = Schemas['Built'];
export type ImportRequest = Schemas['ImportRequest'];
export type Import = Schemas['Import'];

/** The interface version this node speaks; a sidecar that announces another one is refused. */
export const API_VERSION = '1';
