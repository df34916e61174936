/** Tests the command as a process: exit status, targets, watching; needs no n8n. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../bin/node-catalog-sync.js', import.meta.url));
const scratch = await mkdtemp(path.join(tmpdir(), 'node-catalog-sync-test-'));
after(() => rm(scratch, { recursive: true, force: true }));

/**
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 * @returns {Promise<{code: number | null, out: string, stderr: string}>}
 */
function run(args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [command, ...args], { env: { PATH: '', HOME: scratch, ...env }, cwd: scratch });
    let out = '';
    let stderr = '';
    child.stdout.on('data', (text) => (out += text));
    child.stderr.on('data', (text) => (stderr += text));
    child.on('close', (code) => resolve({ code, out, stderr }));
  });
}

/**
 * @param {string} root
 * @param {string} name
 * @param {string} displayName
 */
async function writePackage(root, name, displayName) {
  const dir = path.join(root, 'node_modules', name);
  await mkdir(dir, { recursive: true });
  await writeFile(
    path.join(dir, 'Anvil.node.js'),
    `exports.Anvil = class { description = ${JSON.stringify({ displayName, name: 'anvil', version: 1, group: ['transform'], inputs: ['main'], outputs: ['main'], properties: [] })}; execute() {} };`,
  );
  await writeFile(path.join(dir, 'package.json'), JSON.stringify({ name, version: '1.0.0', n8n: { nodes: ['Anvil.node.js'] } }));
  return dir;
}

for (const [args, expected] of /** @type {Array<[string[], RegExp]>} */ ([
  [['--nonsense'], /--nonsense/],
  [['--url', 'http://127.0.0.1:1', '--npm', '.'], /exclude each other/],
  [['--url', 'localhost'], /http or https address/],
  [['--url', 'http://127.0.0.1:1'], /--email/],
  [['--url', 'http://127.0.0.1:1', '--email', 'a@acme.test'], /N8N_PASSWORD/],
  [['--package-timeout', 'soon'], /--package-timeout/],
])) {
  test(`wrong usage is status 2 and says what: ${args.join(' ')}`, async () => {
    const ended = await run(args);
    assert.equal(ended.code, 2);
    assert.match(ended.stderr, expected);
    assert.equal(ended.out, '');
  });
}

for (const [args, expected] of /** @type {Array<[string[], RegExp]>} */ ([
  [['--n8n', 'nowhere'], /no n8n in .*nowhere[\s\S]*help: give --n8n/],
  [[], /no n8n found[\s\S]*help: give its folder/],
  [['--npm', '.'], /no node package in/],
  [['--url', 'http://127.0.0.1:1', '--email', 'a@acme.test'], /cannot reach http:\/\/127\.0\.0\.1:1/],
])) {
  test(`a sync that fails is status 1 and says what to do: ${args.join(' ') || 'nothing given'}`, async () => {
    const ended = await run(args, { N8N_PASSWORD: 'x' });
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, expected);
    assert.equal(ended.out, '');
  });
}

for (const [name, needed, file, code] of /** @type {Array<[string, string, string, string]>} */ ([
  ['its command', '>=18', 'n8n/bin/n8n', `process.kill(process.pid, 'SIGSEGV');`],
  ['its node classes', '>=18', 'n8n-nodes-base/Anvil.node.js', `/* VersionedNodeType */ process.kill(process.pid, 'SIGSEGV');`],
])) {
  test(`an n8n that a signal ends in ${name} is status 1 with the Node that n8n needs`, async () => {
    const modules = path.join(scratch, `crash-${name}`, 'node_modules');
    await writePackage(path.dirname(modules), 'n8n-nodes-base', 'Anvil');
    const known = { nodes: { anvil: { className: 'Anvil', sourcePath: 'Anvil.node.js' } }, credentials: {} };
    for (const [place, text] of [
      ['n8n/package.json', JSON.stringify({ name: 'n8n', version: '2.41.1', engines: { node: needed } })],
      ['n8n/dist/commands/export/nodes.js', ''],
      ['n8n/bin/n8n', 'process.exit(1);'],
      ['n8n-nodes-base/dist/known/nodes.json', JSON.stringify(known.nodes)],
      ['n8n-nodes-base/dist/known/credentials.json', '{}'],
      ['n8n-nodes-base/dist/types/nodes.json', '[]'],
      ['n8n-nodes-base/dist/types/credentials.json', '[]'],
      [file, code],
    ]) {
      await mkdir(path.dirname(path.join(modules, String(place))), { recursive: true });
      await writeFile(path.join(modules, String(place)), String(text));
    }
    const ended = await run(['--n8n', path.join(modules, 'n8n')]);
    assert.equal(ended.code, 1, ended.stderr);
    assert.match(ended.stderr, /was ended by SIGSEGV under Node \d[\s\S]*help: .*n8n 2\.41\.1, which needs Node >=18/);
    assert.equal(ended.out, '');
  });
}

