/** Reads the example outputs that n8n ships with a node, in the folder `__schema__` beside its code. */

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** @import {FoundNode} from '../types.js' */

/**
 * Names of fields; null where nothing is stated of what is in one.
 * @typedef {{[name: string]: Fields | null}} Fields
 */

/**
 * @typedef {object} OutputExample
 * @property {number} version the version of the node for which n8n recorded it
 * @property {string[]} of the resource and the operation, as far as the node has them
 * @property {Fields} fields
 */

const FOLDER = '__schema__';
const VERSION = /^v(\d+)\.(\d+)\.\d+$/;
const MOST_BYTES = 512 * 1024;
const MOST_FIELDS = 250;
const MOST_DEPTH = 2;

/**
 * @param {FoundNode} node
 * @param {readonly number[]} versions those that the implementation serves
 * @returns {OutputExample[]} of the major versions that it serves
 */
export function readOutputExamples(node, versions) {
  if (node.community || node.of !== undefined || node.file === undefined) return [];
  const root = path.join(path.dirname(node.file), FOLDER);
  const majors = new Set(versions.map(Math.floor));
  return entries(root)
    .flatMap(({ name }) => {
      const [, major, minor] = VERSION.exec(name) ?? [];
      if (major === undefined || !majors.has(Number(major))) return [];
      return readVersion(path.join(root, name), Number(`${major}.${minor}`));
    })
    .sort((a, b) => a.version - b.version || (a.of.join() < b.of.join() ? -1 : 1));
}

/**
 * @param {string} folder
 * @param {number} version
 */
function readVersion(folder, version) {
  /** @type {OutputExample[]} */
  const results = [];
  for (const entry of entries(folder)) {
    if (entry.isDirectory()) {
      for (const inner of entries(path.join(folder, entry.name))) add([entry.name], inner.name);
    } else {
      add([], entry.name);
    }
  }
  return results;

  /**
   * @param {string[]} above
   * @param {string} name
   */
  function add(above, name) {
    if (!name.endsWith('.json')) return;
    const last = name.slice(0, -'.json'.length);
    if (last.includes('.')) return;
    const fields = readFields(path.join(folder, ...above, name));
    if (fields !== null) results.push({ version, of: last === 'output' ? above : [...above, last], fields });
  }
}

/** @param {string} file */
function readFields(file) {
  try {
    const text = readFileSync(file, 'utf8');
    return text.length > MOST_BYTES ? null : fieldsOf(JSON.parse(text), MOST_DEPTH);
  } catch {
    return null;
  }
}

/**
 * @param {any} schema
 * @param {number} depth
 * @returns {Fields | null} null where other fields are possible, or none are stated
 */
function fieldsOf(schema, depth) {
  const properties = schema?.type === 'object' && !schema.additionalProperties ? schema.properties : undefined;
  if (depth === 0 || typeof properties !== 'object' || properties === null) return null;
  const names = Object.keys(properties).sort();
  if (names.length === 0 || names.length > MOST_FIELDS) return null;
  return Object.fromEntries(names.map((name) => [name, fieldsOf(properties[name], depth - 1)]));
}

/** @param {string} folder */
function entries(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
