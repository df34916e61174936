/** Finds the HTTP requests that a node makes, and where possible the operation that makes each. */

/** @import {Operation, Property, Request} from '../types.js' */

import { codeTexts } from './code.js';

const MOST_REQUESTS = 300;
/** How far apart, in characters, a method and a path may be assigned to belong together. */
const NEAR = 400;

const METHODS = String.raw`(?:GET|POST|PUT|PATCH|DELETE)`;
/** What a scan stops at: a comparison, the assignment of a path or a method, a call. */
const MARK = new RegExp(
  [
    String.raw`\b(?<what>resource|operation)\s*===?\s*['"](?<value>[\w:.-]+)['"]`,
    String.raw`['"](?<called>${METHODS})['"],\s*(?:(?<q>['"\`])(?<path>(?:(?!\k<q>)[^\n\\]){1,300})\k<q>|(?<named>[A-Za-z]\w*)\b)`,
    String.raw`\b(?<target>endpoint|uri|url|path|apiEndpoint)\s*=\s*(?<r>['"\`])(?<assigned>(?:(?!\k<r>)[^\n\\]){1,300})\k<r>`,
    String.raw`\b(?:requestMethod|method)\s*=\s*['"](?<set>${METHODS})['"]`,
  ].join('|'),
  'g',
);
/** Where a node puts its address before a path: `https://api.acme.test/v1${endpoint}`. */
const BASE = /`((?:https?:\/\/[\w.-]+|\$\{[\w.]*(?:url|host|domain|server|base)[\w.]*\})(?:\/(?:[\w.-]|\$\{[^{}`]*\})*)*?)\/?\$\{(?:endpoint|resource|path|uri|apiEndpoint|action|method)\w*\}/gi;
const ACTION_FILE = /[\\/]actions[\\/](\w+)[\\/](\w+?)(?:\.operation|[\\/]execute)\.[cm]?js$/;
const PLACEHOLDER = /\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\{\{.*?\}\}/g;

/**
 * Reads requests off the compiled code: calls that name a method and a literal path, each with the
 * resource and the operation last compared before it.
 * @param {string} file absolute path of the compiled node file
 * @param {string} root folder that holds all nodes of the package
 * @param {readonly Operation[]} operations the operations of the node
 * @returns {Request[]}
 */
