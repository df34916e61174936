/** Converts failed calls of the sidecar to errors of n8n that state the reason and the remedy. */

import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { INode, JsonObject } from 'n8n-workflow';

import { API_VERSION } from './wire';

/** The description of a failed call; the message alone states the remedy. */
export interface Failure {
	message: string;
	description?: string;
	httpCode?: string;
}

export interface HttpAnswer {
	status: number;
	headers: Record<string, unknown>;
	body: unknown;
}

const CREDENTIAL = 'the credential "Grounded Builder API"';
const LONGEST_TEXT = 2_000;

/** Returns the reason why `base` did not answer for `route`. */
export function unanswered(error: unknown, base: string, route: string): Failure {
	const chain = causes(error);
	const text = chain.map((cause) => cause.text).join(' | ');
	const description = clipped(text);
	const has = (pattern: RegExp) => chain.some((cause) => pattern.test(cause.all));
	if (has(/SsrfBlocked|restricted IP address|destination hostname is restricted/)) {
		return {
			message: `n8n's SSRF protection blocks the sidecar at ${base}: set ${ssrfSetting(hostOf(base))}, and restart n8n`,
			description,
		};
	}
	if (has(/ECONNABORTED|ETIMEDOUT|timeout of \d+ ?ms|TimeoutError/)) {
		return {
			message:
				`The sidecar at ${base} did not answer ${route} in time: raise the option "Timeout" ` +
				'of this node, or look into the log of the sidecar',
			description,
		};
	}
	if (has(/ERR_CANCELED|CanceledError|AbortError/)) {
		return { message: 'The execution was cancelled while the sidecar worked', description };
	}
	if (has(/ENOTFOUND|EAI_AGAIN|ERR_INVALID_URL|Invalid URL/)) {
		return {
			message: `There is no host "${hostOf(base)}": correct the Base URL in ${CREDENTIAL}`,
			description,
		};
	}
	if (has(/CERT_|SELF_SIGNED|UNABLE_TO_VERIFY|EPROTO|SSL routines/)) {
		return {
			message: `No trusted TLS connection to ${base}: correct the certificate, or the Base URL in ${CREDENTIAL}`,
			description,
		};
	}
	if (has(/ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|EPIPE|socket hang up/)) {
		return {
			message:
				`Cannot reach the sidecar at ${base}: start it with \`grounded serve\`, ` +
				`or correct the Base URL in ${CREDENTIAL}`,
			description: `${description}. In a container 127.0.0.1 is the container itself: name the sidecar's host instead`,
		};
	}
	return { message: `The call ${route} to the sidecar at ${base} failed`, description };
}

/** Returns the failure in an answer of the sidecar; undefined if it is a success. */
export function refused(answer: HttpAnswer, base: string, route: string): Failure | undefined {
	const { status } = answer;
	const announced = announcedVersion(answer);
	if (announced !== undefined && major(announced) !== API_VERSION) {
		return {
			message:
				`The sidecar at ${base} speaks interface version ${announced}, this node speaks ` +
				`${API_VERSION}: update the older of the two`,
			httpCode: String(status),
		};
	}
	const sidecarFault = sidecarError(answer.body);
	const httpCode = String(status);
	const description = sidecarFault?.text;
	if (status === 401) {
		return {
			message: `The sidecar at ${base} does not accept the token: put a valid one into ${CREDENTIAL}`,
			description,
			httpCode,
		};
	}
	if (status === 403) {
		return {
			message: `The token may not call ${route}: put one with the needed scope into ${CREDENTIAL}`,
			description,
			httpCode,
		};
	}
	if (
		sidecarFault !== undefined &&
		status >= 400 &&
		!(status === 404 && sidecarFault.code === 'not-found')
	) {
		const next = sidecarFault.help === undefined ? '' : `: ${sidecarFault.help}`;
		return { message: clipped(`The sidecar reports: ${sidecarFault.text}${next}`), httpCode };
	}
	if (status === 404 || status === 405) {
		const isOld = sidecarFault !== undefined;
		return {
			message: isOld
				? `The sidecar at ${base} does not know ${route}: it is older than this node, update it`
				: `No sidecar answers at ${base}: correct the Base URL in ${CREDENTIAL}`,
			description: `${route} answered ${status}`,
			httpCode,
		};
	}
	if (status >= 400) {
		return {
			message: `The sidecar at ${base} failed with status ${status}: look into its log`,
			description: clipped(String(answer.body ?? '')),
			httpCode,
		};
	}
	if (typeof answer.body !== 'object' || answer.body === null || Array.isArray(answer.body)) {
		return {
			message: `The program at ${base} is not the sidecar: correct the Base URL in ${CREDENTIAL}`,
			description: clipped(`${route} answered ${status} with: ${String(answer.body)}`),
			httpCode,
		};
	}
	return undefined;
}

