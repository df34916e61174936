/** Child process: reads which versions the node classes of n8n's own packages really have. */

import { readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { instantiate, versionKeys } from './class-loader.js';

/** @type {{packages: Array<{name: string, dir: string, nodes: Record<string, {className: string, sourcePath: string}>, credentials: any[]}>, workflow: string | null}} */
const task = JSON.parse(await text(process.stdin));

/** @type {Record<string, Record<string, number[]>>} */
const keys = {};
/** @type {Record<string, unknown[]>} */
const addedFields = {};

for (const { name, dir, nodes } of task.packages) {
  for (const [node, { className, sourcePath }] of Object.entries(nodes)) {
    const file = path.join(dir, sourcePath);
    try {
      // Loading all classes takes four times as long, and only these have a say in versions.
      if (!/VersionedNodeType|nodeVersions/.test(readFileSync(file, 'utf8'))) continue;
      const found = versionKeys(instantiate(file, className));
      if (found) keys[`${name}.${node}`] = found;
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

const answer = Buffer.from(JSON.stringify({ keys, addedFields }));
for (let sent = 0; sent < answer.length; ) sent += writeSync(3, answer, sent);
process.exit(0);
