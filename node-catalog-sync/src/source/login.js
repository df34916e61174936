/** Implements the source "login": a running n8n, queried with the session of one of its users. */

/** @import {Found, FoundNode, Description, CredentialDescription, Report, PackageLine} from '../types.js' */

import { SyncError } from '../sync-error.js';
import { probeVersions } from './probe-versions.js';

const TIME_LIMIT_MS = 30_000;
const MOST_BYTES = 128 * 1024 * 1024;

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
  const usable = new Set(descriptions.filter((description) => description.usableAsTool).map(({ name }) => name));
  const nodes = descriptions.map((description) => asNode(description, usable));
  const ask = (/** @type {string} */ path, /** @type {unknown} */ body) => getJson(url, path, cookie, body);
  const versionKeys = await probeVersions(nodes, ask);
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
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
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
 * @param {ReadonlySet<string>} usable ids of the nodes that n8n makes tools of
 * @returns {FoundNode}
 */
function asNode(description, usable) {
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
    ...generatedFrom(description, usable),
  };
}

/**
 * @param {Description} description
 * @param {ReadonlySet<string>} usable
 * @returns {Pick<FoundNode, 'generated' | 'of'>}
 */
function generatedFrom({ name, usableAsTool, skipNameGeneration }, usable) {
  if (name.endsWith('HitlTool') && skipNameGeneration) return { generated: 'hitl_tool', of: name.slice(0, -8) };
  const base = name.slice(0, -4);
  const isMade = name.endsWith('Tool') && !usableAsTool && usable.has(base);
  return isMade ? { generated: 'ai_tool', of: base } : {};
}

/**
 * The address of an icon shows the folder of the node.
 * @param {Description['iconUrl']} iconUrl
 */
function placeOfIcon(iconUrl) {
  const address = typeof iconUrl === 'object' ? iconUrl?.light : iconUrl;
  return /^icons\/n8n-nodes-base\/.*?\/nodes\/(.+)$/.exec(address ?? '')?.[1];
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
