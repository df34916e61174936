/** Finds an installed n8n and the packages beside it. */

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';

import { SyncError } from '../sync-error.js';

/**
 * @typedef {object} N8n
 * @property {string} dir folder of the package `n8n`
 * @property {string} version
 */

/**
 * @param {string | undefined} stated folder of n8n, of an installation that has
 *   `node_modules/n8n`, or a `node_modules`
 * @param {{cwd: string, searchPath: string}} around
 * @returns {N8n}
 */
export function findN8n(stated, around) {
  if (stated !== undefined) {
    const root = path.resolve(around.cwd, stated);
    for (const dir of [root, path.join(root, 'node_modules/n8n'), path.join(root, 'n8n')]) {
      const homes = asN8n(dir);
      if (homes) return homes;
    }
    throw new SyncError(
      `no n8n in ${root}`,
      'give --n8n the folder that has node_modules/n8n in it, or the folder of n8n itself',
    );
  }
  const home = upwards(around.cwd, (dir) => asN8n(path.join(dir, 'node_modules/n8n'))) ?? onPath(around.searchPath);
  if (home) return home;
  throw new SyncError(
    'no n8n found in node_modules of this folder or above it, nor on PATH',
    'give its folder with --n8n DIR',
  );
}

/**
 * Finds a package as Node does from `dir`, whatever its `exports` are.
 * @param {string} dir
 * @param {string} name
 * @returns {string | undefined} its folder
 */
export function findPackage(dir, name) {
  return upwards(realpath(dir), (above) => {
    const folder = path.join(above, 'node_modules', name);
    return existsSync(path.join(folder, 'package.json')) ? folder : undefined;
  });
}

/**
 * Returns the folders in which Node looks for the dependencies of `dir`.
 * @param {string} dir
 */
export function modulePathsOf(dir) {
  /** @type {string[]} */
  const folders = [];
  upwards(realpath(dir), (above) => {
    const folder = path.join(above, 'node_modules');
    if (existsSync(folder)) folders.push(folder);
    return undefined;
  });
  return folders;
}

/**
 * @param {string} dir
 * @returns {N8n | undefined}
 */
function asN8n(dir) {
  try {
    const { name, version } = JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8'));
    return name === 'n8n' ? { dir: realpath(dir), version: String(version) } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} searchPath
 * @returns {N8n | undefined}
 */
function onPath(searchPath) {
  for (const folder of searchPath.split(path.delimiter).filter(Boolean)) {
    const command = path.join(folder, 'n8n');
    if (!existsSync(command)) continue;
    const home = upwards(realpath(command), asN8n);
    if (home) return home;
  }
  return undefined;
}

/**
 * @template T
 * @param {string} start
 * @param {(dir: string) => T | undefined} look
 * @returns {T | undefined}
 */
function upwards(start, look) {
  for (let dir = start; ; dir = path.dirname(dir)) {
    const home = look(dir);
    if (home !== undefined) return home;
    if (path.dirname(dir) === dir) return undefined;
  }
}

/** @param {string} file */
function realpath(file) {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
