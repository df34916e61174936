/** Finds the network hosts that a node calls, in its code, its URLs and its form's proposals. */

import path from 'node:path';

import { codeTexts } from './code.js';

const MOST_HOSTS = 40;

/** Hosts that people read or sign in at, schemas and placeholders: never the API of a node. */
const NOT_CALLED = [
  /^(docs?|developers?|dev|support|help|helpcenter|kb|community|forum|blog|learn|static|cdn|status|console|portal|schemas?|json-schema)\./,
  /^(oauth2\.googleapis\.com|(mail|drive)\.google\.com|login\.microsoftonline\.com|sts\.windows\.net|teams\.microsoft\.com|outlook\.office365\.com|onedrive\.live\.com)$/,
  /(^|\.)(n8n\.io|n8n\.cloud|example\.(com|org|net)|example|w3\.org|schema\.org|json-schema\.org|adaptivecards\.io|console\.aws\.amazon\.com)$/,
  /(^|\.)(wikipedia\.org|stackoverflow\.com|npmjs\.com|readthedocs\.io|mozilla\.org|ietf\.org|youtube\.com|medium\.com)$/,
  /^(www\.)?(github\.com|google\.com)$/,
  /your[-_]?|localhost/,
];

const PLACEHOLDER = String.raw`\$\{[^}"'\`]{1,80}\}|\{\{[^}"'\`]{1,120}\}\}`;
/** An https literal that starts its string: prose and links inside text never do. */
const LITERAL = new RegExp(String.raw`(["'\`])=?https?:\/\/((?:[A-Za-z0-9.-]|${PLACEHOLDER})+)`, 'g');
const PLACEHOLDERS = new RegExp(`(?:${PLACEHOLDER})+`, 'g');
/** What follows a host without a slash or dot is a path, as in `https://api.acme.test${path}`. */
const PATH_AFTER = new RegExp(`(?<=[A-Za-z0-9])(?:${PLACEHOLDER})+$`);
const NOT_A_CALL =
  /(?:href=\\?|["']?(?:placeholder|description|hint|documentationUrl|docsUrl|regex|errorMessage|example)["']?:\s*)$/;

/** @type {Map<string, string[]>} */
const byFolder = new Map();

/**
 * Scans the code in the node's own folder, bounded in files and bytes.
 * @param {string} file absolute path of the compiled node file
 * @param {string} root folder that holds all nodes of the package, never scanned as a whole
 * @returns {string[]} sorted; `*.` replaces a part that depends on the account
 */
export function scanHosts(file, root) {
  const folder = path.dirname(file);
  const known = byFolder.get(folder);
  if (known !== undefined) return known;
  /** @type {Set<string>} */
  const hosts = new Set();
  for (const { text } of codeTexts(file, root)) {
    if (text.includes('://')) for (const host of hostsIn(text)) hosts.add(host);
  }
  const hostList = hosts.size > MOST_HOSTS ? [] : [...hosts].sort();
  byFolder.set(folder, hostList);
  return hostList;
}

/** Clears the cache of scanned folders, for a second sync in the same process. */
export function forgetHosts() {
  byFolder.clear();
}

/**
 * Returns the hosts in literal URLs, including those with n8n expressions.
 * @param {readonly unknown[]} urls
 */
export function literalHosts(urls) {
  /** @type {Set<string>} */
  const hosts = new Set();
  for (const url of urls) {
    if (typeof url === 'string') for (const host of hostsIn(`"${url}"`)) hosts.add(host);
  }
  return [...hosts].sort();
}

/** What a form shows where the name of an account belongs, as in `https://your-team.acme.test`. */
const ACCOUNT = /^https?:\/\/(?:<[^>]*>|\{[^}]*\}|(?:your|my|company|account|organi[sz]ation|tenant|team|domain|subdomain|instance|workspace|project|xxx*)[\w-]*)\./i;

/**
 * Returns the hosts in the addresses that a form proposes; the name of an account becomes `*`.
 * @param {readonly unknown[]} urls
 */
export function accountHosts(urls) {
  const texts = urls
    .filter((url) => typeof url === 'string' && /^(=?https?:\/\/|[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}$)/.test(url))
    .map((url) => String(url).replace(/^(?!=?http)/, 'https://').replace(ACCOUNT, 'https://${account}.'));
  return literalHosts(texts).filter((host) => !host.startsWith('*.') || host.split('.').length > 2);
}

/** @param {string} text */
function* hostsIn(text) {
  for (const match of text.matchAll(LITERAL)) {
    const before = text.slice(Math.max(0, match.index - 20), match.index);
    const end = match.index + match[0].length;
    // An OAuth scope of Google looks like an address.
    if (NOT_A_CALL.test(before) || text.startsWith('/auth/', end)) continue;
    const host = normalise(match[2] ?? '');
    if (host !== null && !NOT_CALLED.some((pattern) => pattern.test(host))) yield host;
  }
}

/**
 * @param {string} raw
 * @returns {string | null}
 */
function normalise(raw) {
  const host = raw
    .replace(PATH_AFTER, '')
    .replace(PLACEHOLDERS, '*')
    .toLowerCase()
    .replace(/\.$/, '');
  const labels = host.split('.');
  const first = labels.findLastIndex((label) => label.includes('*'));
  const parts = first === -1 ? labels : ['*', ...labels.slice(first + 1)];
  const named = parts.filter((label) => label !== '*');
  if (named.length < 2 || named.some((label) => !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(label))) return null;
  // An address of digits is a placeholder, a metadata service or a loopback.
  return /^\d+$/.test(named.at(-1) ?? '') ? null : parts.join('.');
}