test('--help and --version are status 0', async () => {
  assert.match((await run(['--help'])).out, /^node-catalog-sync reads/);
  assert.match((await run(['--version'])).out, /^\d+\.\d+\.\d+\n$/);
});

test('a catalog goes to standard output, progress to standard error, none with --quiet', async () => {
  const root = path.join(scratch, 'stdout');
  await writePackage(root, 'n8n-nodes-anvil', 'Anvil');
  const loud = await run(['--npm', root]);
  assert.match(loud.stderr, /build\s+1 tools/);
  const quiet = await run(['--npm', root, '--quiet']);
  assert.equal(quiet.stderr, '');
  assert.equal(quiet.out, loud.out);
  assert.deepEqual(
    quiet.out.trimEnd().split('\n').map((line) => JSON.parse(line).kind),
    ['header', 'tool', 'end'],
  );
});

/**
 * Writes a package whose node is the code given, beside a sound one, and syncs both.
 * @param {string} name
 * @param {string} code of Bad.node.js
 * @param {Record<string, unknown>} [manifest]
 */
async function syncWithHostile(name, code, manifest = {}) {
  const root = path.join(scratch, name);
  await writePackage(root, 'n8n-nodes-anvil', 'Anvil');
  const dir = path.join(root, 'node_modules', 'n8n-nodes-bad');
  await mkdir(dir, { recursive: true });
  await writeFile(path.join(dir, 'Bad.node.js'), code);
  await writeFile(path.join(dir, 'package.json'), JSON.stringify({ name: 'n8n-nodes-bad', version: '1.0.0', n8n: { nodes: ['Bad.node.js'] }, ...manifest }));
  const ended = await run(['--npm', root]);
  assert.equal(ended.code, 0, ended.stderr);
  const lines = ended.out.trimEnd().split('\n');
  const longest = Math.max(...lines.map((line) => Buffer.byteLength(line)));
  assert.ok(longest < 8_000_000, `a line of ${longest} bytes`);
  const [header, ...rest] = lines.map((line) => JSON.parse(line));
  const tools = rest.filter(({ kind }) => kind === 'tool');
  assert.ok(tools.some(({ id }) => id === 'n8n-nodes-anvil.anvil'), 'the sound package is gone');
  const bad = header.packages.find((/** @type {{name: string}} */ line) => line.name.startsWith('n8n-nodes-bad'));
  return { tools, error: String(bad?.error) };
}

const sound = `displayName: 'Bad', name: 'bad', version: 1, group: ['transform'], inputs: ['main'], outputs: ['main']`;
/** @param {string} facts */
const node = (facts) => `exports.Bad = class { description = { ${sound}, properties: [], ${facts} }; execute() {} };`;

for (const [name, facts, expected, tools] of /** @type {Array<[string, string, RegExp, number]>} */ ([
  ['display-name', `displayName: 'x'.repeat(50e6)`, /displayName in .*bad was longer/, 2],
  ['description', `description: 'x'.repeat(50e6)`, /description in .*bad was longer/, 2],
  ['hint-of-an-option', `properties: [{ name: 'a', type: 'string', default: '', options: [{ name: 'b', hint: 'x'.repeat(20e6) }] }]`, /hint in .*bad was longer/, 2],
  ['default', `properties: [{ name: 'a', displayName: 'A', type: 'string', default: 'x'.repeat(50e6) }]`, /more than 4 MB and was left out/, 1],
  ['parameters', `properties: Array.from({ length: 2e5 }, (_, i) => ({ name: 'a' + i, displayName: 'A', type: 'string', default: '' }))`, /more than 4 MB and was left out/, 1],
])) {
  test(`a package that says too much costs itself alone: ${name}`, async () => {
    const ended = await syncWithHostile(`large-${name}`, node(facts));
    assert.match(ended.error, expected);
    assert.equal(ended.tools.length, tools);
  });
}

test('a package that says much in many nodes costs its own nodes alone', async () => {
  const many = Array.from({ length: 12 }, (_, i) => `dist/Bad${i}.node.js`);
  const code = (/** @type {number} */ i) => node(`name: 'bad${i}', properties: [{ name: 'a', displayName: 'A', type: 'string', default: 'x'.repeat(3.5e6) }]`).replace('exports.Bad ', `exports.Bad${i} `);
  const dir = path.join(scratch, 'many', 'node_modules', 'n8n-nodes-bad', 'dist');
  await mkdir(dir, { recursive: true });
  for (const [i, file] of many.entries()) await writeFile(path.join(dir, path.basename(file)), code(i));
  const ended = await syncWithHostile('many', '', { n8n: { nodes: many } });
  assert.match(ended.error, /more than 32 MB/);
  assert.ok(ended.tools.length < 12);
});

