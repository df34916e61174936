/** Runs as a child process: loads all node and credential classes of a package and describes them. */

import { existsSync, readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { implementations, instantiate, versionKeys } from './class-loader.js';
import { addCommonParameters } from './common-parameters.js';

/** @import {Anything} from './class-loader.js' */

/**
 * @typedef {object} Task
 * @property {string} prefix of the ids: the package name, or CUSTOM
 * @property {string} dir
 * @property {string[]} nodes files below `dir`
 * @property {string[]} credentials files below `dir`
 * @property {string | null} core folder of n8n-core
 * @property {string | null} workflow folder of n8n-workflow
 * @property {string | null} toolGeneration n8n's own code that derives tools
 */

// Taken before any foreign code runs: the answer goes out through these even if it is patched.
const { stringify } = JSON;
const exit = process.exit.bind(process);

// Node's permission model keeps a package from files and processes of its own making, not from
// signals: without these it could end the sync, or whatever else its user runs.
const refuse = () => {
  throw new Error('a package may not signal processes');
};
for (const name of ['kill', '_kill', '_debugProcess', '_debugEnd']) {
  Object.defineProperty(process, name, { value: refuse, writable: false, configurable: false });
}

/** @type {Task} */
const task = JSON.parse(await text(process.stdin));
const constants = load(task.core, 'dist/nodes-loader/constants.js') ?? {};
const workflow = load(task.workflow, '') ?? {};

refuseUnsupported();

/** @type {Array<{id: string, description: Anything, className: string, file: string}>} */
const nodes = [];
/** @type {Record<string, Record<string, number[]>>} */
const keys = {};

for (const file of task.nodes) {
  const node = instantiate(path.join(task.dir, file));
  const { name } = node.description;
  if (typeof name !== 'string' || name === '') throw new Error(`${path.basename(file)} states no name`);
  const id = `${task.prefix}.${name}`;
  const codex = node.description.codex ?? readCodex(path.join(task.dir, file));
  const versionMap = versionKeys(node);
  if (versionMap) keys[id] = versionMap;
  for (const nodeType of 'nodeVersions' in node ? Object.values(node.nodeVersions) : [node]) {
    addCommonParameters(nodeType, constants);
  }
  for (const { description } of implementations(node)) {
    const plain = JSON.parse(stringify({ ...description, codex, name: id }));
    nodes.push({ id, description: plain, className: node.constructor.name, file });
  }
}

const credentials = task.credentials.map((file) => {
  const credential = instantiate(path.join(task.dir, file));
  const properties = workflow.injectDomainRestrictionFields?.(credential) ?? credential.properties;
  const { authenticate } = credential;
  return { ...credential, properties, authenticate: typeof authenticate === 'function' ? {} : authenticate };
});

const answer = Buffer.from(stringify({ nodes, credentials, keys, tools: deriveTools() }));
for (let sent = 0; sent < answer.length; ) sent += writeSync(3, answer, sent);
// A package may keep timers or sockets open.
exit(0);

/**
 * Lets n8n's own code derive the tools, where this n8n has it.
 * @returns {Array<{description: Anything, of: string}> | null}
 */
function deriveTools() {
  const generation = task.toolGeneration === null ? null : load(task.toolGeneration, '');
  if (!generation?.createAiTools) return null;
  const types = { nodes: nodes.map(({ description }) => description), credentials: [] };
  const known = { nodes: {}, credentials: {} };
  generation.createAiTools(types, known);
  generation.createHitlTools?.(types, known);
  return types.nodes.slice(nodes.length).map((description) => ({
    description,
    of: description.name.replace(/(Hitl)?Tool$/, ''),
  }));
}

/** n8n skips a package that asks for a newer interface than it has. */
function refuseUnsupported() {
  const manifest = path.join(task.dir, 'package.json');
  if (!workflow.checkNodesApiVersion || !existsSync(manifest)) return;
  const { compatible, declared } = workflow.checkNodesApiVersion(JSON.parse(readFileSync(manifest, 'utf8')));
  if (!compatible) throw new Error(`asks for node API version ${declared}, which this n8n does not have`);
}

/** @param {string} file */
function readCodex(file) {
  const codex = `${file}on`;
  return existsSync(codex) ? JSON.parse(readFileSync(codex, 'utf8')) : undefined;
}

/**
 * @param {string | null} dir
 * @param {string} file
 * @returns {Anything | undefined}
 */
function load(dir, file) {
  if (dir === null) return undefined;
  try {
    const target = path.join(dir, file);
    return createRequire(target)(target);
  } catch {
    return undefined;
  }
}
