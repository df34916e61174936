/** What the sidecar speaks, in the shape `npm run types` generates from docs/openapi.json. */

export interface components {
	schemas: {
		DiagnosticShape: {
			code: string;
			name: string;
			severity: string;
			class: string;
			stage: string;
			at: string;
			node: string | null;
			message: string;
			help: string;
			alternatives: string[];
		};
		ReceiptShape: { [key: string]: unknown };
		Message: {
			role: 'system' | 'user' | 'assistant';
			content: string;
		};
		SessionRequest: {
			request: string;
			constraints?: { [key: string]: unknown };
			rounds?: number;
			drafter: 'external' | 'planner';
		};
		SessionDraft: {
			session: string;
			status: 'draft';
			round: number;
			messages: Array<components['schemas']['Message']>;
			response_schema: { [key: string]: unknown };
		};
		SessionDone: {
			session: string;
			status: 'done';
			outcome: 'built' | 'incomplete' | 'refused';
			reason?: string | null;
			summary: string;
			artifact: { [key: string]: unknown } | null;
			receipt: components['schemas']['ReceiptShape'] | null;
			diagnostics: Array<components['schemas']['DiagnosticShape']>;
			todo: unknown[];
			rounds: number;
		};
		DraftRequest: { reply: string } | { failed: string };
		Report: {
			verdict: 'ok' | 'incomplete' | 'wrong';
			diagnostics: Array<components['schemas']['DiagnosticShape']>;
			errors: unknown[];
			catalog: string;
			ms: number;
		};
		Built: {
			verdict: 'ok' | 'incomplete' | 'wrong';
			artifact: { [key: string]: unknown } | null;
			receipt: components['schemas']['ReceiptShape'] | null;
			diagnostics: Array<components['schemas']['DiagnosticShape']>;
		};
		ImportRequest: {
			workflow: { [key: string]: unknown };
			receipt: components['schemas']['ReceiptShape'];
			key: string;
			publish: boolean;
		};
		Import: {
			outcome: string;
			workflow_id: string | null;
			url: string | null;
			published: boolean;
			diagnostics: Array<components['schemas']['DiagnosticShape']>;
			todo: unknown[];
		};
		Error: {
			error: { code: string; message: string; help: string; at?: string | null };
		};
	};
}