for (const [name, code] of [
  ['its parent', `process.kill(process.ppid, 'SIGKILL');`],
  ['all that it may', `process.kill(-1, 'SIGKILL');`],
  ['below the surface', `process._kill(process.ppid, 9);`],
  ['by a debugger', `process._debugProcess(process.ppid);`],
  ['by the module', `require('node:process').kill(process.ppid, 9);`],
  ['after it took the guard away', `delete process.kill; Object.defineProperty(process, 'kill', { value: process._kill }); process.kill(process.ppid, 9);`],
]) {
  // `-1` would end all that this user runs: it is tried against the guard alone.
  test(`a package that ends ${name} is told of, and the sync goes on`, async () => {
    const ended = await syncWithHostile(`kill-${name}`, `${name === 'all that it may' ? `if (!/may not signal/.test(String(process.kill))) process.exit(7); ` : ''}${code}\n${node('')}`);
    assert.match(ended.error, /may not signal processes|Cannot (redefine|delete) property/);
    assert.equal(ended.tools.length, 1);
  });
}

test('a name that no registry would take is refused, the rest stays', async () => {
  const ended = await syncWithHostile('long-name', node(''), { name: `n8n-nodes-bad${'x'.repeat(10e6)}` });
  assert.match(ended.error, /longer than 214/);
});

test('a file is replaced as a whole, and nothing stays beside it when that fails', async () => {
  const root = path.join(scratch, 'file');
  await writePackage(root, 'n8n-nodes-anvil', 'Anvil');
  const folder = path.join(scratch, 'target');
  await mkdir(path.join(folder, 'taken'), { recursive: true });
  assert.equal((await run(['--npm', root, '--output', path.join(folder, 'c.jsonl')])).code, 0);
  const ended = await run(['--npm', root, '--output', path.join(folder, 'taken')]);
  assert.equal(ended.code, 1);
  assert.match(ended.stderr, /cannot write .*taken/);
  assert.deepEqual((await readdir(folder)).sort(), ['c.jsonl', 'taken']);
});

test('a catalog is pushed with the token, and a refusal is explained', async () => {
  const root = path.join(scratch, 'push');
  await writePackage(root, 'n8n-nodes-anvil', 'Anvil');
  /** @type {Array<Record<string, unknown>>} */
  const requests = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method, url, headers } = request;
    requests.push({ method, url, token: headers.authorization, type: headers['content-type'], lines: body.trimEnd().split('\n').length });
    response.writeHead(headers.authorization === 'Bearer good' ? 200 : 401).end('{"answer": true}');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const push = ['--npm', root, '--push', `http://127.0.0.1:${port}/`];
  const good = await run(push, { GROUNDED_TOKEN: 'good' });
  const bad = await run(push, { GROUNDED_TOKEN: 'bad' });
  server.close();
  assert.equal(good.code, 0);
  assert.deepEqual(requests[0], { method: 'PUT', url: '/v1/n8n/catalog', token: 'Bearer good', type: 'application/x-ndjson', lines: 3 });
  assert.equal(bad.code, 1);
  assert.match(bad.stderr, /answered 401[\s\S]*GROUNDED_TOKEN/);
});

test('--watch syncs again when a package appears or changes', { timeout: 600_000 }, async () => {
  const root = path.join(scratch, 'watch');
  const output = path.join(scratch, 'watched.jsonl');
  await writePackage(root, 'n8n-nodes-anvil', 'Anvil');
  const child = spawn(process.execPath, [command, '--npm', root, '--output', output, '--watch'], {
    env: { PATH: '', HOME: scratch },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const reaches = async (/** @type {RegExp} */ pattern) => {
      for (let turn = 0; turn < 1200; turn++) {
        const text = await readFile(output, 'utf8').catch(() => '');
        if (pattern.test(text)) return;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      assert.fail(`${pattern} did not appear`);
    };
    await reaches(/"name":"Anvil"/);
    await writePackage(root, 'n8n-nodes-hammer', 'Hammer');
    await reaches(/"id":"n8n-nodes-hammer\.anvil"/);
    await writePackage(root, 'n8n-nodes-anvil', 'Heavy Anvil');
    await reaches(/"name":"Heavy Anvil"/);
    await rm(path.join(root, 'node_modules/n8n-nodes-hammer'), { recursive: true });
    await reaches(/"tools":1,/);
  } finally {
    child.kill();
  }
});
