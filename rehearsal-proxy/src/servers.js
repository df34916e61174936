/**
 * Serves the protocols other than HTTP that rehearsed nodes use, on loopback.
 *
 * The first argument is JSON: `ports` has the port of each protocol, and `home` is a folder to write
 * in. File descriptor 3 is the socket of the answers: it is told what each node sends, and states
 * in which run of a rehearsal it is. A server is loaded at its first connection. The first line of
 * standard output is `{}`, and the program ends with the socket.
 */
import { createServer, Socket } from 'node:net';

import { Answers } from './answers.js';
import { Log } from './servers/log.js';

/** @typedef {import('./servers/log.js').Serve} Serve */

const MAX_CONNECTIONS = 50;

/** @type {Record<string, (log: Log, home: string) => Promise<Serve>>} */
const SERVERS = {
	postgres: async (log) => (await import('./servers/postgres/server.js')).servePostgres(log),
	redis: async (log, home) => (await import('./servers/redis.js')).serveRedis(log, home),
	smtp: async (log) => (await import('./servers/smtp.js')).serveMail(log),
};

/**
 * Listens on a port of loopback, and loads the server when the first client connects.
 * @param {string} protocol
 * @param {number} port
 * @param {(socket: Socket) => Promise<Serve>} load
 */
function listen(protocol, port, load) {
	/** @type {Promise<Serve> | undefined} */
	let server;
	const listener = createServer((socket) => {
		socket.on('error', () => socket.destroy());
		server ??= load(socket);
		server.then(
			(serve) => serve(socket),
			(error) => {
				process.stderr.write(`${protocol}: ${error.stack}\n`);
				socket.destroy();
			},
		);
	});
	listener.maxConnections = MAX_CONNECTIONS;
	return new Promise((resolve) => {
		listener.listen(port, '127.0.0.1', () => resolve(undefined));
	});
}

/** @param {{home: string, ports: Record<string, number>}} settings */
async function serve(settings) {
	const answers = new Answers(new Socket({ fd: 3, readable: true, writable: true }));
	const listening = Object.entries(settings.ports).map(([protocol, port]) => {
		const load = SERVERS[protocol];
		if (!load) throw new Error(`there is no server of ${protocol}`);
		return listen(protocol, port, () => load(new Log(answers, protocol, port), settings.home));
	});
	await Promise.all(listening);
	process.stdout.write('{}\n');
}

await serve(JSON.parse(process.argv[2] ?? '{}'));
