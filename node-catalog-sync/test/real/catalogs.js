/** Provides the catalogs that the tests on the real n8n share, each made once per process. */

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const command = fileURLToPath(new URL('../../bin/node-catalog-sync.js', import.meta.url));
const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url));

/** Folder that has node_modules/n8n in it. */
export const n8nFolder = process.env.GROUNDED_N8N_DIR ?? missing();
export const nodeModules = path.join(n8nFolder, 'node_modules');

const scratch = await mkdtemp(path.join(tmpdir(), 'node-catalog-sync-test-'));
after(() => rm(scratch, { recursive: true, force: true }));

/** @typedef {{text: string, lines: any[], tools: Map<string, any>, credentials: Map<string, any>, header: any, progress: string}} ReadCatalog */

/** @type {Map<string, Promise<ReadCatalog>>} */
const made = new Map();

/** The installed n8n with the packages of test/fixtures and a custom folder. */
export async function installedCatalog() {
  const userFolder = path.join(scratch, 'user');
  return once('installed', async () => {
    const modules = path.join(userFolder, '.n8n/nodes/node_modules');
    await mkdir(modules, { recursive: true });
    await cp(path.join(fixtures, 'packages'), modules, { recursive: true });
    await cp(path.join(fixtures, 'custom'), path.join(userFolder, '.n8n/custom'), { recursive: true });
    return run(['--n8n', n8nFolder, '--user-folder', userFolder, '--package-timeout', '15']);
  });
}

/** The installed n8n alone. */
export async function plainCatalog() {
  return once('plain', () => run(['--n8n', n8nFolder, '--user-folder', path.join(scratch, 'nobody')]));
}

/** The same packages, read as packages. */
export async function npmCatalog() {
  return once('npm', () =>
    run(['--npm', path.join(nodeModules, 'n8n-nodes-base'), '--npm', path.join(nodeModules, '@n8n/n8n-nodes-langchain')]),
  );
}

/**
 * @param {string[]} args
 * @returns {Promise<ReadCatalog>}
 */
export async function run(args) {
  const output = path.join(scratch, `${Math.random()}.jsonl`);
  const { stderr } = await promisify(execFile)(process.execPath, [command, ...args, '--output', output], {
    env: { ...process.env, ACME_SECRET: 'anvil-under-the-bed' },
    maxBuffer: 1e8,
  });
  return parse(await readFile(output, 'utf8'), stderr);
}

/**
 * @param {string} text
 * @param {string} progress
 * @returns {ReadCatalog}
 */
export function parse(text, progress = '') {
  const lines = text.trimEnd().split('\n').map((line) => JSON.parse(line));
  const of = (/** @type {string} */ kind) =>
    new Map(lines.filter((line) => line.kind === kind).map((line) => [line.id, line]));
  return { text, lines, tools: of('tool'), credentials: of('credential'), header: lines[0], progress };
}

/**
 * @param {string} key
 * @param {() => Promise<ReadCatalog>} make
 */
function once(key, make) {
  const known = made.get(key) ?? make();
  made.set(key, known);
  return known;
}

/** @returns {never} */
function missing() {
  throw new Error('GROUNDED_N8N_DIR must name the folder that has node_modules/n8n in it');
}
