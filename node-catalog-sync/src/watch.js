/** Watches package folders, and calls a function when packages change. */

import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const INTERVAL_MS = 1000;
const DEPTH = 4;
const MOST_ENTRIES = 20_000;

/**
 * Looks once a second instead of subscribing: the folders may not exist yet, and an installation
 * replaces them as a whole. Acts when nothing has changed for one more look, so that a running
 * `npm install` is over. Returns only when `signal` aborts.
 *
 * @param {readonly string[]} places
 * @param {() => Promise<void>} onChange
 * @param {AbortSignal} [signal]
 */
export async function watch(places, onChange, signal) {
  let settled = fingerprint(places);
  let last = settled;
  while (!signal?.aborted) {
    await sleep(INTERVAL_MS);
    const now = fingerprint(places);
    if (now === last && now !== settled) {
      settled = now;
      await onChange();
    }
    last = now;
  }
}

/**
 * @param {readonly string[]} places
 * @returns {string} differs when a package or an extension was added, removed or replaced
 */
export function fingerprint(places) {
  /** @type {string[]} */
  const seen = [];
  for (const place of places) collect(place, 0, seen);
  return seen.join('\n');
}

/**
 * @param {string} dir
 * @param {number} depth
 * @param {string[]} seen
 */
function collect(dir, depth, seen) {
  note(path.join(dir, 'package.json'), seen);
  if (depth > DEPTH || seen.length > MOST_ENTRIES) return;
  for (const entry of list(dir)) {
    if (/\.(node|credentials)\.js$/.test(entry)) note(path.join(dir, entry), seen);
    else if (isWalked(dir, entry) && !/\.\w+$/.test(entry)) collect(path.join(dir, entry), depth + 1, seen);
  }
}

/**
 * Dependencies of packages are not walked, only node packages themselves.
 * @param {string} dir
 * @param {string} entry
 */
function isWalked(dir, entry) {
  if (entry.startsWith('.')) return false;
  if (path.basename(dir) === 'node_modules') return entry.startsWith('@') || entry.startsWith('n8n-nodes-');
  if (path.basename(dir) === 'n8n') return false;
  return true;
}

/**
 * @param {string} file
 * @param {string[]} seen
 */
function note(file, seen) {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    seen.push(`${file} ${mtimeMs} ${size} ${ino}`);
  } catch {
    // Absence shows as a missing line.
  }
}

/** @param {string} dir */
function list(dir) {
  try {
    return readdirSync(dir).sort();
  } catch {
    return [];
  }
}
