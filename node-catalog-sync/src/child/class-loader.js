/** Loads node and credential classes as n8n does; runs only in a child process. */

import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * @typedef {Record<string, any>} Anything
 */

/**
 * Makes one instance; the class is named like the file up to its first dot.
 * @param {string} file absolute
 * @param {string} [className]
 * @returns {Anything}
 */
export function instantiate(file, className) {
  const name = className ?? path.parse(file).name.split('.')[0] ?? '';
  const loaded = createRequire(file)(file);
  const Class = loaded[name] ?? loaded.default?.[name];
  if (typeof Class !== 'function') throw new Error(`no class ${name} in ${path.basename(file)}`);
  return new Class();
}

/**
 * Lists the implementations of a node, newest first, one for each stated list of versions.
 * @param {Anything} node
 * @returns {Anything[]}
 */
export function implementations(node) {
  if (!('nodeVersions' in node)) return [node];
  /** @type {Map<string, Anything>} */
  const byVersions = new Map();
  for (const nodeType of Object.values(node.nodeVersions).reverse()) {
    const key = String(nodeType.description.version);
    if (!byVersions.has(key)) byVersions.set(key, nodeType);
  }
  return [...byVersions.values()];
}

/**
 * @param {Anything} node
 * @returns {Record<string, number[]> | undefined} version key to what its description states
 */
export function versionKeys(node) {
  if (!('nodeVersions' in node)) return undefined;
  return Object.fromEntries(
    Object.entries(node.nodeVersions).map(([key, nodeType]) => [key, [nodeType.description.version].flat()]),
  );
}
