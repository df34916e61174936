/** Runs as a child process: reads the versions that the classes of n8n's own nodes implement. */

import { readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { keysInText } from '../source/version-text.js';
import { instantiate, versionKeys } from './class-loader.js';

/**
 * @typedef {object} Task
 * @property {Array<{name: string, dir: string, nodes: Record<string, {className: string, sourcePath: string, stated: number[][]}>, credentials: any[]}>} packages
 * @property {string | null} workflow folder of n8n-workflow
 */

/** @type {Task} */
const task = JSON.parse(await text(process.stdin));

/** @type {Record<string, Record<string, number[]>>} */
const keys = {};
/** @type {Record<string, unknown[]>} */
const addedFields = {};
let versioned = 0;

for (const { name, dir, nodes } of task.packages) {
  for (const [node, { className, sourcePath, stated }] of Object.entries(nodes)) {
    const file = path.join(dir, sourcePath);
    try {
      if (!/VersionedNodeType|nodeVersions/.test(readFileSync(file, 'utf8'))) continue;
      versioned += 1;
      // Loading a class is slow, and useless where its text already agrees with what is stated.
      if (agrees(keysInText(file, stated), stated)) continue;
      const versionMap = versionKeys(instantiate(file, className));
      if (versionMap) keys[`${name}.${node}`] = versionMap;
    } catch {
      // What its description states stays; n8n itself would fail on this class only when used.
    }
  }
}

if (task.workflow !== null) {
  const inject = createRequire(path.join(task.workflow, 'package.json'))(task.workflow).injectDomainRestrictionFields;
  if (typeof inject === 'function') {
    for (const credential of task.packages.flatMap(({ credentials }) => credentials)) {
      const added = inject(credential).slice(credential.properties?.length ?? 0);
      if (added.length > 0) addedFields[credential.name] = added;
    }
  }
}

const answer = Buffer.from(JSON.stringify({ keys, addedFields, versioned }));
for (let sent = 0; sent < answer.length; ) sent += writeSync(3, answer, sent);
process.exit(0);

/**
 * @param {Record<string, number[]> | undefined} keys
 * @param {readonly number[][]} stated
 */
function agrees(keys, stated) {
  if (keys === undefined) return false;
  const versions = new Set(stated.flat());
  const named = Object.keys(keys).map(Number);
  return named.length === versions.size && named.every((version) => versions.has(version));
}
