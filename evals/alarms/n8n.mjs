// Answers questions about places in workflows with the functions of an installed n8n only.
//
// usage: GROUNDED_N8N_DIR=<folder with node_modules/n8n> node n8n.mjs < WORKFLOWS > ANSWERS
// One JSON line each: in {"id", "workflow", "places": [{"key", "ask", "node", ...}]}, out
// {"id", "answers": {key: {...}}}. The node types are the classes of the installed packages.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Script } from 'node:vm';

import { loop, reach } from './reach.mjs';
import { callsText, declares, namesItself } from './scope.mjs';
import { ofSettings } from './settings.mjs';
import { short } from './short.mjs';
import { typesOf } from './types.mjs';

const home = process.env.GROUNDED_N8N_DIR;
if (!home) throw new Error('set GROUNDED_N8N_DIR to the folder that holds node_modules/n8n');
const modules = path.join(home, 'node_modules');
const require = createRequire(path.join(modules, 'n8n', 'package.json'));
const constants = require('n8n-workflow');
const { NodeHelpers, Workflow } = constants;
const sdk = require(path.join(modules, '@n8n', 'workflow-sdk'));
const { splitExpression } = constants.ExpressionParser;
const webhook = require(path.join(modules, 'n8n-nodes-base', 'dist', 'nodes', 'Webhook', 'utils.js'));
const acorn = require(path.join(modules, 'acorn'));
const { lintPythonCode } = require(
  path.join(modules, '@n8n', 'workflow-sdk', 'dist', 'lint', 'code-node', 'python.js'),
);
const types = typesOf(require, modules);
sdk.setSchemaBaseDirs(
  ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'].map((name) =>
    path.join(modules, name, 'dist', 'node-definitions'),
  ),
);
console.warn = () => {}; // silences n8n's warnings about ports that it cannot compute

// The types that the Respond to Webhook node requires among its parents.
const CALLED = new Set(
  ['WEBHOOK', 'FORM_TRIGGER', 'CHAT_TRIGGER', 'WAIT'].map((name) => constants[`${name}_NODE_TYPE`]),
);
// Names that n8n-core and the task runner add to the data proxy for expressions and code.
const added = new Set(
  ['n8n-core/dist/execution-engine/node-execution-context/utils/get-additional-keys.js',
    '@n8n/task-runner/dist/js-task-runner/js-task-runner.js'].flatMap((file) =>
    readFileSync(path.join(modules, ...file.split('/')), 'utf8').match(/\$[A-Za-z]\w*/g) ?? [],
  ),
);
const shapes = { constants, types };
const QUESTIONS = {
  ...ofSettings({ constants, sdk, types }),
  version, ports, expression, code, python, reference, evaluated, webhooks, responding,
  reach: (scene, place) => reach(scene.workflow(), place, shapes),
  loop: (scene, place) => loop(scene.workflow(), place),
};

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  if (line) process.stdout.write(`${JSON.stringify(answers(JSON.parse(line)))}\n`);
}

function answers({ id, workflow, places }) {
  const scene = open(workflow);
  const replies = {};
  for (const place of places) {
    try {
      replies[place.key] = QUESTIONS[place.ask](scene, place);
    } catch (error) {
      replies[place.key] = { failed: short(error) };
    }
  }
  return { id, answers: replies };
}

function open(document) {
  const nodes = (Array.isArray(document.nodes) ? document.nodes : []).filter(
    (node) => node && typeof node === 'object' && typeof node.name === 'string',
  );
  const given = new Map(nodes.map((node) => [node.name, node]));
  let workflow;
  return {
    given,
    workflow() {
      workflow ??= new Workflow({
        nodes: structuredClone(nodes).map((node) => ({
          ...node,
          ...served(node),
          parameters: node.parameters ?? {},
        })),
        connections: document.connections ?? {},
        active: false,
        nodeTypes: types,
      });
      return workflow;
    },
  };
}

/** Returns an override for an unknown version, for which Workflow refuses the whole document. */
function served(node) {
  try {
    types.getByNameAndVersion(node.type, node.typeVersion);
    return {};
  } catch {
    return { type: 'unknown', typeVersion: 1 };
  }
}

/** Checks whether a type lists the version of a node. */
function version(scene, place) {
  const node = scene.given.get(place.node);
  const type = types.getByName(node.type) ?? types.getByName(node.type.replace(/Tool$/, ''));
  if (!type) return { listed: false };
  const known = type.nodeVersions ? Object.keys(type.nodeVersions).map(Number) : [type.description.version].flat();
  return { listed: node.typeVersion === undefined || known.includes(node.typeVersion) };
}

/** Returns the inputs and outputs that n8n computes for nodes of a workflow. */
function ports(scene, place) {
  const workflow = scene.workflow();
  return Object.fromEntries(
    place.nodes.map((name) => {
      const node = workflow.getNode(name);
      const type = node && types.getByNameAndVersion(node.type, node.typeVersion);
      if (!type) return [name, null];
      const { description } = type;
      const sides = bothSides(workflow, node, description);
      const blank = { ...node, parameters: blanked(node.parameters) };
      const varying = JSON.stringify(bothSides(workflow, blank, description)) !== JSON.stringify(sides);
      return [name, { ...sides, disabled: node.disabled === true, varying }];
    }),
  );
}

