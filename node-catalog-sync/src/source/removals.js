/** Reads from n8n's own upgrade rules which nodes a later version will remove. */

/** @import {Removal} from '../types.js' */

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const RULES = 'dist/modules/breaking-changes/rules';
/** One rule of a node that others take the place of. */
const RULE = /removedNodeType:\s*['"]([\w@/.-]+)['"],\s*recommendations:\s*\[([\s\S]*?)\n {4}\],/g;
const NAME = /action:\s*['"]Replace with (?:an? )?([^'"]+?)(?: node)?['"]/g;
/** A file about one node: its type is the only one in it. */
const TYPE = /['"]((?:n8n-nodes-base|@n8n\/n8n-nodes-langchain)\.\w+)['"]/g;
const SINGLE = /action:\s*['"]Replace [^'"]+? with (?:an? )?([^'"]+?)(?: node)?['"]/;

/**
 * @param {string} dir folder of the package `n8n`, empty if there is none
 * @returns {Removal[]} none if this n8n has no such rules
 */
export function readRemovals(dir) {
  if (!dir) return [];
  /** @type {Removal[]} */
  const removals = [];
  for (const folder of list(path.join(dir, RULES)).filter((name) => /^v\d+$/.test(name))) {
    const version = folder.slice(1);
    for (const file of list(path.join(dir, RULES, folder)).filter((name) => name.endsWith('.rule.js'))) {
      removals.push(...removalsIn(read(path.join(dir, RULES, folder, file)), version));
    }
  }
  return removals.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * @param {string} text of a file with rules
 * @param {string} version
 * @returns {Removal[]}
 */
export function removalsIn(text, version) {
  const rules = [...text.matchAll(RULE)];
  if (rules.length > 0) {
    return rules.map(([, id = '', advice = '']) => ({
      id,
      version,
      names: [...advice.matchAll(NAME)].map(([, name = '']) => name),
    }));
  }
  const ids = new Set([...text.matchAll(TYPE)].map(([, id = '']) => id));
  const name = SINGLE.exec(text)?.[1];
  const [id] = ids;
  return ids.size === 1 && id && name ? [{ id, version, names: [name] }] : [];
}

/** @param {string} folder */
function list(folder) {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
