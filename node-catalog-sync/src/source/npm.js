/** Implements the source "npm": node packages as published on npm, without an installed n8n. */

/** @import {Found, FoundNode, VersionKeys, Report, PackageLine} from '../types.js' */
/** @import {PackageFiles} from './package-files.js' */
/** @import {Loaded} from './community.js' */

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { SyncError } from '../sync-error.js';
import { listCommunityFolders, loadCommunityPackage } from './community.js';
import { exclusionRule } from './excluded.js';
import { generateTools } from './generate-tools.js';
import { findPackage, modulePathsOf } from './locate.js';
import { credentialsOfTypes, nodesOfTypes, readPackageFiles } from './package-files.js';
import { readRemovals } from './removals.js';
import { keysInText } from './version-text.js';

const OWN_PACKAGES = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'];

/**
 * Reads type files where a package has them; other packages are loaded each in a child process.
 *
 * @param {{folders: string[], packageTimeLimitMs: number, env: Record<string, string | undefined>}} about
 *   package folders, or `node_modules` folders that hold them
 * @param {Report} report
 * @returns {Promise<Found>}
 */
export async function readNpm({ folders, packageTimeLimitMs, env }, report) {
  const dirs = folders.flatMap(packageFolders);
  const read = dirs.map((dir) => ({ dir, files: asOwnPackage(dir) }));
  const own = read.map(({ files }) => files).filter((files) => files !== null);
  const base = own.find(({ name }) => name === 'n8n-nodes-base');
  const baseVersion = base?.version ?? own[0]?.version ?? '2';
  const isExcluded = exclusionRule(env, baseVersion);
  // Packages do not state whether their n8n makes human review tools; n8n 2 is assumed.
  const humanReview = Number.parseInt(baseVersion, 10) >= 2;
  const nodes = own.flatMap((files) => nodesOfTypes(files, { community: false, isExcluded }));
  report('packages', `${nodes.length} node types of ${own.map(({ name, version }) => `${name} ${version}`).join(', ')}`);

  /** @type {Loaded[]} */
  const foreign = [];
  for (const { dir, files } of read) {
    if (files !== null) continue;
    const loaded = await loadCommunityPackage(dir, {
      core: findPackage(dir, 'n8n-core') ?? null,
      workflow: findPackage(dir, 'n8n-workflow') ?? null,
      toolGeneration: null,
      modulePaths: modulePathsOf(dir),
      timeLimitMs: packageTimeLimitMs,
      humanReview,
      isExcluded,
    });
    if (loaded.line.error) report('package', `${loaded.line.name} skipped: ${loaded.line.error}`);
    foreign.push(loaded);
  }
  return {
    origin: 'assumed',
    versions: Object.fromEntries(own.map(({ name, version }) => [name, version ?? 'unknown'])),
    packages: [
      ...own.map(({ name, version }) => /** @type {PackageLine} */ ({ name, version, community: false })),
      ...foreign.map(({ line }) => line),
    ],
    nodes: [...nodes, ...generateTools(nodes, { humanReview }), ...foreign.flatMap((source) => source.nodes)],
    credentials: [...own.flatMap(credentialsOfTypes), ...foreign.flatMap((source) => source.credentials)],
    removals: readRemovals(nearestN8n(dirs)),
    versionKeys: new Map([...keysOf(nodes), ...foreign.flatMap((source) => [...source.versionKeys])]),
  };
}

/**
 * Finds the n8n next to the packages; without it no removal is known.
 * @param {readonly string[]} dirs
 */
function nearestN8n(dirs) {
  return dirs.map((dir) => findPackage(dir, 'n8n')).find((dir) => dir !== undefined) ?? '';
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function packageFolders(folder) {
  if (existsSync(path.join(folder, 'package.json'))) {
    const { n8n } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    if (n8n !== undefined) return [path.resolve(folder)];
  }
  const root = existsSync(path.join(folder, 'node_modules')) ? path.join(folder, 'node_modules') : folder;
  const own = OWN_PACKAGES.map((name) => path.join(root, name)).filter((dir) =>
    existsSync(path.join(dir, 'package.json')),
  );
  const others = listCommunityFolders(root).filter((dir) => !own.includes(dir));
  if (own.length + others.length === 0) {
    throw new SyncError(
      `no node package in ${folder}`,
      'give --npm the folder of n8n-nodes-base or of another package with an "n8n" section, or a node_modules that holds some',
    );
  }
  return [...own, ...others].map((dir) => path.resolve(dir));
}

/**
 * @param {string} dir
 * @returns {PackageFiles | null} null for a package that is not one of n8n's own
 */
function asOwnPackage(dir) {
  const { name } = JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8'));
  const files = OWN_PACKAGES.includes(name) ? readPackageFiles(dir) : null;
  if (files !== null && files.types === null) {
    throw new SyncError(`${name} in ${dir} has no dist/types`, 'give the package as published, not its sources');
  }
  return files;
}

/**
 * Reads the version keys out of the text of versioned classes, which cannot be run here.
 * @param {readonly FoundNode[]} nodes
 * @returns {Array<[string, VersionKeys]>}
 */
function keysOf(nodes) {
  /** @type {Map<string, number[][]>} */
  const stated = new Map();
  /** @type {Map<string, string>} */
  const files = new Map();
  for (const { id, file, description } of nodes) {
    stated.set(id, [...(stated.get(id) ?? []), [description.version].flat()]);
    if (file) files.set(id, file);
  }
  /** @type {Array<[string, VersionKeys]>} */
  const entries = [];
  for (const [id, file] of files) {
    const keys = keysInText(file, stated.get(id) ?? []);
    if (keys) entries.push([id, keys]);
  }
  return entries;
}
