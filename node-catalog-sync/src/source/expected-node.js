/** Rejects a Node version under which n8n does not run, and explains crashes of child processes. */

/** @import {N8n} from './locate.js' */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import { SyncError } from '../sync-error.js';

/**
 * Throws when this Node is outside `engines` of n8n, compared as n8n compares it when it starts:
 * its native modules crash under another Node.
 * @param {N8n} n8n
 */
export function expectNodeFor(n8n) {
  const range = neededNode(n8n);
  const satisfies = rangeTest(n8n);
  if (range === undefined || satisfies?.(process.versions.node, range) !== false) return;
  throw new SyncError(
    `n8n ${n8n.version} needs Node ${range}, and this is Node ${process.versions.node} (${process.execPath})`,
    `run node-catalog-sync with a Node ${range}, the one that runs n8n`,
  );
}

/** Throws when this Node is older than `engines` of this package. */
export function expectOwnNode() {
  const { engines, name } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const { node } = process.versions;
  const [major = 0, minor = 0] = engines.node.replace('>=', '').split('.').map(Number);
  const [ownMajor = 0, ownMinor = 0] = node.split('.').map(Number);
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return;
  throw new SyncError(`${name} needs Node ${engines.node}, and this is Node ${node} (${process.execPath})`, 'run it with a newer Node');
}

/**
 * @param {string} what the child
 * @param {NodeJS.Signals} signal
 * @param {N8n} n8n
 */
export function crashError(what, signal, n8n) {
  const range = neededNode(n8n);
  const needs = range === undefined ? '' : `, which needs Node ${range}`;
  return new SyncError(
    `${what} was ended by ${signal} under Node ${process.versions.node}`,
    `run node-catalog-sync with the Node that runs n8n ${n8n.version}${needs}, and with enough memory`,
  );
}

/**
 * @param {N8n} n8n
 * @returns {string | undefined}
 */
function neededNode({ dir }) {
  const range = JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8')).engines?.node;
  return typeof range === 'string' ? range : undefined;
}

/**
 * @param {N8n} n8n
 * @returns {((version: string, range: string) => boolean) | undefined} none where n8n lacks semver
 */
function rangeTest({ dir }) {
  try {
    return createRequire(path.join(dir, 'package.json'))('semver/functions/satisfies');
  } catch {
    return undefined;
  }
}
