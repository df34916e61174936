/**
 * Serves an intercepting proxy that forwards nothing: each request goes to a Unix socket as one
 * line of JSON, and the line that comes back is the answer.
 *
 * The first line of standard input is `{"socket", "authority", "port"}`: the socket of the answers,
 * the file for the certificate of the proxy's own authority, and the port, 0 for any. The first
 * line of standard output is `{"port"}`. The program ends with its standard input.
 */
import { writeFile } from 'node:fs/promises';
import { connect, Server } from 'node:net';
import { createInterface } from 'node:readline';

import { generateCACertificate, getLocal } from 'mockttp';

import { Answers } from './answers.js';

const MAX_BODY_BYTES = 20_000_000;

/**
 * Answers one request by asking; a request that has no answer is cut off.
 * @param {Answers} answers
 * @param {import('mockttp').CompletedRequest} request
 */
async function answer(answers, request) {
	const body = await request.body.getDecodedBuffer().catch(() => request.body.buffer);
	const reply = await answers.ask({
		method: request.method,
		url: request.url,
		headers: request.rawHeaders,
		body: (body ?? Buffer.alloc(0)).toString('base64'),
		at: Date.now(),
	});
	if (reply.delay_ms) await new Promise((resolve) => setTimeout(resolve, reply.delay_ms));
	if (reply.cut) return /** @type {const} */ ('close');
	return {
		statusCode: reply.status,
		headers: reply.headers,
		rawBody: Buffer.from(reply.body, 'base64'),
	};
}

/** Lets the servers of this process listen on loopback alone; mockttp has no option for it. */
function listenOnLoopback() {
	const listen = /** @type {(options: object) => Server} */ (Server.prototype.listen);
	/** @type {any} */ (Server.prototype).listen = function listenLocally(/** @type {number} */ port) {
		return listen.call(this, { port, host: '127.0.0.1' });
	};
}

/** @param {{socket: string, authority: string, port: number}} settings */
async function serve(settings) {
	const authority = await generateCACertificate({
		subject: { commonName: 'Grounded Builder rehearsal' },
	});
	await writeFile(settings.authority, authority.cert);
	const answers = new Answers(connect(settings.socket));
	const server = getLocal({
		https: authority,
		maxBodySize: MAX_BODY_BYTES,
		recordTraffic: false,
		suggestChanges: false,
	});
	listenOnLoopback();
	await server.start(settings.port || undefined);
	await server.forAnyRequest().thenCallback((request) => answer(answers, request));
	await server.forAnyWebSocket().thenCloseConnection();
	process.stdout.write(`${JSON.stringify({ port: server.port })}\n`);
}

const input = createInterface({ input: process.stdin });
input.once('line', (line) => {
	void serve(JSON.parse(line));
	input.on('close', () => process.exit(0));
});