export function scanRequests(file, root, operations) {
  /** @type {Request[]} */
  const requests = [];
  /** @type {Set<string>} */
  const bases = new Set();
  for (const { file: filePath, text } of codeTexts(file, root)) {
    for (const [, base = ''] of text.matchAll(BASE)) bases.add(baseOf(base));
    if (!/['"](?:GET|POST|PUT|PATCH|DELETE)['"]/.test(text)) continue;
    const action = ACTION_FILE.exec(filePath);
    const known = action ? { resource: action[1], operation: action[2] } : {};
    for (const request of requestsIn(text, known, operations)) requests.push(request);
  }
  const [base = ''] = bases.size === 1 ? bases : [];
  return base === '' ? requests : requests.map((request) => (request.path.startsWith('/') ? { ...request, path: base + request.path } : request));
}

/**
 * @param {string} template `https://api.acme.test/v1` or `${credentials.url}/v1`
 * @returns {string} `api.acme.test/v1` or `/v1`
 */
function baseOf(template) {
  const plain = template.replace(/^\$\{[^}]*\}|^https?:\/\//, '').replace(PLACEHOLDER, '*').replace(/\/+$/, '');
  return plain.split('/').map((part, index) => (index > 0 && part.includes('*') ? '*' : part)).join('/');
}

/**
 * @param {string} text
 * @param {{resource?: string, operation?: string}} known from the place of the file
 * @param {readonly Operation[]} operations
 * @returns {Generator<Request>}
 */
export function* requestsIn(text, known, operations) {
  let { resource, operation } = known;
  let compared = 0;
  /** @type {{path: string, at: number} | null} */
  let assigned = null;
  /** @type {{method: string, at: number} | null} */
  let set = null;
  for (const match of text.matchAll(MARK)) {
    const { what, value, called, path, named, target, assigned: given, set: chosen } = match.groups ?? {};
    const at = match.index;
    if (what === 'resource') {
      [resource, operation, assigned, set] = [value, undefined, null, null];
    } else if (what === 'operation') {
      // Two comparisons in one condition: either may hold.
      const either = operation !== undefined && !text.slice(compared, at).includes('{');
      operation = either ? '' : value;
      compared = at;
      assigned = null;
      set = null;
    } else {
      if (given !== undefined) assigned = { path: target === 'endpoint' && /^\w+$/.test(given) ? `/${given}` : given, at };
      if (chosen !== undefined) set = { method: chosen, at };
      let pair = null;
      if (called !== undefined && path !== undefined) pair = { method: called, path };
      else if (called !== undefined && named !== undefined && assigned) pair = { method: called, path: assigned.path };
      else if (called === undefined && assigned && set && Math.abs(assigned.at - set.at) < NEAR) {
        pair = { method: set.method, path: assigned.path };
      } else if (target === 'endpoint' && operation && assigned) pair = { method: '', path: assigned.path };
      const made = pair && makeRequest(pair.path, pair.method, presetsOf(resource, operation, operations));
      if (made) yield made;
    }
  }
}

/**
 * Returns the requests of a declarative node, whose choices define the request that they make.
 * @param {readonly Property[]} properties not pruned
 * @param {readonly Operation[]} operations
 * @returns {Request[]}
 */
export function declaredRequests(properties, operations) {
  /** @type {Request[]} */
  const matches = [];
  for (const { name, options, displayOptions } of properties) {
    if (name !== 'operation' && name !== 'resource') continue;
    for (const option of options ?? []) {
      const { value, routing } = /** @type {{value?: unknown, routing?: {request?: Record<string, unknown>}}} */ (option);
      const { url, method } = routing?.request ?? {};
      if (typeof value !== 'string' || typeof url !== 'string') continue;
      const resources = displayOptions?.show?.resource ?? [];
      const resource = resources.length === 1 ? String(resources[0]) : undefined;
      const made = makeRequest(
        url.replace(/^=/, ''),
        typeof method === 'string' && !method.startsWith('=') ? method : method === undefined ? 'GET' : '',
        name === 'operation' ? presetsOf(resource, value, operations) : presetsOf(value, undefined, operations),
      );
      if (made) matches.push(made);
    }
  }
  return matches;
}

/**
 * Returns the distinct requests of several sources.
 * @param {readonly Request[]} requests
 * @returns {Request[]} sorted
 */
export function uniqueRequests(requests) {
  const byText = new Map(requests.map((request) => [JSON.stringify(request), request]));
  // What an operation does is not repeated without it.
  for (const { path, method, params } of requests) {
    if (params) byText.delete(JSON.stringify(method ? { path, method } : { path }));
    if (method) byText.delete(JSON.stringify({ path, ...(params ? { params } : {}) }));
  }
  return [...byText.keys()]
    .sort()
    .slice(0, MOST_REQUESTS)
    .flatMap((key) => byText.get(key) ?? []);
}

/**
 * @param {string} raw
 * @param {string} method
 * @param {Operation['params'] | undefined} params
 * @returns {Request | null} null where no part of the path is literal
 */
function makeRequest(raw, method, params) {
  const path = normalise(raw);
  return path === null ? null : { path, ...(method ? { method } : {}), ...(params ? { params } : {}) };
}

/**
 * @param {string} raw
 * @returns {string | null}
 */
function normalise(raw) {
  const plain = (raw.replace(PLACEHOLDER, '*').split(/[?#]/)[0] ?? '').replace(/\/+$/, '');
  const host = /^https?:\/\/([^/]+)/.exec(plain)?.[1];
  if (host?.includes('*') && !/^\*\.[\w-]+\.[\w.-]+$/.test(host)) return null;
  const rest = host === undefined ? plain : plain.slice(plain.indexOf(host) + host.length);
  const parts = rest.split('/').filter(Boolean).map((part) => (part.includes('*') ? '*' : part));
  if (parts.length === 0 || parts.some((part) => part !== '*' && !/^[\w.:~@$()'-]+$/.test(part))) return null;
  // A name alone, without a slash, may be any text.
  if (!parts.some((part) => part !== '*' && /[A-Za-z]{2}/.test(part)) || !plain.includes('/')) return null;
  return `${host?.toLowerCase() ?? ''}/${parts.join('/')}`;
}

/**
 * @param {string | undefined} resource
 * @param {string | undefined} operation
 * @param {readonly Operation[]} operations
 * @returns {Operation['params'] | undefined} undefined where it is not exactly one
 */
function presetsOf(resource, operation, operations) {
  if (!operation && !resource) return undefined;
  const fitting = operations.filter(
    ({ params }) => params.operation === operation && (resource === undefined || params.resource === resource || params.resource === undefined),
  );
  return fitting.length === 1 ? fitting[0]?.params : undefined;
}
