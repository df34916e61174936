/** Runs a PostgreSQL in memory, in a thread of its own that can be ended while a query runs. */
import { parentPort } from 'node:worker_threads';

import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';

const port = parentPort;
if (!port) throw new Error('this program is a worker thread');

const database = await PGlite.create({ extensions: { vector } });

/** @type {Record<string, (content: any) => Promise<unknown>>} */
const ACTIONS = {
	raw: (bytes) => database.execProtocolRaw(bytes, { syncToFs: false }),
	exec: (text) => database.exec(text),
	query: async ({ text, values }) => (await database.query(text, values)).rows,
};

port.on('message', async ({ id, action, content }) => {
	try {
		port.postMessage({ id, result: await ACTIONS[action]?.(content) });
	} catch (error) {
		const { code, message } = /** @type {{code?: string, message: string}} */ (error);
		port.postMessage({ id, error: { code: code ?? '', message } });
	}
});
