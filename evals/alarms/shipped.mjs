// Prints the workflows that the installed n8n ships with: object literals in its own code that hold
// nodes and connections, such as templates and samples of the editor.
//
// usage: GROUNDED_N8N_DIR=<folder with node_modules/n8n> node shipped.mjs
// One JSON line each: {"id", "workflow"}.

import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const home = process.env.GROUNDED_N8N_DIR;
if (!home) throw new Error('set GROUNDED_N8N_DIR to the folder that holds node_modules/n8n');
const modules = path.join(home, 'node_modules');
const require = createRequire(path.join(modules, 'n8n', 'package.json'));
const acorn = require(path.join(modules, 'acorn'));
const { NodeConnectionTypes } = require('n8n-workflow');
const FOLDERS = ['n8n-editor-ui/dist/assets', '@n8n/ai-workflow-builder/dist', '@n8n/instance-ai/dist'];

for (const folder of FOLDERS) {
  for (const file of readdirSync(path.join(modules, folder), { recursive: true }).sort()) {
    if (file.endsWith('.js') && !file.includes('worker')) print(path.join(modules, folder, file), file);
  }
}

function print(place, file) {
  const code = readFileSync(place, 'utf8');
  if (!/typeVersion"?:/.test(code) || !/connections"?:/.test(code)) return;
  const tree = parsed(code);
  let count = 0;
  walk(tree, (node) => {
    if (!isWorkflow(node)) return;
    const workflow = valueOf(code.slice(node.start, node.end));
    if (!workflow?.nodes?.length || !workflow.nodes.every((node) => typeof node?.type === 'string' && node.type.includes('.'))) return;
    const { nodes, connections, settings } = workflow;
    const id = `${path.basename(file).replace(/-[\w-]{8}\.js$/, '')}/${count}`;
    process.stdout.write(`${JSON.stringify({ id, workflow: { name: id, nodes, connections, settings } })}\n`);
    count += 1;
  });
}

function parsed(code) {
  for (const sourceType of ['module', 'script']) {
    try {
      return acorn.parse(code, { ecmaVersion: 'latest', sourceType });
    } catch {
      // tries the other source type
    }
  }
  return undefined;
}

function isWorkflow(node) {
  if (node.type !== 'ObjectExpression') return false;
  const inside = new Map(node.properties.map((property) => [property.key?.name ?? property.key?.value, property.value]));
  return inside.get('nodes')?.type === 'ArrayExpression' && inside.has('connections');
}

/** Returns the literal as JSON; free names become connection types or a text. */
function valueOf(text) {
  const unknown = new Proxy(() => 'text', {
    get: (_, key) => NodeConnectionTypes[key] ?? (key === 'toJSON' || key === Symbol.toPrimitive ? () => 'text' : unknown),
    apply: () => 'text',
  });
  const scope = new Proxy({}, { has: (_, key) => typeof key === 'string', get: (_, key) => (key === Symbol.unscopables ? undefined : unknown) });
  try {
    return JSON.parse(JSON.stringify(Function('scope', `with (scope) { return (${text}) }`)(scope)));
  } catch {
    return undefined;
  }
}

function walk(node, visit) {
  if (!node || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const child of node) walk(child, visit);
    return;
  }
  if (typeof node.type === 'string') visit(node);
  for (const inside of Object.values(node)) walk(inside, visit);
}
