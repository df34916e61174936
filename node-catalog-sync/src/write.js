/** Writes a catalog as JSON Lines to a file or standard output, or sends it to a sidecar. */

/** @import {Catalog} from './types.js' */

import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { SyncError } from './sync-error.js';

const PUSH_TIME_LIMIT_MS = 120_000;

/**
 * @param {Catalog} catalog
 * @returns {string} header, credentials, tools, end; each on a line
 */
export function serialise({ header, credentials, tools }) {
  const end = { kind: 'end', tools: tools.length, credentials: credentials.length };
  return `${[header, ...credentials, ...tools, end].map((line) => JSON.stringify(line)).join('\n')}\n`;
}

/**
 * Replaces the file in one step: a reader sees the old catalog or the new one.
 * @param {string} file or `-`
 * @param {string} text
 */
export async function writeCatalog(file, text) {
  if (file === '-') {
    await new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve(undefined)));
    });
    return;
  }
  const partial = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.part`);
  try {
    await writeFile(partial, text);
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw new SyncError(`cannot write ${file}: ${reason(error)}`, 'name a writable file with --output');
  }
}

/**
 * Sends the catalog to a sidecar.
 * @param {string} url of the sidecar, e.g. `http://127.0.0.1:8377`
 * @param {string} text
 * @param {string | undefined} token
 * @returns {Promise<string>} what the sidecar answered
 */
export async function pushCatalog(url, text, token) {
  const target = `${url.replace(/\/+$/, '')}/v1/n8n/catalog`;
  /** @type {Response} */
  let response;
  try {
    response = await fetch(target, {
      method: 'PUT',
      headers: {
        'content-type': 'application/x-ndjson',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: text,
      signal: AbortSignal.timeout(PUSH_TIME_LIMIT_MS),
    });
  } catch (error) {
    throw new SyncError(`cannot reach ${target}: ${reason(error)}`, 'check that the sidecar is running there');
  }
  const answer = (await response.text()).slice(0, 2000);
  if (response.ok) return answer;
  const help =
    response.status === 401 || response.status === 403
      ? 'set GROUNDED_TOKEN to a token with the admin scope'
      : 'read the answer and the log of the sidecar';
  throw new SyncError(`${target} answered ${response.status}: ${answer}`, help);
}

/** @param {unknown} error */
function reason(error) {
  const cause = error instanceof Error ? /** @type {{cause?: unknown}} */ (error).cause : undefined;
  if (cause instanceof Error) return cause.message || String(cause);
  return error instanceof Error ? error.message : String(error);
}