function bothSides(workflow, node, description) {
  return {
    inputs: NodeHelpers.getNodeInputs(workflow, node, description).map(port),
    outputs: NodeHelpers.getNodeOutputs(workflow, node, description).map(port),
  };
}

/** Returns the parameters with an empty text for every expression. */
function blanked(value) {
  if (Array.isArray(value)) return value.map(blanked);
  if (!value || typeof value !== 'object') return typeof value === 'string' && value.startsWith('=') ? '' : value;
  return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, blanked(inside)]));
}

function port(declaration) {
  return typeof declaration === 'string'
    ? { type: declaration }
    : { type: declaration.type, required: declaration.required === true, max: declaration.maxConnections, filter: declaration.filter };
}

/** Checks whether n8n's own evaluator can parse an expression, without evaluating it. */
function expression(scene, place) {
  const pieces = splitExpression(place.text.slice(1)).filter((piece) => piece.type === 'code');
  const alone = pieces.map((piece) => `={{${piece.text.replaceAll('}}', '\\}}')}}}`);
  for (const text of [place.text, ...alone]) {
    const refused = refusal(scene.workflow(), place.node, text);
    if (refused) return { refused };
  }
  return { refused: '' };
}

function refusal(workflow, node, text) {
  try {
    workflow.expression.getParameterValue(text, null, 0, 0, node, [{ json: {} }], 'manual', {});
    return '';
  } catch (error) {
    const message = `${error.message} ${error.cause?.message ?? ''}`;
    return error.name === 'SyntaxError' || /invalid syntax/.test(message) ? message : '';
  }
}

/** Checks whether the code of a Code node compiles in the wrapper of the task runner. */
function code(scene, place) {
  try {
    new Script(`module.exports = async function VmCodeWrapper() {${place.text}\n}()`);
    return { refused: '', calls: callsText(acorn, place.text) };
  } catch (error) {
    return { refused: String(error) };
  }
}

/** Returns the findings of n8n's own check of Python code. */
function python(scene, { node, text }) {
  const { mode = 'runOnceForAllItems' } = scene.given.get(node)?.parameters ?? {};
  return { codes: lintPythonCode(text, { mode }).map((issue) => issue.code) };
}

/** Returns the values of small expressions, and the names that n8n only adds at run time. */
function evaluated(scene, place) {
  const workflow = scene.workflow();
  return {
    values: place.texts.map((text) => {
      try {
        const value = workflow.expression.getParameterValue(text, null, 0, 0, place.node, [{ json: {} }], 'manual', {});
        return { value: typeof value === 'object' ? String(value) : value };
      } catch (error) {
        return { error: short(error) };
      }
    }),
    added: place.names.filter((name) => added.has(name)),
    declared: place.names.filter((name) => declares(acorn, place.text, name)),
  };
}

/** Checks whether a name is no node, and whether the code that mentions it uses n8n's own `$`. */
function reference(scene, place) {
  const workflow = scene.workflow();
  return { absent: workflow.getNode(place.name) === null, ...namesItself(acorn, place) };
}

/** Returns the results of the checks of the webhook and respond nodes before they run. */
function responding(scene, place) {
  const workflow = scene.workflow();
  const node = workflow.getNode(place.node);
  const related = (names) => names.map((name) => workflow.getNode(name)).filter(Boolean);
  const context = {
    getNode: () => node,
    getNodeParameter: (name, fallback) => node.parameters[name] ?? fallback,
    getChildNodes: (name) => related(workflow.getChildNodes(name)),
    getParentNodes: (name) => related(workflow.getParentNodes(name)),
  };
  let refused = '';
  try {
    webhook.checkResponseModeConfiguration(context);
  } catch (error) {
    refused = short(error);
  }
  return {
    refused,
    version: node.typeVersion,
    called: context.getParentNodes(node.name).some(({ type }) => CALLED.has(type)),
  };
}

/** Returns the nodes that listen to the same call as this one, by n8n's webhook paths. */
function webhooks(scene, place) {
  const workflow = scene.workflow();
  const calls = (node) => {
    const type = types.getByNameAndVersion(node.type, node.typeVersion);
    return (type?.description.webhooks ?? []).map((webhook) => {
      const value = (text) => workflow.expression.getSimpleParameterValue(node, text, 'internal', {});
      const whole = value(webhook.isFullPath ?? false) === true;
      return `${value(webhook.httpMethod)} ${NodeHelpers.getNodeWebhookPath('id', node, value(webhook.path), whole, webhook.restartWebhook)}`;
    });
  };
  const asked = new Set(calls(workflow.getNode(place.node)));
  const others = Object.values(workflow.nodes).filter((node) => !node.disabled && node.name !== place.node);
  return { shared: others.filter((node) => calls(node).some((path) => asked.has(path))).map(({ name }) => name) };
}
