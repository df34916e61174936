/** Implements the source "installed": an n8n on this disk with its community packages. */

/** @import {Found, FoundNode, FoundCredential, VersionKeys, Property, Report} from '../types.js' */
/** @import {N8n} from './locate.js' */
/** @import {PackageFiles} from './package-files.js' */
/** @import {Loaded, Loading} from './community.js' */

import { existsSync } from 'node:fs';
import path from 'node:path';

import { SyncError } from '../sync-error.js';
import { runChild } from './child-process.js';
import { listCommunityFolders, loadCommunityPackage, loadCustomFolder, replacedFolder } from './community.js';
import { exclusionRule } from './excluded.js';
import { crashError } from './expected-node.js';
import { canExport, exportNodes } from './export.js';
import { generateTools } from './generate-tools.js';
import { findPackage, modulePathsOf } from './locate.js';
import { credentialsOfTypes, nodesOfTypes, placeOf, readPackageFiles } from './package-files.js';
import { readRemovals } from './removals.js';

const OWN_PACKAGES = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'];
const CLASS_TIME_LIMIT_MS = 60_000;
const AT_ONCE = 2;

/**
 * @typedef {object} Installation
 * @property {N8n} n8n
 * @property {string} userFolder the folder that holds `.n8n`
 * @property {string[]} custom folders of custom extensions
 * @property {number} packageTimeLimitMs
 * @property {Record<string, string | undefined>} env
 */

/**
 * @param {Installation} installation
 * @param {Report} report
 * @returns {Promise<Found>}
 */
export async function readInstalled(installation, report) {
  const { n8n, env } = installation;
  const own = OWN_PACKAGES.map((name) => findPackage(n8n.dir, name))
    .filter((dir) => dir !== undefined)
    .map((dir) => readPackageFiles(dir));
  if (own.length === 0) {
    throw new SyncError(`n8n ${n8n.version} in ${n8n.dir} has no node packages`, 'install n8n again');
  }
  const workflow = findPackage(n8n.dir, 'n8n-workflow') ?? null;
  const isExcluded = exclusionRule(env, n8n.version);
  const humanReview = existsSync(path.join(n8n.dir, 'dist/tool-generation/hitl-tools.js'));
  const [exported, classes, foreign] = await Promise.all([
    readExport(installation, own, isExcluded, report),
    readClasses(own, n8n, workflow, report),
    readForeign(installation, { workflow, humanReview, isExcluded }, report),
  ]);
  const nodes = exported ?? withTools(own.flatMap((files) => nodesOfTypes(files, { community: false, isExcluded })), humanReview);
  const credentials = own.flatMap(credentialsOfTypes).map((credential) => withFields(credential, classes.addedFields));
  return {
    origin: 'installed',
    versions: {
      n8n: n8n.version,
      ...versionOf('n8n-workflow', workflow),
      ...versionOf('n8n-core', findPackage(n8n.dir, 'n8n-core') ?? null),
      node: process.versions.node,
    },
    packages: [
      ...own.map(({ name, version }) => ({ name, version, community: false })),
      ...foreign.map(({ line }) => line),
    ],
    nodes: [...nodes, ...foreign.flatMap((source) => source.nodes)],
    credentials: [...credentials, ...foreign.flatMap((source) => source.credentials)],
    removals: readRemovals(n8n.dir),
    versionKeys: new Map([
      ...Object.entries(classes.keys),
      ...foreign.flatMap((source) => [...source.versionKeys]),
    ]),
  };
}

/**
 * Reads n8n's own list and adds, as excluded, what lies on disk but is not in it.
 * @param {Installation} installation
 * @param {readonly PackageFiles[]} own
 * @param {(id: string) => boolean} isExcluded
 * @param {Report} report
 * @returns {Promise<FoundNode[] | null>} null when this n8n cannot export
 */
async function readExport({ n8n, env }, own, isExcluded, report) {
  if (!canExport(n8n.dir)) {
    report('export', `n8n ${n8n.version} has no export:nodes, read from its type files instead`);
    return null;
  }
  let descriptions;
  try {
    descriptions = await exportNodes(n8n.dir, env);
  } catch (error) {
    const { signal, killed } = /** @type {import('node:child_process').ExecFileException} */ (error);
    if (signal && !killed) throw crashError('n8n export:nodes', signal, n8n);
    const message = error instanceof Error ? error.message.split('\n').slice(0, 3).join(' ') : String(error);
    report('export', `failed, read from the type files instead: ${message.slice(0, 400)}`);
    return null;
  }
  report('export', `${descriptions.length} node types`);
  const offered = new Set(descriptions.map(({ name }) => name));
  /** @type {FoundNode[]} */
  const nodes = descriptions.map((description) => {
    const { files, base, generated } = originOf(description.name, own);
    return {
      id: description.name,
      package: files?.name ?? description.name.slice(0, description.name.lastIndexOf('.')),
      community: false,
      description,
      availability: 'installed',
      ...(files && base ? placeOf(files, base) : {}),
      ...(generated && files ? { generated, of: `${files.name}.${base}` } : {}),
    };
  });
  const types = own
    .flatMap((files) => nodesOfTypes(files, { community: false, isExcluded }))
    .filter(({ id }) => !offered.has(id))
    .map((node) => ({ ...node, availability: /** @type {const} */ ('excluded') }));
  return [...nodes, ...withTools(types, true).filter(({ id }) => !offered.has(id))];
}

/**
 * Finds the package and the base node of an exported id.
 * @param {string} id
 * @param {readonly PackageFiles[]} own
 * @returns {{files?: PackageFiles, base?: string, generated?: 'ai_tool' | 'hitl_tool'}}
 */
