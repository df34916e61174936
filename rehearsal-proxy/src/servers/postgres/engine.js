/** Keeps the thread of a PostgreSQL: started at the first query, ended by a query without an end. */
import { Worker } from 'node:worker_threads';

const QUERY_MS = 10_000;
const START_MS = 60_000;
const HEAP_MB = 256;

export class DatabaseError extends Error {
	/**
	 * @param {string} code
	 * @param {string} message
	 */
	constructor(code, message) {
		super(message);
		this.code = code;
	}
}

export class Engine {
	/** @type {Worker | undefined} */
	#worker;
	#pending = new Map();
	#next = 1;

	/** Whether a thread runs. */
	get isRunning() {
		return this.#worker !== undefined;
	}

	/**
	 * Sends messages of the protocol and returns those of the server.
	 * @param {Uint8Array} bytes
	 * @returns {Promise<Uint8Array>}
	 */
	sendRaw(bytes) {
		return this.#call('raw', bytes);
	}

	/**
	 * Carries out statements; throws DatabaseError.
	 * @param {string} text
	 * @returns {Promise<any>}
	 */
	run(text) {
		return this.#call('exec', text);
	}

	/**
	 * Returns the rows of a query; throws DatabaseError.
	 * @param {string} text
	 * @param {unknown[]} values
	 * @returns {Promise<any[]>}
	 */
	query(text, values) {
		return this.#call('query', { text, values });
	}

	/** Ends the thread, and with it all data. */
	async end() {
		const worker = this.#worker;
		this.#worker = undefined;
		await worker?.terminate();
	}

	/**
	 * @param {string} action
	 * @param {unknown} content
	 * @returns {Promise<any>}
	 */
	#call(action, content) {
		const limit = this.#worker ? QUERY_MS : START_MS;
		const worker = (this.#worker ??= this.#start());
		const id = this.#next++;
		return new Promise((resolve, reject) => {
			const timer = setTimeout(() => {
				void this.end();
				this.#fail(`a query takes more than ${limit / 1000} s`);
			}, limit);
			this.#pending.set(id, { resolve, reject, timer });
			worker.postMessage({ id, action, content });
		});
	}

	#start() {
		const worker = new Worker(new URL('./worker.js', import.meta.url), {
			resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
		});
		worker.on('message', ({ id, result, error }) => {
			const { resolve, reject, timer } = this.#pending.get(id) ?? {};
			this.#pending.delete(id);
			clearTimeout(timer);
			if (error) reject?.(new DatabaseError(error.code, error.message));
			else resolve?.(result);
		});
		worker.on('error', (error) => this.#lose(worker, error.message));
		worker.on('exit', () => this.#lose(worker, 'the database ended'));
		return worker;
	}

	/**
	 * @param {Worker} worker
	 * @param {string} reason
	 */
	#lose(worker, reason) {
		if (this.#worker !== worker) return;
		this.#worker = undefined;
		this.#fail(reason);
	}

	/** @param {string} reason */
	#fail(reason) {
		for (const { reject, timer } of this.#pending.values()) {
			clearTimeout(timer);
			reject(new DatabaseError('57014', reason));
		}
		this.#pending.clear();
	}
}
