/** Runs a Redis server for each run of a rehearsal, and records the commands that nodes send to it. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

const MAX_BYTES = 20_000_000;
const MEMORY = '128mb';
const START_MS = 10_000;
const POLL_MS = 10;
// Commands of a client library about its connection say nothing about the workflow.
const TECHNICAL = new Set(['auth', 'client', 'hello', 'ping', 'quit', 'select', 'info', 'command']);
const SOURCE = 'a Redis server that begins empty';

/** Splits what a client sends into commands (https://redis.io/docs/latest/develop/reference/protocol-spec/). */
class CommandReader {
	#rest = Buffer.alloc(0);

	/**
	 * Yields the words of each complete command with its bytes.
	 * @param {Buffer} chunk
	 */
	*read(chunk) {
		this.#rest = Buffer.concat([this.#rest, chunk]);
		if (this.#rest.length > MAX_BYTES) throw new Error('a command is too long');
		for (;;) {
			const parsed = this.#readOne();
			if (!parsed) return;
			const raw = this.#rest.subarray(0, parsed.end);
			this.#rest = this.#rest.subarray(parsed.end);
			yield { words: parsed.words, raw };
		}
	}

	#readOne() {
		const head = this.#readNumber('*', 0);
		if (!head) return undefined;
		const words = [];
		let at = head.end;
		for (let left = head.number; left > 0; left -= 1) {
			const length = this.#readNumber('$', at);
			if (!length) return undefined;
			at = length.end + length.number + 2;
			if (this.#rest.length < at) return undefined;
			words.push(this.#rest.subarray(length.end, at - 2).toString());
		}
		return { words, end: at };
	}

	/**
	 * @param {string} letter
	 * @param {number} at
	 */
	#readNumber(letter, at) {
		const end = this.#rest.indexOf('\r\n', at);
		if (end < 0) return undefined;
		const line = this.#rest.subarray(at, end).toString();
		const number = Number(line.slice(1));
		if (line[0] !== letter || !Number.isInteger(number) || number < 0) {
			throw new Error('not a command of the Redis protocol');
		}
		return { number, end: end + 2 };
	}
}

/** A Redis server that listens on a socket in a folder of its own, and keeps nothing on disk. */
class Redis {
	/** @type {import('node:child_process').ChildProcess | undefined} */
	#process;
	#folder = '';
	#run = 0;
	#starting = Promise.resolve();
	#home;

	/** @param {string} home */
	constructor(home) {
		this.#home = home;
	}

	/**
	 * Returns the path of the socket of a server that is fresh in each run.
	 * @param {number} run
	 */
	async open(run) {
		this.#starting = this.#starting.then(() => this.#ensure(run));
		await this.#starting;
		return join(this.#folder, 'redis.sock');
	}

	/** @param {number} run */
	async #ensure(run) {
		if (this.#process?.exitCode === null && run === this.#run) return;
		this.#process?.kill('SIGKILL');
		if (this.#folder) await rm(this.#folder, { recursive: true, force: true });
		this.#folder = await mkdtemp(join(this.#home, 'redis-'));
		const path = join(this.#folder, 'redis.sock');
		const options = ['--port', '0', '--unixsocket', path, '--save', '', '--dir', this.#folder];
		const limits = ['--maxmemory', MEMORY, '--maxmemory-policy', 'noeviction'];
		const child = spawn('redis-server', [...options, ...limits], { stdio: 'ignore' });
		let reason = '';
		child.on('error', (error) => {
			reason = error.message;
		});
		this.#process = child;
		for (let waited = 0; waited < START_MS; waited += POLL_MS) {
			if (reason || child.exitCode !== null) break;
			if (await canConnect(path)) {
				this.#run = run;
				return;
			}
			await new Promise((resolve) => setTimeout(resolve, POLL_MS));
		}
		throw new Error(`redis-server does not start: ${reason || child.exitCode}`);
	}
}

/**
 * @param {string} path
 * @returns {Promise<boolean>}
 */
function canConnect(path) {
	return new Promise((resolve) => {
		const socket = connect(path, () => {
			socket.destroy();
			resolve(true);
		});
		socket.on('error', () => resolve(false));
	});
}

/**
 * Returns the function that serves a client.
 * @param {import('./log.js').Log} log
 * @param {string} home
 * @returns {import('./log.js').Serve}
 */
export function serveRedis(log, home) {
	const redis = new Redis(home);
	return (socket) => new Client(socket, log, redis);
}

class Client {
	#socket;
	#log;
	#redis;
	#reader = new CommandReader();
	#work = Promise.resolve();
	#user = '';
	#run = 0;
	/** @type {import('node:net').Socket | undefined} */
	#server;

	/**
	 * @param {import('node:net').Socket} socket
	 * @param {import('./log.js').Log} log
	 * @param {Redis} redis
	 */
	constructor(socket, log, redis) {
		this.#socket = socket;
		this.#log = log;
		this.#redis = redis;
		socket.on('data', (chunk) => {
			this.#work = this.#work.then(() => this.#take(chunk)).catch((error) => {
				socket.end(`-ERR ${String(error.message).replaceAll(/\s+/g, ' ')}\r\n`);
			});
		});
		socket.on('close', () => this.#server?.destroy());
	}

	/** @param {Buffer} chunk */
	async #take(chunk) {
		for (const { words, raw } of this.#reader.read(chunk)) await this.#carryOut(words, raw);
	}

	/**
	 * @param {string[]} words
	 * @param {Buffer} raw
	 */
	async #carryOut(words, raw) {
		const name = (words[0] ?? '').toLowerCase();
		if (name === 'auth') {
			this.#user = words[1] ?? '';
			this.#socket.write('+OK\r\n');
			return;
		}
		const { run, fault } = await this.#log.begin(this.#user);
		if (!run || fault === 'cut') {
			this.#socket.destroy();
			return;
		}
		const isTechnical = TECHNICAL.has(name);
		if (!isTechnical) await this.#record(words, Boolean(fault));
		if (fault && !isTechnical) {
			this.#socket.write('-ERR the fault that is asked for\r\n');
			return;
		}
		const server = await this.#connect(run);
		server.write(raw);
	}

	/**
	 * @param {string[]} words
	 * @param {boolean} isFault
	 */
	#record(words, isFault) {
		return this.#log.record({
			method: 'REDIS',
			user: this.#user,
			path: '',
			body: words,
			at: Date.now(),
			status: isFault ? 500 : 200,
			answer: isFault ? 'the fault that is asked for' : null,
			source: SOURCE,
		});
	}

	/** @param {number} run */
	async #connect(run) {
		if (this.#server && this.#run === run) return this.#server;
		this.#server?.destroy();
		const server = connect(await this.#redis.open(run));
		server.on('data', (chunk) => this.#socket.write(chunk));
		server.on('error', () => this.#socket.destroy());
		server.on('close', () => {
			if (this.#server === server) this.#socket.end();
		});
		this.#run = run;
		this.#server = server;
		return server;
	}
}
