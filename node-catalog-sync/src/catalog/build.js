/** Builds the catalog (header, tools, credential types) from the nodes that a source found. */

/** @import {Found, FoundNode, Catalog, PackageLine, CredentialDescription, Operation, RawPort} from '../types.js' */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { boundTypes } from './bounds.js';
import { credentialHosts, makeCredential, signsRequests } from './credential.js';
import { forgetHosts, literalHosts, scanHosts } from './hosts.js';
import { hasCustomApiCall } from './parameters.js';
import { tabulate } from './port-table.js';
import { scanRequests } from './requests.js';
import { addSuccessors } from './successors.js';
import { tabulateApart } from './tabulate-apart.js';
import { makeTool } from './tool.js';

const OWN = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/**
 * @param {Found} all
 * @returns {Promise<Catalog>}
 */
export async function buildCatalog(all) {
  forgetHosts();
  /** @type {Map<string, string>} */
  const errors = new Map();
  const types = withinBounds(all, errors);
  const credentialTypes = new Map(
    types.credentials.map(({ description }) => [description.name, description]),
  );
  const tables = await tabulateApart(types.nodes, types.origin === 'login');
  const groups = groupById(types.nodes);
  /** @type {Catalog['tools']} */
  const tools = [];
  for (const id of [...groups.keys()].sort()) {
    const nodes = groups.get(id) ?? [];
    const make = () =>
      makeTool(id, nodes, {
        versionKeys: types.versionKeys.get(id) ?? versionKeysOfBase(types, nodes),
        hostsOf: (node) => hostsOf(node, credentialTypes),
        requestsOf,
        customApiCall: (node) => offersCustomApiCall(node, credentialTypes),
        evaluate: (node, versions, source) =>
          tables.get(source, node) ?? evaluate(node, versions, source),
      });
    const tool = nodes.some(({ community }) => community) ? attempt(make, nodes, errors) : make();
    if (tool !== null) tools.push(tool);
  }
  addSuccessors(tools, groups, types.removals ?? []);
  const users = toolsByCredential(tools);
  const credentials = uniqueCredentials(types)
    .map((credential) => makeCredential(credential, users.get(credential.description.name) ?? []))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const header = {
    kind: 'header',
    domain: 'n8n',
    schema: 1,
    origin: types.origin,
    versions: sortKeys(types.versions),
    packages: types.packages.map((line) => withError(line, errors)).sort((a, b) => (a.name < b.name ? -1 : 1)),
    generator: `${OWN.name} ${OWN.version}`,
  };
  return { header, credentials, tools };
}

/**
 * @param {Found} types
 * @param {Map<string, string>} errors
 * @returns {Found} without the types of foreign packages that are too large
 */
function withinBounds(types, errors) {
  const foreign = new Set(
    types.packages.filter(({ community }) => community).map(({ name }) => name.replace(/^CUSTOM:.*$/, 'CUSTOM')),
  );
  const left = boundTypes([...types.nodes, ...types.credentials], foreign, errors);
  return {
    ...types,
    packages: types.packages.map((line) =>
      line.version == null ? line : { ...line, version: line.version.slice(0, 100) },
    ),
    nodes: types.nodes.filter((node) => !left.has(node)),
    credentials: types.credentials.filter((credential) => !left.has(credential)),
  };
}

/**
 * @param {readonly FoundNode[]} nodes
 * @returns {Map<string, FoundNode[]>}
 */
function groupById(nodes) {
  /** @type {Map<string, FoundNode[]>} */
  const groups = new Map();
  for (const node of nodes) {
    const group = groups.get(node.id);
    if (group === undefined) groups.set(node.id, [node]);
    else group.push(node);
  }
  return groups;
}

/**
 * A foreign description that nothing can be made of costs this tool, not the catalog.
 * @template T
 * @param {() => T} make
 * @param {readonly FoundNode[]} nodes
 * @param {Map<string, string>} errors
 * @returns {T | null}
 */
