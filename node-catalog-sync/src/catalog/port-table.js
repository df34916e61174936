/** Tabulates a port expression: the ports for every combination of the parameters that it reads. */

/** @import {Property, RawPort} from '../types.js' */

import vm from 'node:vm';

import { CUSTOM_API_CALL, isChildProperty, isGroup } from './parameters.js';
import { explore } from './port-explorer.js';

const MOST_ROWS = 256;
const MOST_RUNS = 8192;
const TIME_LIMIT_MS = 1000;

/**
 * @typedef {object} Leaf one declaration of a parameter
 * @property {unknown[]} values the values worth trying
 * @property {unknown} [display] its displayOptions
 * @property {Array<unknown>} [displays] displayOptions of each value, where it has any
 */

/**
 * @typedef {object} Branch all declarations of one parameter name
 * @property {Leaf[]} leaves
 * @property {Record<string, Branch>} [children] of a collection
 */

/**
 * Explores the expression lazily: a parameter becomes part of a row only when the code reads it
 * on that path, so every row holds for all values of what it does not mention. `null` in a row
 * means that the parameter is absent, which n8n makes of a hidden one.
 *
 * @param {{source: string, properties: readonly Property[], versions: readonly number[], name: string}} about
 * @returns {{reads: string[], rows: Array<{when: Record<string, unknown>, ports: RawPort[]}>}}
 */
export function tabulate({ source, properties, versions, name }) {
  const tree = branches(properties);
  const reads = new Set(mentions(source, tree));
  const code = expressionOf(source);
  if (code === null || usesMore(code)) return { reads: [...reads].sort(), rows: [] };
  const explored = run(code, {
    tree,
    versions: [...versions],
    tool: name.endsWith('Tool'),
    mostRows: MOST_ROWS,
    mostRuns: MOST_RUNS,
  });
  for (const path of explored.reads) reads.add(path);
  return { reads: [...reads].sort(), rows: explored.rows };
}

/**
 * @param {string} code
 * @param {object} task
 * @returns {{reads: string[], rows: Array<{when: Record<string, unknown>, ports: RawPort[]}>}}
 */
function run(code, task) {
  // No object of this process enters the context and only a string leaves it.
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY, {
    codeGeneration: { strings: false, wasm: false },
    microtaskMode: 'afterEvaluate',
  });
  const text = `(${explore.toString()})(() => { return (${code}\n); }, ${JSON.stringify(task)})`;
  try {
    const answer = vm.runInContext(text, context, { timeout: TIME_LIMIT_MS, filename: 'ports' });
    return typeof answer === 'string' ? JSON.parse(answer) : { reads: [], rows: [] };
  } catch {
    return { reads: [], rows: [] };
  }
}

/**
 * Takes the code out of `={{ ... }}`; a template around it is not a list of ports.
 * @param {string} source
 */
function expressionOf(source) {
  const match = /^=\s*\{\{([\s\S]*)\}\}\s*$/.exec(source);
  return match?.[1]?.trim().replace(/;$/, '') ?? null;
}

/**
 * Returns whether the code needs more than the parameters and the version. An import would outlive
 * the run as a rejected promise.
 * @param {string} code
 */
function usesMore(code) {
  return /\bimport\b|(?<![\w$.])\$(?!parameter\b|nodeVersion\b|\{)[A-Za-z_(]/.test(code);
}

/**
 * Finds parameter paths by reading the text, for what no run happens to reach.
 * @param {string} source
 * @param {Record<string, Branch>} tree
 */
function mentions(source, tree) {
  /** @type {string[]} */
  const examples = [];
  const paths = /(?:\$parameter|\bparameters|\bparams)((?:\??\.[A-Za-z_]\w*|(?:\?\.)?\[["'][\w.]+["']\])+)/g;
  for (const [, path = ''] of source.matchAll(paths)) {
    const keys = path.split(/\?\.|[.[\]"']+/).filter(Boolean);
    /** @type {string[]} */
    const known = [];
    /** @type {Record<string, Branch> | undefined} */
    let level = tree;
    for (const key of keys) {
      if (level === undefined || !Object.hasOwn(level, key)) break;
      known.push(key);
      level = level[key]?.children;
    }
    if (known.length > 0) examples.push(known.join('.'));
  }
  if (/\$nodeVersion\b/.test(source)) examples.push('@version');
  // A collection that is read into is listed by the parts that are read.
  return examples.filter((path) => !examples.some((other) => other.startsWith(`${path}.`)));
}

/**
 * @param {readonly Property[]} properties
 * @returns {Record<string, Branch>}
 */
function branches(properties) {
  /** @type {Record<string, Branch>} */
  const tree = {};
  for (const property of properties) {
    const branch = (tree[property.name] ??= { leaves: [] });
    branch.leaves.push(leaf(property));
    if (property.type === 'collection' && property.typeOptions?.multipleValues !== true) {
      const children = (property.options ?? []).filter(isChildProperty);
      branch.children = { ...branch.children, ...branches(children) };
    }
  }
  return tree;
}

/**
 * @param {Property} property
 * @returns {Leaf}
 */
function leaf(property) {
  /** @type {Leaf} */
  const made = { values: [] };
  if (property.displayOptions) made.display = property.displayOptions;
  const { default: initial, type } = property;
  if (type === 'boolean') made.values = [true, false];
  else if (type === 'number') made.values = numbers(property);
  else if (type === 'options') {
    const choices = (property.options ?? []).filter(
      (option) =>
        !isChildProperty(option) &&
        !isGroup(option) &&
        'value' in option &&
        option.value !== CUSTOM_API_CALL,
    );
    made.values = choices.map((choice) => choice.value);
    if (choices.some((choice) => choice.displayOptions)) {
      made.displays = choices.map((choice) => choice.displayOptions ?? null);
    }
    if (made.values.length === 0 && isPlain(initial)) made.values = [initial];
  } else if (type === 'collection' || type === 'fixedCollection') {
    made.values = [{}];
    if (isPlain(initial) && JSON.stringify(initial) !== '{}') made.values.push(initial);
  } else if (isPlain(initial)) {
    made.values = [initial];
  }
  return made;
}

/** @param {Property} property */
function numbers({ default: initial, typeOptions }) {
  const low = Number(typeOptions?.minValue ?? 1);
  const high = Math.min(Number(typeOptions?.maxValue ?? low + 9), low + 31);
  /** @type {unknown[]} */
  const values = [];
  for (let value = low; value <= high; value++) values.push(value);
  if (typeof initial === 'number' && !values.includes(initial)) values.push(initial);
  return values;
}

/** @param {unknown} value */
function isPlain(value) {
  return value !== undefined && !(typeof value === 'string' && value.startsWith('='));
}
