/** Source "login": a running n8n, asked with the session of one of its users. */

/** @import {Found, FoundNode, Description, CredentialDescription, VersionKeys, Report, PackageLine} from '../types.js' */

import { SyncError } from '../sync-error.js';

const TIME_LIMIT_MS = 30_000;
const MOST_BYTES = 128 * 1024 * 1024;
/** A version that no node has: what answers to it is not versioned. */
const NO_VERSION = 99999;

/**
 * @typedef {object} Login
 * @property {string} url
 * @property {string} [email]
 * @property {string} [password]
 * @property {string} [cookie] used instead of signing in
 */

/**
 * @param {Login} login
 * @param {Report} report
 * @returns {Promise<Found>}
 */
export async function readRunning(login, report) {
  const url = login.url.replace(/\/+$/, '');
  const cookie = login.cookie ?? (await signIn(url, login));
  report('login', url);
  /** @type {Description[]} */
  const descriptions = await getJson(url, '/types/nodes.json', cookie);
  /** @type {CredentialDescription[]} */
  const credentials = await getJson(url, '/types/credentials.json', cookie);
  if (!Array.isArray(descriptions) || !Array.isArray(credentials)) {
    throw new SyncError(`${url} does not answer with lists of types`, 'check that this is the address of n8n itself');
  }
  report('types', `${descriptions.length} node types, ${credentials.length} credential types`);
  const settings = await getJson(url, '/rest/settings', cookie).catch(() => ({}));
  const ids = new Set(descriptions.map(({ name }) => name));
  const nodes = descriptions.map((description) => asNode(description, ids));
  const versionKeys = await probeVersions(url, cookie, nodes);
  const version = settings?.data?.versionCli;
  return {
    origin: 'login',
    versions: typeof version === 'string' ? { n8n: version } : {},
    packages: packagesOf(nodes),
    nodes,
    credentials: credentials.map((description) => ({ package: ownerOf(description), description })),
    versionKeys,
  };
}

/**
 * @param {string} url
 * @param {Login} login
 * @returns {Promise<string>} the session cookie
 */
