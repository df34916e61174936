/**
 * Serves the clients of one PostgreSQL in memory.
 *
 * The database has one session, which the clients share: a transaction of one delays the others.
 */
import { Database } from './database.js';
import { ClientReader, readBind, readError, readReply, readStart, readStatement, writeError, writeReady, writeWelcome } from './wire.js';

const VERSION = '17.0';
const LETTERS = { BEGIN_BATCH: 'PBDECH', END_BATCH: 'QS' };

/**
 * Returns the function that serves a client.
 * @param {import('../log.js').Log} log
 * @returns {import('../log.js').Serve}
 */
export function servePostgres(log) {
	const database = new Database();
	return (socket) => new Client(socket, log, database);
}

class Client {
	#socket;
	#log;
	#database;
	#reader = new ClientReader();
	#work = Promise.resolve();
	/** @type {import('./wire.js').Message[]} */
	#batch = [];
	/** @type {Map<string, string>} */
	#statements = new Map();
	#user = '';
	#name = '';

	/**
	 * @param {import('node:net').Socket} socket
	 * @param {import('../log.js').Log} log
	 * @param {Database} database
	 */
	constructor(socket, log, database) {
		this.#socket = socket;
		this.#log = log;
		this.#database = database;
		socket.on('data', (chunk) => {
			this.#work = this.#work.then(() => this.#take(chunk)).catch(() => {
				socket.destroy();
			});
		});
		socket.on('close', () => {
			this.#work = this.#work.then(() => database.leave(this)).catch(() => undefined);
		});
	}

	/** @param {Buffer} chunk */
	async #take(chunk) {
		for (const message of this.#reader.read(chunk)) {
			if (message.type === 'tls') this.#socket.write('N');
			else if (message.type === 'cancel' || message.type === 'X') this.#socket.end();
			else if (message.type === 'start') this.#greet(message.body);
			else if (LETTERS.BEGIN_BATCH.includes(message.type)) this.#batch.push(message);
			else if (LETTERS.END_BATCH.includes(message.type)) {
				const batch = [...this.#batch, message];
				this.#batch = [];
				await this.#carryOut(batch);
			}
		}
	}

	/** @param {Buffer} body */
	#greet(body) {
		const { user = '', database = user } = readStart(body);
		this.#user = user;
		this.#name = database;
		const welcome = {
			server_version: VERSION,
			server_encoding: 'UTF8',
			client_encoding: 'UTF8',
			DateStyle: 'ISO, MDY',
			integer_datetimes: 'on',
			standard_conforming_strings: 'on',
			TimeZone: 'UTC',
		};
		this.#socket.write(writeWelcome(welcome));
	}

	/** @param {import('./wire.js').Message[]} batch */
	async #carryOut(batch) {
		const at = Date.now();
		const queries = this.#listQueries(batch);
		const turn = await this.#log.begin(this.#user);
		if (turn.fault === 'cut' || !turn.run) {
			this.#socket.destroy();
			return;
		}
		const text = queries.map((query) => query.sql).join(';\n');
		const { reply, made } = turn.fault
			? { reply: refuse(), made: [] }
			: await this.#database.carryOut(this, turn, text, batch);
		await this.#record(queries, [...readReply(reply)], at, made);
		this.#socket.write(reply);
	}

	/**
	 * Returns the statements that a batch executes, with the values that are bound to them.
	 * @param {import('./wire.js').Message[]} batch
	 */
	#listQueries(batch) {
		/** @type {{sql: string, values?: (string | null)[]}[]} */
		const queries = [];
		for (const message of batch) {
			if (message.type === 'Q') queries.push({ sql: readStatement(message).text });
			if (message.type === 'P') {
				const { name, text } = readStatement(message);
				this.#statements.set(name, text);
			}
			if (message.type === 'B') {
				const { name, values } = readBind(message.body);
				const sql = this.#statements.get(name) ?? '';
				queries.push(values.length ? { sql, values } : { sql });
			}
		}
		return queries;
	}

	/**
	 * @param {{sql: string, values?: (string | null)[]}[]} queries
	 * @param {{type: string, body: Buffer}[]} reply
	 * @param {number} at
	 * @param {string[]} made
	 */
	async #record(queries, reply, at, made) {
		const error = reply.find((message) => message.type === 'E');
		const tags = reply
			.filter((message) => message.type === 'C')
			.map((message) => message.body.toString().replace('\0', ''));
		const answer = error ? { error: readError(error.body).M } : { done: tags };
		for (const query of queries) {
			await this.#log.record({
				method: 'SQL',
				user: this.#user,
				path: this.#name,
				body: query.values ? query : query.sql,
				at,
				status: error ? 500 : 200,
				answer,
				source: `PostgreSQL in memory${made.length ? `; made for the rehearsal: ${made.join(', ')}` : ''}`,
			});
		}
	}
}

function refuse() {
	return Buffer.concat([writeError('58000', 'the fault that is asked for'), writeReady('I')]);
}
