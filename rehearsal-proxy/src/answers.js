/** Connects to the process that answers in place of services: one line of JSON each way. */
import { createInterface } from 'node:readline';

/** The connection to the process that answers; requests are matched to answers by number. */
export class Answers {
	#pending = new Map();
	#next = 1;
	#socket;

	/** @param {import('node:net').Socket} socket */
	constructor(socket) {
		this.#socket = socket;
		createInterface({ input: socket }).on('line', (line) => {
			const answer = JSON.parse(line);
			this.#pending.get(answer.id)?.(answer);
			this.#pending.delete(answer.id);
		});
		socket.on('close', () => process.exit(0));
		socket.on('error', () => process.exit(1));
	}

	/**
	 * Sends a request and waits for its answer.
	 * @param {object} request
	 * @returns {Promise<any>}
	 */
	ask(request) {
		const id = this.#next++;
		return new Promise((resolve) => {
			this.#pending.set(id, resolve);
			this.#socket.write(`${JSON.stringify({ ...request, id })}\n`);
		});
	}
}
