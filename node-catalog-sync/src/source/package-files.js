/** Reads the nodes and credential types that a package declares in its files, without running it. */

/** @import {Description, CredentialDescription, FoundNode, FoundCredential} from '../types.js' */

import { readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * @typedef {object} Known where a class lives
 * @property {string} className
 * @property {string} sourcePath relative to the package
 */

/**
 * @typedef {object} PackageFiles
 * @property {string} dir
 * @property {string} name
 * @property {string | null} version
 * @property {string[]} nodes compiled node files from `n8n.nodes`
 * @property {string[]} credentials compiled credential files from `n8n.credentials`
 * @property {unknown} apiVersion `n8n.n8nNodesApiVersion`
 * @property {boolean} isNodePackage has an `n8n` section
 * @property {{nodes: Description[], credentials: CredentialDescription[], known: Record<string, Known>, knownCredentials: Record<string, Known>} | null} types
 *   what the build of the package wrote to `dist/types` and `dist/known`
 */

/**
 * @param {string} dir
 * @returns {PackageFiles} throws when package.json cannot be read
 */
export function readPackageFiles(dir) {
  const manifest = readJson(path.join(dir, 'package.json'));
  // The longest name that the registry of npm takes.
  if (String(manifest.name).length > 214) throw new Error('its name is longer than 214 characters');
  const section = manifest.n8n ?? {};
  return {
    dir,
    name: String(manifest.name),
    version: typeof manifest.version === 'string' ? manifest.version : null,
    nodes: strings(section.nodes),
    credentials: strings(section.credentials),
    apiVersion: section.n8nNodesApiVersion,
    isNodePackage: manifest.n8n !== undefined,
    types: readTypes(dir),
  };
}

/**
 * Returns the nodes of a package's type file with their full ids and places.
 * @param {PackageFiles} files
 * @param {{community: boolean, isExcluded: (id: string) => boolean}} about
 * @returns {FoundNode[]}
 */
export function nodesOfTypes(files, { community, isExcluded }) {
  return (files.types?.nodes ?? []).map((description) => {
    const id = `${files.name}.${description.name}`;
    return {
      id,
      package: files.name,
      community,
      description: { ...description, name: id },
      availability: isExcluded(id) ? 'excluded' : 'installed',
      ...placeOf(files, description.name),
    };
  });
}

/**
 * @param {PackageFiles} files
 * @returns {FoundCredential[]}
 */
export function credentialsOfTypes(files) {
  return (files.types?.credentials ?? []).map((description) => ({ package: files.name, description }));
}

/**
 * @param {PackageFiles} files
 * @param {string} shortName
 * @returns {{className?: string, file?: string, place?: string}}
 */
export function placeOf(files, shortName) {
  const known = files.types?.known[shortName];
  if (known === undefined) return {};
  const file = path.join(files.dir, known.sourcePath);
  return { className: known.className, file, place: placeBelowNodes(known.sourcePath) };
}

/**
 * @param {string} sourcePath e.g. `dist/nodes/Google/Gmail/Gmail.node.js`
 * @returns {string} the path below the folder `nodes`, with `/`
 */
export function placeBelowNodes(sourcePath) {
  const parts = sourcePath.split(/[\\/]/);
  const root = parts.indexOf('nodes');
  return parts.slice(root === -1 ? -1 : root + 1).join('/');
}

/**
 * @param {string} dir
 * @returns {PackageFiles['types']}
 */
function readTypes(dir) {
  try {
    return {
      nodes: readJson(path.join(dir, 'dist/types/nodes.json')),
      credentials: readJson(path.join(dir, 'dist/types/credentials.json')),
      known: readJson(path.join(dir, 'dist/known/nodes.json')),
      knownCredentials: readJson(path.join(dir, 'dist/known/credentials.json')),
    };
  } catch {
    return null;
  }
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** @param {unknown} value */
function strings(value) {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
