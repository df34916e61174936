/** Loads packages that are not part of n8n: community packages and custom folders. */

/** @import {FoundNode, FoundCredential, PackageLine, VersionKeys, Description, CredentialDescription} from '../types.js' */

import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

import { runChild } from './child-process.js';
import { findFlaw } from './description-flaw.js';
import { generateTools } from './generate-tools.js';
import { credentialsOfTypes, nodesOfTypes, placeBelowNodes, readPackageFiles } from './package-files.js';

/** @import {PackageFiles} from './package-files.js' */

const MOST_CUSTOM_FILES = 5000;

/**
 * @typedef {object} Loading what foreign packages are loaded with
 * @property {string | null} core folder of n8n-core
 * @property {string | null} workflow folder of n8n-workflow
 * @property {string | null} toolGeneration
 * @property {string[]} modulePaths
 * @property {number} timeLimitMs for one package
 * @property {boolean} humanReview
 * @property {(id: string) => boolean} isExcluded
 */

/**
 * @typedef {object} Loaded
 * @property {PackageLine} line
 * @property {FoundNode[]} nodes
 * @property {FoundCredential[]} credentials
 * @property {Map<string, VersionKeys>} versionKeys
 */

/**
 * Returns the package folders by n8n's own rule: `n8n-nodes-*` and `@scope/n8n-nodes-*`.
 * @param {string} nodeModules
 */
export function listCommunityFolders(nodeModules) {
  /** @param {string} folder */
  const folders = (folder) => {
    try {
      return readdirSync(folder).sort();
    } catch {
      return [];
    }
  };
  const names = folders(nodeModules).flatMap((name) =>
    name.startsWith('@') ? folders(path.join(nodeModules, name)).map((folder) => `${name}/${folder}`) : [name],
  );
  return names
    .filter((name) => /^(@[^/]+\/)?n8n-nodes-/.test(name) && !/\.backup-\d+$/.test(name))
    .map((name) => path.join(nodeModules, name))
    .filter((folder) => existsSync(path.join(folder, 'package.json')) || isFolder(folder));
}

/**
 * Loads one community package; one that cannot be loaded becomes a line with an error.
 * @param {string} dir
 * @param {Loading} loading
 * @returns {Promise<Loaded>}
 */
export async function loadCommunityPackage(dir, loading) {
  /** @type {PackageFiles} */
  let files;
  try {
    files = readPackageFiles(dir);
  } catch (error) {
    const name = path.basename(path.dirname(dir)).startsWith('@')
      ? `${path.basename(path.dirname(dir))}/${path.basename(dir)}`
      : path.basename(dir);
    return failed({ name, community: true }, `package.json cannot be read: ${message(error)}`);
  }
  const line = { name: files.name, version: files.version, community: true };
  if (!files.isNodePackage) return failed(line, 'package.json has no "n8n" section');
  if (files.types !== null) return fromTypes(files, line, loading);
  return load(line, files.name, dir, files.nodes, files.credentials, loading);
}

/**
 * Loads a folder of N8N_CUSTOM_EXTENSIONS; its nodes get the prefix CUSTOM.
 * @param {string} dir
 * @param {Loading} loading
 * @returns {Promise<Loaded>}
 */
export async function loadCustomFolder(dir, loading) {
  const line = { name: `CUSTOM:${path.basename(dir)}`, version: null, community: true };
  if (!isFolder(dir)) return failed(line, `${dir} is not a folder`);
  const files = walk(dir).map((file) => path.relative(dir, file));
  const nodes = files.filter((file) => file.endsWith('.node.js'));
  const credentials = files.filter((file) => file.endsWith('.credentials.js'));
  return load(line, 'CUSTOM', dir, nodes, credentials, loading);
}

/**
 * @param {string} dir
 * @param {readonly string[]} all
 * @returns {Loaded}
 */
export function replacedFolder(dir, all) {
  const line = { name: `CUSTOM:${path.basename(dir)}`, version: null, community: true };
  return failed(line, `n8n keeps only the last custom folder, which is ${all.at(-1)}`);
}

/**
 * @param {PackageLine} line
 * @param {string} prefix
 * @param {string} dir
 * @param {readonly string[]} nodes files below `dir`
 * @param {readonly string[]} credentials
 * @param {Loading} loading
 * @returns {Promise<Loaded>}
 */
