/** Gives each run a fresh database, and makes the tables and columns that its statements name. */
import { DatabaseError, Engine } from './engine.js';
import { readError, readReply, writeError, writeReady } from './wire.js';
import { Tables } from './tables.js';

const MAX_REPAIRS = 60;
const MAX_REPLY_BYTES = 8_000_000;
const RESET = `DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT nspname FROM pg_namespace
    WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema' LOOP
    EXECUTE format('DROP SCHEMA %I CASCADE', name);
  END LOOP;
END $$;
CREATE SCHEMA public; CREATE EXTENSION IF NOT EXISTS vector;`;

export class Database {
	#engine = new Engine();
	#run = 0;
	#tables = new Tables(this.#engine);
	/** @type {object | undefined} */
	#holder;
	#status = 'I';
	/** @type {(() => void)[]} */
	#waiting = [];

	/**
	 * Carries out a batch of messages and returns the reply, with what was made for it.
	 * @param {object} client
	 * @param {import('../log.js').Turn} turn
	 * @param {string} text the statements of the batch
	 * @param {import('./wire.js').Message[]} batch
	 * @returns {Promise<{reply: Uint8Array, made: string[]}>}
	 */
	async carryOut(client, turn, text, batch) {
		await this.#take(client);
		try {
			if (turn.run !== this.#run || !this.#engine.isRunning) await this.#reset(turn);
			if (this.#status !== 'E') await this.#tables.yieldTo(text);
			const bytes = Buffer.concat(batch.map((message) => message.raw));
			return await this.#send(text, bytes);
		} catch (error) {
			if (!(error instanceof DatabaseError)) throw error;
			this.#run = 0;
			this.#status = 'I';
			return { reply: Buffer.concat([writeError(error.code, error.message), writeReady('I')]), made: [] };
		} finally {
			if (this.#status === 'I') this.#free();
		}
	}

	/**
	 * Ends the transaction of a client that leaves.
	 * @param {object} client
	 */
	async leave(client) {
		if (this.#holder !== client) return;
		this.#status = 'I';
		try {
			await this.#engine.run('ROLLBACK');
		} finally {
			this.#free();
		}
	}

	/** @param {object} client */
	async #take(client) {
		while (this.#holder && this.#holder !== client) {
			await new Promise((resolve) => {
				this.#waiting.push(() => resolve(undefined));
			});
		}
		this.#holder = client;
	}

	#free() {
		this.#holder = undefined;
		this.#waiting.shift()?.();
	}

	/** @param {import('../log.js').Turn} turn */
	async #reset(turn) {
		await this.#engine.run('ROLLBACK');
		await this.#engine.run('DISCARD ALL');
		await this.#engine.run(RESET);
		this.#tables = new Tables(this.#engine);
		await this.#tables.prepare(turn.setup?.tables ?? []);
		this.#run = turn.run;
	}

	/**
	 * Sends a batch; makes what it lacks and sends it again, as long as that helps.
	 * @param {string} text
	 * @param {Buffer} bytes
	 */
	async #send(text, bytes) {
		const inTransaction = this.#status === 'T';
		/** @type {string[]} */
		const made = [];
		if (inTransaction) await this.#engine.run('SAVEPOINT rehearsal');
		for (let count = 0; ; count += 1) {
			const reply = await this.#engine.sendRaw(bytes);
			if (reply.length > MAX_REPLY_BYTES) throw new DatabaseError('53200', 'the answer is too long');
			const messages = [...readReply(reply)];
			const error = messages.find((message) => message.type === 'E');
			const status = messages.findLast((message) => message.type === 'Z')?.body.toString() ?? 'I';
			const cause = error ? readError(error.body) : undefined;
			const tag = messages.findLast((message) => message.type === 'C')?.body.toString() ?? '';
			const repaired =
				count < MAX_REPAIRS && (inTransaction || status === 'I')
					? await this.#mend(text, cause, tag, inTransaction)
					: '';
			if (!repaired) {
				this.#status = status;
				if (inTransaction && status === 'T') await this.#engine.run('RELEASE SAVEPOINT rehearsal');
				return { reply, made };
			}
			made.push(repaired);
		}
	}

	/**
	 * Makes what a statement lacked; returns what it made, nothing where it can make nothing.
	 * @param {string} text
	 * @param {Record<string, string> | undefined} cause
	 * @param {string} tag
	 * @param {boolean} inTransaction
	 */
	async #mend(text, cause, tag, inTransaction) {
		if (!cause) return this.#tables.fill(text, tag);
		if (!this.#tables.canRepair(cause)) return '';
		if (inTransaction) await this.#engine.run('ROLLBACK TO SAVEPOINT rehearsal');
		const made = await this.#tables.repair(text, cause);
		// What was made stays when the next attempt is rolled back too.
		if (inTransaction) await this.#engine.run('RELEASE SAVEPOINT rehearsal; SAVEPOINT rehearsal');
		return made;
	}
}
