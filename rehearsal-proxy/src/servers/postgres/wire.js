/** Reads and writes messages of PostgreSQL's protocol, version 3. */

const SSL_REQUEST = 80877103;
const GSS_REQUEST = 80877104;
const CANCEL_REQUEST = 80877102;
const MAX_MESSAGE_BYTES = 20_000_000;

/** @typedef {{type: string, body: Buffer, raw: Buffer}} Message */

/** Splits what a client sends into messages; the first ones have no type. */
export class ClientReader {
	#rest = Buffer.alloc(0);
	#isStarted = false;

	/**
	 * Yields the messages that are complete: `start`, `tls`, `cancel`, or one of the protocol's types.
	 * @param {Buffer} chunk
	 * @returns {Generator<Message>}
	 */
	*read(chunk) {
		this.#rest = Buffer.concat([this.#rest, chunk]);
		for (;;) {
			const head = this.#isStarted ? 1 : 0;
			if (this.#rest.length < head + 4) return;
			const length = this.#rest.readInt32BE(head);
			if (length < 4 || length > MAX_MESSAGE_BYTES) throw new Error('a message is too long');
			if (this.#rest.length < head + length) return;
			const raw = this.#rest.subarray(0, head + length);
			this.#rest = this.#rest.subarray(head + length);
			const body = raw.subarray(head + 4);
			yield { type: head ? String.fromCharCode(raw[0] ?? 0) : this.#readStart(body), body, raw };
		}
	}

	/** @param {Buffer} body */
	#readStart(body) {
		const code = body.length >= 4 ? body.readInt32BE(0) : 0;
		if (code === SSL_REQUEST || code === GSS_REQUEST) return 'tls';
		if (code === CANCEL_REQUEST) return 'cancel';
		this.#isStarted = true;
		return 'start';
	}
}

/**
 * Returns the parameters of a start message.
 * @param {Buffer} body
 */
export function readStart(body) {
	const texts = body.subarray(4).toString().split('\0');
	/** @type {Record<string, string>} */
	const parameters = {};
	for (let at = 0; at + 1 < texts.length; at += 2) parameters[texts[at] ?? ''] = texts[at + 1] ?? '';
	return parameters;
}

/**
 * Yields the messages that a server sends.
 * @param {Uint8Array} bytes
 */
export function* readReply(bytes) {
	const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	for (let at = 0; at + 5 <= buffer.length; ) {
		const end = at + 1 + buffer.readInt32BE(at + 1);
		yield { type: String.fromCharCode(buffer[at] ?? 0), body: buffer.subarray(at + 5, end) };
		at = end;
	}
}

/**
 * Returns the fields of an error by their letter: `C` is the code, `M` the message, `P` the position.
 * @param {Buffer} body
 */
export function readError(body) {
	/** @type {Record<string, string>} */
	const fields = {};
	for (const text of body.toString().split('\0')) if (text) fields[text[0] ?? ''] = text.slice(1);
	return fields;
}

/**
 * Returns the statement of a Parse message, or the text of a Query message.
 * @param {Message} message
 */
export function readStatement(message) {
	const texts = message.body.toString().split('\0');
	return message.type === 'P' ? { name: texts[0] ?? '', text: texts[1] ?? '' } : { name: '', text: texts[0] ?? '' };
}

/**
 * Returns the values of a Bind message as texts, and the statement that they belong to.
 * @param {Buffer} body
 */
export function readBind(body) {
	const portalEnd = body.indexOf(0);
	const nameEnd = body.indexOf(0, portalEnd + 1);
	const name = body.subarray(portalEnd + 1, nameEnd).toString();
	let at = nameEnd + 1;
	const formats = body.readInt16BE(at);
	at += 2 + 2 * formats;
	const values = [];
	for (let left = body.readInt16BE(at), offset = at + 2; left > 0; left -= 1) {
		const length = body.readInt32BE(offset);
		offset += 4;
		values.push(length < 0 ? null : body.subarray(offset, offset + length).toString());
		offset += Math.max(length, 0);
	}
	return { name, values };
}

/**
 * @param {string} type
 * @param {Buffer} body
 */
function writeMessage(type, body) {
	const head = Buffer.alloc(5);
	head.write(type, 'latin1');
	head.writeInt32BE(body.length + 4, 1);
	return Buffer.concat([head, body]);
}

/** @param {Record<string, string>} parameters */
export function writeWelcome(parameters) {
	const statuses = Object.entries(parameters).map(([name, value]) =>
		writeMessage('S', Buffer.from(`${name}\0${value}\0`)),
	);
	return Buffer.concat([
		writeMessage('R', Buffer.alloc(4)),
		...statuses,
		writeMessage('K', Buffer.alloc(8)),
		writeReady('I'),
	]);
}

/** @param {string} status `I` outside of a transaction, `T` in one, `E` in one that failed */
export function writeReady(status) {
	return writeMessage('Z', Buffer.from(status));
}

/**
 * @param {string} code
 * @param {string} message
 */
export function writeError(code, message) {
	const fields = { S: 'ERROR', V: 'ERROR', C: code, M: message };
	const texts = Object.entries(fields).map(([letter, text]) => `${letter}${text}\0`);
	return writeMessage('E', Buffer.from(`${texts.join('')}\0`));
}
