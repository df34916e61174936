/** Runs a script of this package in a child process with an empty environment and strict limits. */

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const MOST_ANSWER_BYTES = 128 * 1024 * 1024;
const MOST_HEAP_MB = 1024;
const MOST_ERROR_CHARS = 600;

/**
 * @typedef {object} Limits
 * @property {number} timeLimitMs
 * @property {string[]} [modulePaths] folders for NODE_PATH
 * @property {boolean} [confined] no writes outside a scratch folder, no processes, no threads
 */

/**
 * The value of a child or its failure, with the signal that ended it unless this process sent it.
 * @typedef {{value: unknown} | {error: string, signal?: NodeJS.Signals}} Answer
 */

/**
 * Sends `task` as JSON on stdin and reads one JSON value from descriptor 3; whatever the child
 * prints is not part of the answer.
 *
 * @param {URL} script
 * @param {unknown} task
 * @param {Limits} limits
 * @returns {Promise<Answer>} never rejects for what the child does
 */
export async function runChild(script, task, limits) {
  const scratch = await mkdtemp(path.join(tmpdir(), 'node-catalog-sync-'));
  try {
    return await run(fileURLToPath(script), JSON.stringify(task), limits, scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * @param {string} script
 * @param {string} input
 * @param {Limits} limits
 * @param {string} scratch
 * @returns {Promise<Answer>}
 */
function run(script, input, { timeLimitMs, modulePaths = [], confined = false }, scratch) {
  const flags = [`--max-old-space-size=${MOST_HEAP_MB}`, '--no-warnings'];
  if (confined) {
    flags.push('--permission', '--allow-fs-read=*', `--allow-fs-write=${scratch}`, '--allow-addons');
  }
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...flags, script], {
      cwd: scratch,
      env: {
        HOME: scratch,
        TMPDIR: scratch,
        ...(modulePaths.length > 0 ? { NODE_PATH: modulePaths.join(path.delimiter) } : {}),
      },
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    });
    /** @type {Buffer[]} */
    const chunks = [];
    let size = 0;
    let printed = '';
    let cause = '';
    /** @param {string} why */
    const stop = (why) => {
      cause ||= why;
      child.kill('SIGKILL');
    };
    const timer = setTimeout(
      () => stop(`did not finish loading within ${timeLimitMs / 1000} s`),
      timeLimitMs,
    );
    const answers = /** @type {import('node:stream').Readable} */ (child.stdio[3]);
    answers.on('data', (chunk) => {
      size += chunk.length;
      if (size > MOST_ANSWER_BYTES) stop('describes itself in more than 128 MB');
      else chunks.push(chunk);
    });
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      printed = (printed + text).slice(-4000);
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    child.on('error', (error) => stop(error.message));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (cause) return resolve({ error: cause });
      if (signal !== null) return resolve({ error: failure(printed, code, signal), signal });
      if (code !== 0) return resolve({ error: failure(printed, code, signal) });
      try {
        resolve({ value: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
      } catch {
        resolve({ error: 'ended before it had described its nodes' });
      }
    });
  });
}

/**
 * @param {string} printed
 * @param {number | null} code
 * @param {NodeJS.Signals | null} signal
 */
function failure(printed, code, signal) {
  if (/heap out of memory|Reached heap limit/.test(printed)) return 'needs too much memory to load';
  const line = printed.split('\n').find((line) => /^(\w*Error|Uncaught)\b|Error:/.test(line.trim()));
  const reason = line?.trim() ?? `the process ended with ${signal ?? `code ${code}`}`;
  return reason.slice(0, MOST_ERROR_CHARS);
}