async function signIn(url, { email, password }) {
  const body = JSON.stringify({ emailOrLdapLoginId: email, password });
  const response = await request(`${url}/rest/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  if (response.status === 401) {
    throw new SyncError(`${url} refuses the login of ${email}`, 'check --email and N8N_PASSWORD');
  }
  if (!response.ok) {
    throw new SyncError(`${url}/rest/login answered ${response.status}`, 'check that n8n has started and has an owner');
  }
  const cookies = response.headers.getSetCookie().map((one) => one.split(';')[0]);
  if (cookies.length === 0) {
    throw new SyncError(`${url} accepted the login but set no cookie`, 'check that this is the address of n8n itself');
  }
  return cookies.join('; ');
}

/**
 * @param {string} url
 * @param {string} path
 * @param {string} cookie
 * @param {unknown} [body] sent by POST when given
 * @returns {Promise<any>}
 */
async function getJson(url, path, cookie, body) {
  const response = await request(`${url}${path}`, {
    headers: { cookie, accept: 'application/json', ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
  if (response.status === 401 || response.status === 403) {
    throw new SyncError(`${url}${path} answered ${response.status}`, 'sign in again: an API key does not open the type files');
  }
  if (!response.ok) {
    const help = response.status === 404 ? 'unset N8N_DISABLE_UI on that n8n: it removes the type files' : 'read the log of n8n';
    throw new SyncError(`${url}${path} answered ${response.status}`, help);
  }
  const text = await boundedText(response, `${url}${path}`);
  try {
    return JSON.parse(text);
  } catch {
    throw new SyncError(`${url}${path} does not answer with JSON`, 'check that this is the address of n8n itself');
  }
}

/**
 * @param {string} target
 * @param {RequestInit} init
 */
async function request(target, init) {
  try {
    return await fetch(target, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIME_LIMIT_MS) });
  } catch (error) {
    const cause = error instanceof Error ? /** @type {{cause?: unknown}} */ (error).cause : undefined;
    const why = cause instanceof Error && cause.message ? cause.message : String(error);
    throw new SyncError(`cannot reach ${target}: ${why}`, 'check --url and that n8n is running there');
  }
}

/**
 * @param {Response} response
 * @param {string} target
 */
async function boundedText(response, target) {
  /** @type {Uint8Array[]} */
  const chunks = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > MOST_BYTES) throw new SyncError(`${target} sends more than 128 MB`, 'check that this is n8n');
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof SyncError) throw error;
    throw new SyncError(`${target} stopped answering: ${error}`, 'try again when n8n is less busy');
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * @param {Description} description
 * @param {ReadonlySet<string>} ids
 * @returns {FoundNode}
 */
function asNode(description, ids) {
  const id = description.name;
  const owner = id.slice(0, id.lastIndexOf('.'));
  const place = placeOfIcon(description.iconUrl);
  return {
    id,
    package: owner,
    community: !isOwn(owner),
    description,
    availability: 'installed',
    ...(place ? { place } : {}),
    ...generatedFrom(description, ids),
  };
}

/**
 * @param {Description} description
 * @param {ReadonlySet<string>} ids
 * @returns {Pick<FoundNode, 'generated' | 'of'>}
 */
function generatedFrom({ name, codex, usableAsTool }, ids) {
  const sorts = codex?.subcategories?.Tools;
  if (usableAsTool === undefined && sorts) {
    if (name.endsWith('HitlTool') && ids.has(name.slice(0, -8))) return { generated: 'hitl_tool', of: name.slice(0, -8) };
    if (name.endsWith('Tool') && ids.has(name.slice(0, -4))) return { generated: 'ai_tool', of: name.slice(0, -4) };
  }
  return {};
}

/**
 * The address of an icon shows the folder of the node.
 * @param {Description['iconUrl']} iconUrl
 */
function placeOfIcon(iconUrl) {
  const address = typeof iconUrl === 'object' ? iconUrl?.light : iconUrl;
  return /\/nodes\/(.+)$/.exec(address ?? '')?.[1];
}

/**
 * Asks for the version after the last one of each older implementation: n8n answers when the
 * class has it, though its lists do not say so.
 * @param {string} url
 * @param {string} cookie
 * @param {readonly FoundNode[]} nodes
 * @returns {Promise<Map<string, VersionKeys>>}
 */
async function probeVersions(url, cookie, nodes) {
  /** @type {Map<string, number[][]>} */
  const stated = new Map();
  for (const { id, description, generated } of nodes) {
    if (!generated) stated.set(id, [...(stated.get(id) ?? []), [description.version].flat()]);
  }
  /** @type {Map<string, Map<string, number>>} */
  const asked = new Map();
  for (const [id, lists] of stated) {
    if (lists.length < 2) continue;
    for (const list of lists) {
      const next = Math.round((Math.max(...list) + 0.1) * 10) / 10;
      if (lists.flat().includes(next)) continue;
      asked.set(id, (asked.get(id) ?? new Map()).set(String(list), next));
    }
  }
  const unversioned = new Set((await describe(url, cookie, [...asked.keys()].map((id) => `${id}@${NO_VERSION}`))).map(({ name }) => name));
  const identifiers = [...asked].flatMap(([id, lists]) => [...lists.values()].map((version) => `${id}@${version}`));
  /** @type {Map<string, VersionKeys>} */
  const keys = new Map();
  for (const { name, version } of await describe(url, cookie, identifiers)) {
    const id = [...asked.keys()].find((one) => one === name || one.endsWith(`.${name}`));
    const list = [version].flat();
    const next = id === undefined ? undefined : asked.get(id)?.get(String(list));
    if (id === undefined || next === undefined || unversioned.has(name)) continue;
    const own = Object.fromEntries((stated.get(id) ?? []).flatMap((one) => one.map((v) => [v, one])));
    keys.set(id, { ...own, ...keys.get(id), [next]: list });
  }
  return keys;
}

/**
 * @param {string} url
 * @param {string} cookie
 * @param {string[]} identifiers
 * @returns {Promise<Description[]>} empty where this n8n cannot be asked
 */
async function describe(url, cookie, identifiers) {
  try {
    const answer = await getJson(url, '/rest/node-types/by-identifier', cookie, { identifiers });
    return Array.isArray(answer) ? answer : (answer.data ?? []);
  } catch {
    return [];
  }
}

/**
 * @param {readonly FoundNode[]} nodes
 * @returns {PackageLine[]}
 */
function packagesOf(nodes) {
  /** @type {Map<string, PackageLine>} */
  const lines = new Map();
  for (const { package: name, community, description } of nodes) {
    const version = description.communityNodePackageVersion;
    lines.set(name, { name, version: typeof version === 'string' ? version : null, community });
  }
  return [...lines.values()];
}

/** @param {CredentialDescription} description */
function ownerOf({ supportedNodes, iconUrl }) {
  const node = Array.isArray(supportedNodes) ? supportedNodes[0] : undefined;
  if (typeof node === 'string') return node.slice(0, node.lastIndexOf('.'));
  const address = typeof iconUrl === 'object' && iconUrl !== null ? /** @type {{light?: string}} */ (iconUrl).light : iconUrl;
  return /^icons\/((?:@[^/]+\/)?[^/]+)\//.exec(String(address ?? ''))?.[1] ?? 'n8n-nodes-base';
}

/** @param {string} name */
function isOwn(name) {
  return name === 'n8n-nodes-base' || name === '@n8n/n8n-nodes-langchain';
}