async function load(line, prefix, dir, nodes, credentials, loading) {
  const { core, workflow, toolGeneration, modulePaths, timeLimitMs } = loading;
  const answer = await runChild(
    new URL('../child/load-package.js', import.meta.url),
    { prefix, dir, nodes, credentials, core, workflow, toolGeneration },
    { timeLimitMs, modulePaths, confined: true },
  );
  if ('error' in answer) return failed(line, answer.error);
  const described = /** @type {{nodes: Array<{id: string, description: Description, className: string, file: string}>, tools: Array<{description: Description, of: string}> | null, credentials: CredentialDescription[], keys: Record<string, VersionKeys>}} */ (answer.value);
  const flaw = flawOf(described.nodes) ?? flawOfCredentials(described.credentials);
  if (flaw) return failed(line, flaw);
  /** @type {FoundNode[]} */
  const describedNodes = described.nodes.map((node) => ({
    ...node,
    file: path.join(dir, node.file),
    package: prefix,
    community: true,
    availability: loading.isExcluded(node.id) ? 'excluded' : 'installed',
    place: placeBelowNodes(node.file),
  }));
  const tools =
    described.tools?.map((tool) => asGenerated(tool, describedNodes)) ?? generateTools(describedNodes, loading);
  return {
    line,
    nodes: [...describedNodes, ...tools],
    credentials: described.credentials.map((description) => ({ package: prefix, description })),
    versionKeys: new Map(Object.entries(described.keys)),
  };
}

/**
 * @param {{description: Description, of: string}} tool
 * @param {readonly FoundNode[]} nodes
 * @returns {FoundNode}
 */
function asGenerated({ description, of }, nodes) {
  const base = /** @type {FoundNode} */ (nodes.find(({ id }) => id === of));
  const generated = description.name.endsWith('HitlTool') ? 'hitl_tool' : 'ai_tool';
  return { ...base, id: description.name, description, of, generated };
}

/**
 * A package with complete type files is not run by n8n until a node of it is used; nor here.
 * @param {PackageFiles} files
 * @param {PackageLine} line
 * @param {Loading} loading
 * @returns {Loaded}
 */
function fromTypes(files, line, loading) {
  const nodes = nodesOfTypes(files, { community: true, isExcluded: loading.isExcluded });
  const flaw = flawOf(nodes);
  if (flaw) return failed(line, flaw);
  return {
    line,
    nodes: [...nodes, ...generateTools(nodes, loading)],
    credentials: credentialsOfTypes(files),
    versionKeys: new Map(),
  };
}

/**
 * @param {PackageLine} line
 * @param {string} error
 * @returns {Loaded}
 */
function failed(line, error) {
  return { line: { ...line, error }, nodes: [], credentials: [], versionKeys: new Map() };
}

/**
 * @param {readonly FoundNode[] | ReadonlyArray<{id: string, description: Description}>} nodes
 * @returns {string | undefined} the first flaw
 */
function flawOf(nodes) {
  for (const { id, description } of nodes) {
    const flaw = findFlaw(description);
    if (flaw) return `the description of ${id} cannot be used: ${flaw}`;
  }
  return undefined;
}

/**
 * @param {readonly CredentialDescription[]} credentials
 * @returns {string | undefined}
 */
function flawOfCredentials(credentials) {
  const isUsable = (/** @type {CredentialDescription} */ credential) =>
    typeof credential?.name === 'string' && credential.name !== '' && Array.isArray(credential.properties ?? []);
  return credentials.every(isUsable) ? undefined : 'a credential type has no name or no list of properties';
}

/**
 * Lists all files below a folder, through links, each real folder once.
 * @param {string} root
 */
function walk(root) {
  /** @type {string[]} */
  const files = [];
  /** @type {Set<string>} */
  const seen = new Set();
  const queue = [root];
  for (let dir = queue.shift(); dir !== undefined && files.length < MOST_CUSTOM_FILES; dir = queue.shift()) {
    const real = realpathSync(dir);
    if (seen.has(real)) continue;
    seen.add(real);
    for (const entry of readdirSync(dir).sort()) {
      if (entry.startsWith('.')) continue;
      const full = path.join(dir, entry);
      if (isFolder(full)) queue.push(full);
      else if (/\.(node|credentials)\.js$/.test(entry)) files.push(full);
    }
  }
  return files;
}

/** @param {string} file */
function isFolder(file) {
  try {
    return statSync(file).isDirectory();
  } catch {
    return false;
  }
}

/** @param {unknown} error */
function message(error) {
  return error instanceof Error ? error.message : String(error);
}