function attempt(make, nodes, errors) {
  try {
    return make();
  } catch (error) {
    const { id, package: owner } = /** @type {FoundNode} */ (nodes[0]);
    const why = error instanceof Error ? error.message : String(error);
    errors.set(owner, `the description of ${id} cannot be used: ${why}`.slice(0, 600));
    return null;
  }
}

/**
 * @param {PackageLine} line
 * @param {ReadonlyMap<string, string>} errors
 * @returns {PackageLine}
 */
function withError(line, errors) {
  const error = line.error ?? errors.get(line.name.replace(/^CUSTOM:.*$/, 'CUSTOM'));
  return error === undefined ? line : { ...line, error };
}

/**
 * A generated tool serves the versions of its base, as far as they can be used as tools.
 * @param {Found} types
 * @param {readonly FoundNode[] | undefined} nodes
 */
function versionKeysOfBase(types, nodes) {
  const base = nodes?.[0]?.of;
  return base === undefined ? undefined : types.versionKeys.get(base);
}

/**
 * @param {FoundNode} node
 * @param {ReadonlyMap<string, CredentialDescription>} credentialTypes
 */
function hostsOf(node, credentialTypes) {
  const fromCode = node.file && node.place ? scanHosts(node.file, nodesRoot(node.file, node.place)) : [];
  const fromCredentials = (node.description.credentials ?? []).flatMap(({ name }) => {
    const type = credentialTypes.get(name);
    return type === undefined ? [] : credentialHosts(type);
  });
  return [...fromCode, ...literalHosts([node.description.requestDefaults?.baseURL]), ...fromCredentials];
}

/**
 * @param {FoundNode} node
 * @param {readonly Operation[]} operations
 */
function requestsOf(node, operations) {
  return node.file && node.place ? scanRequests(node.file, nodesRoot(node.file, node.place), operations) : [];
}

/**
 * @param {string} file
 * @param {string} place
 */
function nodesRoot(file, place) {
  return file.endsWith(place) ? file.slice(0, -place.length - 1) : file;
}

/**
 * n8n appends the choice to the latest version when one of its credentials can sign requests.
 * @param {FoundNode} node
 * @param {ReadonlyMap<string, CredentialDescription>} credentialTypes
 */
function offersCustomApiCall({ description }, credentialTypes) {
  if (hasCustomApiCall(description.properties)) return true;
  const { defaultVersion, version, properties, credentials = [] } = description;
  if (defaultVersion !== undefined && defaultVersion !== version) return false;
  const hasList = properties.some(
    ({ name, options }) => (name === 'resource' || name === 'operation') && Array.isArray(options),
  );
  return (
    hasList &&
    credentials.some(({ name }) => {
      const type = credentialTypes.get(name);
      return type !== undefined && signsRequests(type, credentialTypes);
    })
  );
}

/** @type {Map<string, ReturnType<typeof tabulate>>} */
const evaluated = new Map();

/**
 * @param {FoundNode} node
 * @param {readonly number[]} versions
 * @param {string} source
 * @returns {{reads: string[], rows: Array<{when: Record<string, unknown>, ports: RawPort[]}>}}
 */
function evaluate({ description }, versions, source) {
  const about = { source, versions, properties: description.properties, name: description.name };
  const key = createHash('sha256').update(JSON.stringify(about)).digest('hex');
  const known = evaluated.get(key);
  if (known !== undefined) return known;
  const made = tabulate(about);
  evaluated.set(key, made);
  return made;
}

/** @param {Catalog['tools']} tools */
function toolsByCredential(tools) {
  /** @type {Map<string, string[]>} */
  const users = new Map();
  for (const tool of tools) {
    const names = new Set(
      tool.variants.flatMap(({ credentials = [] }) => credentials.map(({ name }) => name)),
    );
    for (const name of names) users.set(name, [...(users.get(name) ?? []), tool.id]);
  }
  return users;
}

/**
 * The last package to declare a credential type wins, as in n8n.
 * @param {Found} types
 */
function uniqueCredentials(types) {
  return [...new Map(types.credentials.map((credential) => [credential.description.name, credential])).values()];
}

/** @param {Record<string, string>} record */
function sortKeys(record) {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

