/** Sends HTTP requests to the sidecar of the credential. */

import type { IDataObject, IExecuteFunctions, IHttpRequestMethods } from 'n8n-workflow';

import { apiError, refused, unanswered } from './errors';
import type { HttpAnswer } from './errors';

export const CREDENTIAL = 'groundedBuilderApi';

/** The connection of one item to the sidecar. */
export interface Sidecar {
	/** Returns the body of a success; every failure is a NodeApiError that states the remedy. */
	call<T>(method: IHttpRequestMethods, path: string, body?: object): Promise<T>;
	/** Sends a request and ignores its failure, which must not hide an earlier error. */
	send(method: IHttpRequestMethods, path: string): Promise<void>;
}

/** Connects one item to the sidecar of the credential; an answer may take `seconds`. */
export async function connect(
	context: IExecuteFunctions,
	itemIndex: number,
	seconds: number,
): Promise<Sidecar> {
	const credential = await context.getCredentials(CREDENTIAL, itemIndex);
	const base = trimmedBase(String(credential.baseUrl ?? ''));

	const request = async (
		method: IHttpRequestMethods,
		path: string,
		body?: object,
	): Promise<HttpAnswer> => {
		const answer = (await context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, {
			method,
			url: `${base}${path}`,
			body: body as IDataObject | undefined,
			json: true,
			timeout: seconds * 1000,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			sendCredentialsOnCrossOriginRedirect: false,
		})) as { statusCode: number; headers: Record<string, unknown>; body: unknown };
		return { status: answer.statusCode, headers: answer.headers, body: answer.body };
	};

	return {
		async call<T>(method: IHttpRequestMethods, path: string, body?: object): Promise<T> {
			const route = `${method} ${path}`;
			let answer: HttpAnswer;
			try {
				answer = await request(method, path, body);
			} catch (error) {
				throw apiError(context.getNode(), unanswered(error, base, route), itemIndex);
			}
			const failure = refused(answer, base, route);
			if (failure !== undefined) throw apiError(context.getNode(), failure, itemIndex);
			return answer.body as T;
		},
		async send(method: IHttpRequestMethods, path: string): Promise<void> {
			await request(method, path).catch(() => undefined);
		},
	};
}

/** Drops spaces, slashes and a trailing /v1; the credential's test trims the same way. */
export function trimmedBase(url: string): string {
	return url.trim().replace(/(\/v1)?\/*$/, '');
}
