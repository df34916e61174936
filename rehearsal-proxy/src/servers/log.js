/** Tells the process that answers what a node sends by a protocol other than HTTP. */

/** @typedef {(socket: import('node:net').Socket) => void} Serve */

/**
 * @typedef {object} Turn what the process that answers states before something is carried out
 * @property {number} run the number of the run, 0 outside of rehearsals
 * @property {string} fault an error to answer with, or nothing
 * @property {any} setup what the workflow says about the content of the server
 */

/**
 * @typedef {object} Deed what a node sent, and what it got
 * @property {string} method
 * @property {string} user the name with which the node logged in
 * @property {string} path
 * @property {unknown} body
 * @property {number} at milliseconds since 1970
 * @property {number} status 200, or 500 for an error
 * @property {unknown} answer
 * @property {string} source
 */

const MAX_TEXT = 20_000_000;

/** The record of one server. */
export class Log {
	#answers;
	#protocol;
	#port;

	/**
	 * @param {import('../answers.js').Answers} answers
	 * @param {string} protocol
	 * @param {number} port
	 */
	constructor(answers, protocol, port) {
		this.#answers = answers;
		this.#protocol = protocol;
		this.#port = port;
	}

	/**
	 * Asks in which run something arrives, and whether the node is to get an error.
	 * @param {string} user
	 * @returns {Promise<Turn>}
	 */
	begin(user) {
		return this.#answers.ask({ server: this.#protocol, url: this.#url(user, '') });
	}

	/**
	 * Records what was carried out, before the node gets its answer.
	 * @param {Deed} deed
	 */
	async record(deed) {
		const body = JSON.stringify(deed.body) ?? '';
		const answer = JSON.stringify(deed.answer) ?? '';
		await this.#answers.ask({
			server: this.#protocol,
			method: deed.method,
			url: this.#url(deed.user, deed.path),
			headers: [['content-type', 'application/json']],
			body: Buffer.from(body.slice(0, MAX_TEXT)).toString('base64'),
			at: deed.at,
			status: deed.status,
			answer: Buffer.from(answer.slice(0, MAX_TEXT)).toString('base64'),
			source: deed.source,
		});
	}

	/**
	 * @param {string} user
	 * @param {string} path
	 */
	#url(user, path) {
		const login = user ? `${encodeURIComponent(user)}@` : '';
		return `${this.#protocol}://${login}127.0.0.1:${this.#port}/${path}`;
	}
}
