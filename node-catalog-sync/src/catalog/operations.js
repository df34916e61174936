/** Lists a node's operations, from the choices of its resource, operation, mode or event. */

/** @import {Property, Choice, Operation, DisplayOptions} from '../types.js' */

import { CUSTOM_API_CALL, isChildProperty, isGroup } from './parameters.js';

/** Parameters that name what a node does, where it has no resource or operation. */
const SINGLE_CHOICES = ['mode', 'action', 'event', 'triggerOn'];

/**
 * Returns the operations of a node, each with the parameters that preset it.
 * @param {readonly Property[]} properties pruned, in n8n's order
 * @param {readonly number[]} versions of the variant
 * @returns {Operation[]}
 */
export function readOperations(properties, versions) {
  const resources = choiceLists(properties, 'resource');
  const operations = choiceLists(properties, 'operation');
  /** @type {Operation[]} */
  const results = [];
  if (operations.length > 0) {
    for (const list of operations) addOperations(results, list, resources, versions);
  } else if (resources.length > 0) {
    for (const list of resources) addChoices(results, list, versions);
  } else {
    for (const name of SINGLE_CHOICES) {
      for (const list of choiceLists(properties, name)) addChoices(results, list, versions);
      if (results.length > 0) break;
    }
  }
  return merge(results, versions);
}

/**
 * @param {readonly Property[]} properties
 * @param {string} name
 */
function choiceLists(properties, name) {
  return properties.filter(
    (property) =>
      property.name === name && property.type === 'options' && choices(property).length > 0,
  );
}

/**
 * @param {Property} property
 * @returns {Choice[]}
 */
function choices(property) {
  /** @type {Choice[]} */
  const results = [];
  for (const option of property.options ?? []) {
    if (isChildProperty(option) || isGroup(option)) continue;
    if (typeof option.name !== 'string' || !('value' in option)) continue;
    if (option.value !== CUSTOM_API_CALL && option.value !== '') {
      results.push(/** @type {Choice} */ (option));
    }
  }
  return results;
}

/**
 * @param {Operation[]} results
 * @param {Property} list one `operation` parameter
 * @param {readonly Property[]} resources
 * @param {readonly number[]} versions
 */
function addOperations(results, list, resources, versions) {
  const shown = list.displayOptions?.show ?? {};
  const ties = shown.resource;
  const names = resourceNames(resources);
  const tied = Array.isArray(ties)
    ? [...names.keys()].filter((value) => ties.includes(value))
    : [...names.keys()];
  for (const choice of choices(list)) {
    const at = versionsOf([list, choice], versions);
    if (at.length === 0) continue;
    const extra = presets(list.displayOptions, ['resource']);
    if (tied.length === 0) {
      const params = { ...extra, operation: choice.value };
      results.push(operation(params, choice.action ?? choice.name, choice, at));
    }
    for (const resource of tied) {
      if (isHiddenFor(choice, resource)) continue;
      const params = { resource, ...extra, operation: choice.value };
      const name = choice.action ?? `${choice.name} ${names.get(resource)}`;
      results.push(operation(params, name, choice, at));
    }
  }
}

/**
 * @param {Operation[]} results
 * @param {Property} list
 * @param {readonly number[]} versions
 */
function addChoices(results, list, versions) {
  for (const choice of choices(list)) {
    const at = versionsOf([list, choice], versions);
    if (at.length === 0) continue;
    const params = { ...presets(list.displayOptions, []), [list.name]: choice.value };
    results.push(operation(params, choice.action ?? choice.name, choice, at));
  }
}

/**
 * @param {Record<string, unknown>} params
 * @param {string} name
 * @param {Choice} choice
 * @param {number[]} versions
 * @returns {Operation}
 */
function operation(params, name, choice, versions) {
  const { description } = choice;
  return { params, name: String(name), ...(description ? { description: String(description) } : {}), versions };
}

/**
 * @param {readonly Property[]} resources
 * @returns {Map<string, string>}
 */
function resourceNames(resources) {
  /** @type {Map<string, string>} */
  const names = new Map();
  for (const list of resources) {
    for (const { value, name } of choices(list)) {
      if (typeof value === 'string' && !names.has(value)) names.set(value, name);
    }
  }
  return names;
}

/**
 * Takes the conditions that only one value of a sibling parameter satisfies.
 * @param {DisplayOptions | undefined} displayOptions
 * @param {readonly string[]} skipped
 */
function presets(displayOptions, skipped) {
  /** @type {Record<string, unknown>} */
  const params = {};
  for (const [key, values] of Object.entries(displayOptions?.show ?? {})) {
    if (/^[@/]/.test(key) || key.includes('.') || skipped.includes(key)) continue;
    const only = Array.isArray(values) && values.length === 1 ? values[0] : undefined;
    if (['string', 'number', 'boolean'].includes(typeof only)) params[key] = only;
  }
  return params;
}

/**
 * @param {Choice} choice
 * @param {unknown} resource
 */
function isHiddenFor(choice, resource) {
  const show = choice.displayOptions?.show?.resource;
  const hide = choice.displayOptions?.hide?.resource;
  return (
    (Array.isArray(show) && !show.includes(resource)) ||
    (Array.isArray(hide) && hide.includes(resource))
  );
}

/**
 * @param {ReadonlyArray<{displayOptions?: DisplayOptions}>} items all of which must be displayed
 * @param {readonly number[]} versions
 */
function versionsOf(items, versions) {
  return versions.filter((version) =>
    items.every(({ displayOptions }) => {
      const show = displayOptions?.show?.['@version'];
      const hide = displayOptions?.hide?.['@version'];
      return (
        (!Array.isArray(show) || show.some((condition) => meets(version, condition))) &&
        (!Array.isArray(hide) || !hide.some((condition) => meets(version, condition)))
      );
    }),
  );
}

/**
 * @param {number} version
 * @param {unknown} condition
 */
function meets(version, condition) {
  if (typeof condition !== 'object' || condition === null) return version === condition;
  const rule = /** @type {{_cnd?: Record<string, any>}} */ (condition)._cnd ?? {};
  const [name, target] = Object.entries(rule)[0] ?? ['', undefined];
  if (name === 'eq') return version === target;
  if (name === 'not') return version !== target;
  if (name === 'gte') return version >= target;
  if (name === 'lte') return version <= target;
  if (name === 'gt') return version > target;
  if (name === 'lt') return version < target;
  if (name === 'between') return version >= target.from && version <= target.to;
  return name === 'exists';
}

/**
 * Joins equal presets that come from several lists and drops versions that restrict nothing.
 * @param {Operation[]} operations
 * @param {readonly number[]} versions
 * @returns {Operation[]}
 */
function merge(operations, versions) {
  /** @type {Map<string, Operation>} */
  const byParams = new Map();
  for (const operation of operations) {
    const key = JSON.stringify(operation.params);
    const known = byParams.get(key);
    if (known === undefined) byParams.set(key, operation);
    else known.versions = [...new Set([...(known.versions ?? []), ...(operation.versions ?? [])])];
  }
  return [...byParams.values()].map((operation) => {
    const at = [...(operation.versions ?? [])].sort((a, b) => a - b);
    const { versions: _, ...rest } = operation;
    return at.length === versions.length ? rest : { ...rest, versions: at };
  });
}
