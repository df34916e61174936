/** Makes the catalog line of a tool from all implementations of a node. */

/** @import {FoundNode, VersionKeys, ToolLine, Variant, Operation, RawPort, Request} from '../types.js' */

import { isGeneric } from './generic.js';
import { readAliases, readFamily, serviceOf } from './names.js';
import { readOperations } from './operations.js';
import { readOutputExamples } from './output-examples.js';
import { pruneParameters } from './parameters.js';
import { readPorts } from './ports.js';
import { declaredRequests, uniqueRequests } from './requests.js';
import { isTrigger, outputKinds, readTraits } from './traits.js';
import { assignVersions } from './versions.js';

/**
 * @typedef {object} Surroundings
 * @property {VersionKeys | undefined} versionKeys of the node's class
 * @property {(node: FoundNode) => string[]} hostsOf
 * @property {(node: FoundNode, operations: readonly Operation[]) => Request[]} requestsOf
 * @property {(node: FoundNode) => boolean} customApiCall returns whether n8n appends that choice
 * @property {(node: FoundNode, versions: readonly number[], source: string) => {reads: string[], rows: Array<{when: Record<string, unknown>, ports: RawPort[]}>}} evaluate
 */

/**
 * @param {string} id
 * @param {readonly FoundNode[]} nodes in n8n's order, newest first
 * @param {Surroundings} around
 * @returns {ToolLine | null} null when no implementation states a version
 */
export function makeTool(id, nodes, around) {
  const shares = assignVersions(nodes, around.versionKeys);
  const last = shares.at(-1);
  if (last === undefined) return null;
  const defaultVersion = readDefaultVersion(shares);
  const main = (shares.find(({ versions }) => versions.includes(defaultVersion)) ?? last).node;
  const name = main.description.displayName || id;
  const variants = shares.map(({ node, versions }) => makeVariant(node, versions, name, around));
  const { codex } = main.description;
  const generic = isGeneric(id, main.of);
  const hosts = generic ? [] : [...new Set(shares.flatMap(({ node }) => around.hostsOf(node)))].sort();
  const family = readFamily(main);
  const requests = generic || main.of || isTrigger(main) ? [] : readRequests(shares, variants, around);
  return {
    kind: 'tool',
    id,
    name,
    ...list('aliases', readAliases(nodes, name)),
    ...list('keywords', words(codex?.alias)),
    ...(main.description.description ? { description: main.description.description } : {}),
    ...(codex?.categories?.[0] ? { category: codex.categories[0] } : {}),
    ...(family ? { family } : {}),
    ...list('capabilities', capabilities(id, main, variants)),
    package: main.package,
    availability: main.availability,
    is_generic: generic,
    hidden: shares.every(({ node }) => node.description.hidden === true),
    default_version: defaultVersion,
    ...list('equivalent_to', main.of && main.generated === 'ai_tool' ? [main.of] : []),
    ...list('hosts', hosts),
    ...list('requests', requests),
    variants,
  };
}

/**
 * @param {ReadonlyArray<{node: FoundNode}>} shares
 * @param {readonly Variant[]} variants of the same order
 * @param {Surroundings} around
 */
function readRequests(shares, variants, around) {
  return uniqueRequests(
    shares.flatMap(({ node }, index) => {
      const operations = variants[index]?.operations ?? [];
      return [...around.requestsOf(node, operations), ...declaredRequests(node.description.properties ?? [], operations)];
    }),
  );
}

/**
 * @param {FoundNode} node
 * @param {number[]} versions
 * @param {string} toolName
 * @param {Surroundings} around
 * @returns {Variant}
 */
function makeVariant(node, versions, toolName, around) {
  const { description } = node;
  /** @param {string} source */
  const evaluate = (source) => around.evaluate(node, versions, source);
  const sides = {
    inputs: readPorts(description, 'inputs', evaluate),
    outputs: readPorts(description, 'outputs', evaluate),
  };
  const parameters = pruneParameters(description.properties ?? []);
  const operations = readOperations(parameters, versions);
  const credentials = (description.credentials ?? []).map(({ testedBy: _, ...rest }) => rest);
  return {
    versions,
    ...(description.displayName && description.displayName !== toolName
      ? { name: description.displayName }
      : {}),
    ...sides,
    parameters,
    ...list('operations', operations),
    ...list('credentials', /** @type {Array<{name: string}>} */ (credentials)),
    traits: {
      ...readTraits(node, sides, around.customApiCall(node)),
      ...list('output_examples', readOutputExamples(node, versions)),
    },
  };
}

/**
 * @param {ReadonlyArray<{node: FoundNode, versions: number[]}>} shares
 * @returns {number}
 */
function readDefaultVersion(shares) {
  const all = shares.flatMap(({ versions }) => versions);
  for (const { node } of shares) {
    const stated = node.description.defaultVersion;
    if (typeof stated === 'number' && all.includes(stated)) return stated;
  }
  return Math.max(...all);
}

/**
 * Names what the tool can do: `trigger`, `ai_tool`, `gmail.message.send`.
 * @param {string} id
 * @param {FoundNode} main
 * @param {readonly Variant[]} variants
 */
function capabilities(id, main, variants) {
  /** @type {Set<string>} */
  const names = new Set();
  const { description } = main;
  if (isTrigger(main)) names.add('trigger');
  if (description.group?.includes('schedule')) names.add('schedule');
  if (description.polling) names.add('polling');
  if ((description.webhooks ?? []).length > 0) names.add('webhook');
  const service = serviceOf(id);
  for (const variant of variants) {
    for (const kind of outputKinds(variant.outputs)) if (kind !== 'main') names.add(kind);
    for (const { params } of variant.operations ?? []) names.add(capability(service, params));
  }
  return [...names].sort();
}

/**
 * @param {string} service
 * @param {Operation['params']} params
 */
function capability(service, { resource, operation, ...others }) {
  const values =
    operation === undefined && resource === undefined ? Object.values(others) : [resource, operation];
  return [service, ...values.filter((value) => value !== undefined)].join('.');
}

/** @param {unknown} value */
function words(value) {
  return Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
}

/**
 * @template {string} K
 * @template T
 * @param {K} key
 * @param {T[]} values
 * @returns {Partial<Record<K, T[]>>}
 */
function list(key, values) {
  return /** @type {Partial<Record<K, T[]>>} */ (values.length > 0 ? { [key]: values } : {});
}
