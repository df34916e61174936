/** Reads the compiled code in a node's own folder, with limits on the files and bytes. */

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const MOST_FILES = 400;
const MOST_BYTES = 8 * 1024 * 1024;
const SKIPPED_FOLDERS = new Set(['node_modules', 'test', 'tests', '__tests__', '__schema__', 'translations']);

/**
 * @param {string} file absolute path of the compiled node file
 * @param {string} root folder that holds all nodes of the package, never read as a whole
 * @returns {Generator<{file: string, text: string}>}
 */
export function* codeTexts(file, root) {
  const folder = path.dirname(file);
  const files = folder === root ? [file] : codeFiles(folder);
  const shared = path.join(path.dirname(folder), 'GenericFunctions.js');
  if (path.dirname(folder) !== root && path.dirname(folder).startsWith(root)) files.push(shared);
  let bytes = 0;
  for (const filePath of files) {
    const text = read(filePath);
    bytes += text.length;
    if (bytes > MOST_BYTES) return;
    yield { file: filePath, text };
  }
}

/** @param {string} folder */
function codeFiles(folder) {
  /** @type {string[]} */
  const files = [];
  const queue = [folder];
  for (let next = queue.shift(); next !== undefined && files.length < MOST_FILES; next = queue.shift()) {
    for (const entry of list(next)) {
      const full = path.join(next, entry.name);
      if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) queue.push(full);
      else if (entry.isFile() && /\.[cm]?js$/.test(entry.name)) files.push(full);
    }
  }
  return files.slice(0, MOST_FILES);
}

/** @param {string} folder */
function list(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
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
