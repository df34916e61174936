/** Runs `n8n export:nodes`, which lists the node types of n8n's own packages. */

/** @import {Description} from '../types.js' */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const TIME_LIMIT_MS = 120_000;
/** What of the caller's environment decides which node types n8n offers. */
const PASSED_ON = /^(PATH|LANG|TZ|NODES_EXCLUDE|NODES_INCLUDE|N8N_ENV_FEAT_\w+|N8N_DISABLED_MODULES|N8N_ENABLED_MODULES)$/;

/**
 * @param {string} n8nDir
 * @returns {boolean} whether this n8n has the command
 */
export function canExport(n8nDir) {
  return existsSync(path.join(n8nDir, 'dist/commands/export/nodes.js'));
}

/**
 * Runs under an empty user folder: no database, key or community package of the instance is
 * touched, and nothing of the caller's environment but switches of node types is passed on.
 *
 * @param {string} n8nDir
 * @param {Record<string, string | undefined>} env
 * @returns {Promise<Description[]>} under full ids, generated tools included
 */
export async function exportNodes(n8nDir, env) {
  const scratch = await mkdtemp(path.join(tmpdir(), 'node-catalog-sync-'));
  const output = path.join(scratch, 'nodes.json');
  try {
    await promisify(execFile)(
      process.execPath,
      [path.join(n8nDir, 'bin/n8n'), 'export:nodes', `--output=${output}`],
      {
        cwd: scratch,
        timeout: TIME_LIMIT_MS,
        killSignal: 'SIGKILL',
        maxBuffer: 16 * 1024 * 1024,
        env: {
          ...Object.fromEntries(Object.entries(env).filter(([name]) => PASSED_ON.test(name))),
          HOME: scratch,
          TMPDIR: scratch,
          N8N_USER_FOLDER: scratch,
          NODE_COMPILE_CACHE: compileCache(env),
          N8N_DIAGNOSTICS_ENABLED: 'false',
          N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
          N8N_LOG_LEVEL: 'error',
        },
      },
    );
    return JSON.parse(await readFile(output, 'utf8'));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Names a folder that keeps what V8 compiled, which makes the next export a fifth faster.
 * @param {Record<string, string | undefined>} env
 */
function compileCache({ GROUNDED_CACHE, XDG_CACHE_HOME }) {
  const root = GROUNDED_CACHE ?? path.join(XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'grounded-builder');
  return path.join(root, 'node-compile-cache');
}