function originOf(id, own) {
  const files = own.find(({ name }) => id.startsWith(`${name}.`));
  if (files === undefined) return {};
  const short = id.slice(files.name.length + 1);
  const known = files.types?.known ?? {};
  if (Object.hasOwn(known, short)) return { files, base: short };
  for (const [suffix, generated] of /** @type {const} */ ([['HitlTool', 'hitl_tool'], ['Tool', 'ai_tool']])) {
    const base = short.slice(0, -suffix.length);
    if (short.endsWith(suffix) && Object.hasOwn(known, base)) return { files, base, generated };
  }
  return { files };
}

/**
 * @param {readonly PackageFiles[]} own
 * @param {N8n} n8n
 * @param {string | null} workflow
 * @param {Report} report
 * @returns {Promise<{keys: Record<string, VersionKeys>, addedFields: Record<string, Property[]>}>}
 */
async function readClasses(own, n8n, workflow, report) {
  const packages = own.map(({ name, dir, types }) => ({
    name,
    dir,
    nodes: withStated(types),
    credentials: types?.credentials ?? [],
  }));
  const answer = await runChild(
    new URL('../child/read-classes.js', import.meta.url),
    { packages, workflow },
    { timeLimitMs: CLASS_TIME_LIMIT_MS },
  );
  if ('error' in answer) {
    if (answer.signal) throw crashError('the child process that reads the node classes', answer.signal, n8n);
    report('classes', `not read: ${answer.error}`);
    return { keys: {}, addedFields: {} };
  }
  const value = /** @type {{keys: Record<string, VersionKeys>, addedFields: Record<string, Property[]>, versioned: number}} */ (answer.value);
  const loaded = Object.keys(value.keys).length;
  report('classes', `${value.versioned} versioned node classes, ${loaded} of them loaded`);
  return value;
}

/**
 * Adds to the place of a node's class the versions that the node's descriptions state.
 * @param {PackageFiles['types']} types
 */
function withStated(types) {
  /** @type {Record<string, {className: string, sourcePath: string, stated: number[][]}>} */
  const nodes = {};
  for (const [name, known] of Object.entries(types?.known ?? {})) nodes[name] = { ...known, stated: [] };
  for (const { name, version } of types?.nodes ?? []) nodes[name]?.stated.push([version].flat());
  return nodes;
}

/**
 * @param {Installation} installation
 * @param {Pick<Loading, 'workflow' | 'humanReview' | 'isExcluded'>} about
 * @param {Report} report
 * @returns {Promise<Loaded[]>}
 */
async function readForeign({ n8n, userFolder, custom, packageTimeLimitMs, env }, about, report) {
  const generation = path.join(n8n.dir, 'dist/tool-generation/index.js');
  /** @type {Loading} */
  const loading = {
    ...about,
    core: findPackage(n8n.dir, 'n8n-core') ?? null,
    toolGeneration: existsSync(generation) ? generation : null,
    modulePaths: modulePathsOf(n8n.dir),
    timeLimitMs: packageTimeLimitMs,
  };
  const folders = loadsCommunity(n8n.version, env)
    ? listCommunityFolders(path.join(userFolder, '.n8n/nodes/node_modules'))
    : [];
  const jobs = [
    ...folders.map((dir) => () => loadCommunityPackage(dir, loading)),
    // Every custom folder registers under the one name CUSTOM, so in n8n the last one replaces
    // the others.
    ...custom.map((dir, index) => async () =>
      index === custom.length - 1 ? loadCustomFolder(dir, loading) : replacedFolder(dir, custom),
    ),
  ];
  const loaded = await inTurns(jobs, AT_ONCE);
  for (const { line } of loaded) if (line.error) report('package', `${line.name} skipped: ${line.error}`);
  if (loaded.length > 0) {
    const nodes = loaded.reduce((sum, source) => sum + source.nodes.length, 0);
    report('community', `${nodes} node types of ${loaded.length} packages`);
  }
  return loaded;
}

/**
 * n8n 2 loads community packages even where their installation is switched off.
 * @param {string} version
 * @param {Record<string, string | undefined>} env
 */
function loadsCommunity(version, env) {
  if (/^(true|1)$/i.test(env.N8N_COMMUNITY_PACKAGES_PREVENT_LOADING ?? '')) return false;
  if (env.N8N_DISABLED_MODULES?.split(',').includes('community-packages')) return false;
  return Number.parseInt(version, 10) >= 2 || env.N8N_COMMUNITY_PACKAGES_ENABLED !== 'false';
}

/**
 * @param {FoundNode[]} nodes
 * @param {boolean} humanReview
 */
function withTools(nodes, humanReview) {
  return [...nodes, ...generateTools(nodes, { humanReview })];
}

/**
 * @param {FoundCredential} credential
 * @param {Record<string, Property[]>} addedFields
 * @returns {FoundCredential}
 */
function withFields({ package: owner, description }, addedFields) {
  const added = addedFields[description.name] ?? [];
  return {
    package: owner,
    description: { ...description, properties: [...(description.properties ?? []), ...added] },
  };
}

/**
 * @param {string} name
 * @param {string | null} dir
 */
function versionOf(name, dir) {
  const version = dir === null ? null : readPackageFiles(dir).version;
  return version === null ? {} : { [name]: version };
}

/**
 * @template T
 * @param {ReadonlyArray<() => Promise<T>>} jobs
 * @param {number} atOnce
 * @returns {Promise<T[]>} in the order of the jobs
 */
async function inTurns(jobs, atOnce) {
  /** @type {T[]} */
  const results = new Array(jobs.length);
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < jobs.length; index = next++) {
      const job = jobs[index];
      if (job) results[index] = await job();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
