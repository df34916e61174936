// Finds which nodes can run before a node, with n8n's own graph of a workflow.

/** Checks whether another node has already run in some execution that reaches a node. */
export function reach(workflow, { node, name, text }, { types }) {
  const roots = rootsOf(workflow, node);
  const triggers = Object.keys(workflow.nodes).filter((name) => isTrigger(workflow, name, types));
  const starts = triggers.filter((name) => roots.some((root) => root === name || leads(workflow, name, root)));
  const first = roots.flatMap((root) => [root, ...workflow.getParentNodes(root, 'main')]);
  const begun = starts.length ? starts : first;
  const without = new Set(begun.flatMap((name) => reached(workflow, name, roots.includes(name) ? [] : roots)));
  const attached = [...without].flatMap((name) => workflow.getParentNodes(name, 'ALL_NON_MAIN'));
  return {
    runs: starts.length > 0 || triggers.length === 0,
    before: without.has(name) || attached.includes(name),
    fails: formsIn(text, name).map((form) => failure(workflow, node, form)),
    asks: text.includes('isExecuted') || /\btry\s*\{/.test(text),
  };
}

/** Returns the references of a text to the data of a node, as separate expressions. */
function formsIn(text, name) {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const called = [...text.matchAll(new RegExp(`\\$\\(\\s*["'\`]${escaped}["'\`]\\s*\\)\\s*\\??\\.\\s*(\\w+)`, 'g'))];
  const quoted = JSON.stringify(name);
  const asked = { item: '.item.json', first: '.first().json', last: '.last().json', all: '.all()', itemMatching: '.itemMatching(0).json', pairedItem: '.pairedItem().json' };
  const forms = called.map((match) => asked[match[1]]).filter(Boolean).map((form) => `$(${quoted})${form}`);
  const old = text.includes(`$node["${name}"]`) || text.includes(`$node['${name}']`) || text.includes(`$node.${name}`);
  return [...new Set(old ? [...forms, `$node[${quoted}].json`] : forms)];
}

/** Returns the error of n8n's evaluator after every other node has run once with one item. */
function failure(workflow, name, form) {
  const item = () => ({ json: { a: 1 }, pairedItem: { item: 0 } });
  const parent = (name) => workflow.getParentNodes(name, 'main', 1)[0];
  const runData = Object.fromEntries(Object.keys(workflow.nodes).map((name) => {
    const source = parent(name) ? [{ previousNode: parent(name) }] : [];
    return [name, [{ startTime: 0, executionTime: 0, executionIndex: 0, source, data: { main: [[item()]] } }]];
  }));
  delete runData[name];
  const executionData = { contextData: {}, nodeExecutionStack: [], metadata: {}, waitingExecution: {}, waitingExecutionSource: {} };
  const whole = { version: 1, startData: {}, resultData: { runData }, executionData };
  const items = [item()];
  const source = parent(name) ? { main: [{ previousNode: parent(name) }] } : null;
  const current = { data: { main: [items] }, node: workflow.getNode(name), source };
  try {
    workflow.expression.getParameterValue(`={{ ${form} }}`, whole, 0, 0, name, items, 'manual', {}, current);
    return '';
  } catch (error) {
    return String(error.message).slice(0, 120) || 'failed';
  }
}

/** Checks whether the loop output of a node leads back to it. */
export function loop(workflow, { node }) {
  const outputs = workflow.connectionsBySourceNode[node]?.main ?? [];
  const first = (outputs[1] ?? []).map((connection) => connection.node);
  return { back: first.some((name) => name === node || leads(workflow, name, node)), used: first.length > 0 };
}

/** Returns the nodes on the main path for which a node works: itself, or those it is attached to. */
function rootsOf(workflow, name) {
  const over = workflow.getChildNodes(name, 'ALL_NON_MAIN');
  return over.length ? over.filter((name) => !workflow.getChildNodes(name, 'ALL_NON_MAIN').length) : [name];
}

function leads(workflow, from, to) {
  return workflow.getChildNodes(from, 'main').includes(to);
}

/** Returns the nodes that can run after a start before any of the closed nodes has run. */
function reached(workflow, start, closed) {
  const seen = new Set([start]);
  const open = [start];
  while (open.length) {
    const name = open.pop();
    if (closed.includes(name)) continue;
    for (const output of workflow.connectionsBySourceNode[name]?.main ?? []) {
      for (const { node } of output ?? []) {
        if (!seen.has(node)) open.push(node);
        seen.add(node);
      }
    }
  }
  return [...seen];
}

function isTrigger(workflow, name, types) {
  const node = workflow.nodes[name];
  const type = types.getByNameAndVersion(node.type, node.typeVersion);
  return !node.disabled && Boolean(type?.description.group?.includes('trigger'));
}
