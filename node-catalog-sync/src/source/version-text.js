/** Reads the versions of a node class from its source text, without running it. */

/** @import {VersionKeys} from '../types.js' */

import { readFileSync } from 'node:fs';

/**
 * Finds `1.1: new NodeV1(...)` entries. Keys made by the same class share the list of versions
 * that one of their descriptions states.
 *
 * @param {string} file
 * @param {readonly number[][]} stated version lists of the node's descriptions
 * @returns {VersionKeys | undefined} undefined if the text does not state them
 */
export function keysInText(file, stated) {
  /** @type {string} */
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const start = text.search(/\bnodeVersions\s*=\s*\{/);
  if (start === -1) return undefined;
  /** @type {Array<{version: number, className: string}>} */
  const entries = [];
  for (const match of text.slice(start).matchAll(/(?:^|[{,\s])(\d+(?:\.\d+)?)\s*:\s*new\s+([\w$.]+)\s*\(/g)) {
    entries.push({ version: Number(match[1]), className: match[2] ?? '' });
  }
  /** @type {VersionKeys} */
  const keys = {};
  for (const { version, className } of entries) {
    const sisters = entries.filter((entry) => entry.className === className).map((entry) => entry.version);
    const list = stated.find((versions) => versions.some((version) => sisters.includes(version)));
    if (list === undefined) return undefined;
    keys[version] = list;
  }
  const covered = stated.flat().every((version) => version in keys);
  return covered && entries.length > 0 ? keys : undefined;
}
