/** Tests the sync of an n8n that cannot list its node types itself. */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { nodeModules, plainCatalog, run } from './catalogs.js';

test('an n8n without export:nodes is read from the type files of its packages', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'node-catalog-sync-test-'));
  await mkdir(path.join(root, 'node_modules/n8n'), { recursive: true });
  await mkdir(path.join(root, 'node_modules/@n8n'));
  await writeFile(path.join(root, 'node_modules/n8n/package.json'), '{"name": "n8n", "version": "1.0.0"}');
  for (const name of ['n8n-nodes-base', '@n8n/n8n-nodes-langchain', 'n8n-workflow', 'n8n-core']) {
    await symlink(path.join(nodeModules, name), path.join(root, 'node_modules', name));
  }
  const old = await run(['--n8n', root, '--user-folder', root]);
  await rm(root, { recursive: true });
  assert.match(old.progress, /n8n 1\.0\.0 has no export:nodes/);
  assert.equal(old.header.versions.n8n, '1.0.0');
  const { tools } = await plainCatalog();
  assert.deepEqual([...old.tools.keys()], [...tools.keys()].filter((id) => !id.endsWith('HitlTool')));
  const agent = old.tools.get('@n8n/n8n-nodes-langchain.agent');
  assert.ok(agent.variants.some((/** @type {any} */ variant) => variant.versions.includes(2.3)));
  assert.equal(old.tools.get('n8n-nodes-base.executeCommand').availability, 'installed');
});