/** Converts a failure to the error that n8n shows. */
export function apiError(node: INode, failure: Failure, itemIndex: number): NodeApiError {
	// Not the original error: n8n would put its own words for a code over the message.
	const response: JsonObject = { message: failure.message };
	return new NodeApiError(node, response, { ...failure, itemIndex, level: 'warning' });
}

/** Converts a thrown value to an error of the node, if it is not one already. */
export function nodeError(
	node: INode,
	error: unknown,
	itemIndex: number,
): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) {
		error.context.itemIndex ??= itemIndex;
		return error;
	}
	const cause = error instanceof Error ? error : new Error(String(error));
	return new NodeOperationError(node, cause, { itemIndex });
}

/** Cuts a text of another program to a length that fits an error. */
export function clipped(text: string, longest = LONGEST_TEXT): string {
	return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

interface Cause {
	text: string;
	all: string;
}

/** Lists an error and its causes: n8n wraps what the HTTP client throws, twice at most. */
function causes(error: unknown): Cause[] {
	const chain: Cause[] = [];
	let current = error;
	while (typeof current === 'object' && current !== null && chain.length < 6) {
		const { name, message, code, description, cause, messages } = current as Record<
			string,
			unknown
		>;
		const text = [message, description].filter((part) => typeof part === 'string' && part !== '');
		chain.push({
			text: text.join('. '),
			all: [name, code, ...text, ...(Array.isArray(messages) ? messages : [])].join(' '),
		});
		current = cause;
	}
	if (chain.length === 0) chain.push({ text: String(error), all: String(error) });
	return chain.filter((cause, at) => chain.findIndex((other) => other.all === cause.all) === at);
}

function hostOf(base: string): string {
	try {
		return new URL(base).hostname;
	} catch {
		return base;
	}
}

/** Returns the setting that permits a host: n8n compares IP addresses with ranges, never names. */
function ssrfSetting(host: string): string {
	const bare = host.replace(/^\[|\]$/g, '');
	if (/^[\d.]+$/.test(bare) || bare.includes(':')) {
		const range = `${bare}/${bare.includes(':') ? 128 : 32}`;
		return `N8N_SSRF_ALLOWED_IP_RANGES=${range} (a host name would go into N8N_SSRF_ALLOWED_HOSTNAMES)`;
	}
	return `N8N_SSRF_ALLOWED_HOSTNAMES=${host} (or its address range in N8N_SSRF_ALLOWED_IP_RANGES)`;
}

function announcedVersion({ headers, body }: HttpAnswer): string | undefined {
	const field = (body as { api_version?: unknown } | null | undefined)?.api_version;
	const announced =
		field ?? headers.api_version ?? headers['api-version'] ?? headers['x-api-version'];
	return typeof announced === 'string' || typeof announced === 'number'
		? String(announced)
		: undefined;
}

function major(version: string): string {
	return version.replace(/^v/i, '').split('.')[0] ?? '';
}

function sidecarError(body: unknown): { code: string; text: string; help?: string } | undefined {
	const error = (body as { error?: unknown } | null | undefined)?.error;
	if (typeof error !== 'object' || error === null) return undefined;
	const { code, message, help, at } = error as Record<string, unknown>;
	if (typeof message !== 'string') return undefined;
	const place = typeof at === 'string' && at !== '' ? ` (at ${at})` : '';
	return {
		code: String(code),
		text: `${message}${place}`,
		help: typeof help === 'string' && help !== '' ? help : undefined,
	};
}
