/** Records which nodes and versions are replaced or deprecated, as n8n itself states it. */

/** @import {FoundNode, Removal, ToolLine} from '../types.js' */

/** Advice in a notice or a description of the node itself. */
const ADVICE = [
  /(?:please\s+)?use (?:the )?['"‘“]?(?<name>[A-Za-z][\w ./-]{2,40}?)['"’”]? node(?: instead)?\b/i,
  /newer version of this node type is available, called the ['"‘“](?<name>[\w ./-]{2,40})['"’”] node/i,
  /^deprecated, use (?<name>[\w ./-]{3,40})$/i,
];
const OUTDATED = /\bdeprecated\b|newer version of this node type|no longer maintained|discontinued/i;

/**
 * Fills `replaced_by` and `version_deprecated` of the tools that n8n has deprecated.
 * @param {readonly ToolLine[]} tools changed in place
 * @param {ReadonlyMap<string, readonly FoundNode[]>} groups implementations by id
 * @param {readonly Removal[]} removals the removals that n8n announces for its next major versions
 */
export function addSuccessors(tools, groups, removals) {
  const byId = new Map(tools.map((tool) => [tool.id, tool]));
  const announced = new Map(removals.map((removal) => [removal.id, removal]));
  for (const tool of tools) {
    const nodes = groups.get(tool.id) ?? [];
    const of = nodes[0]?.of;
    const removal = announced.get(of ?? tool.id);
    const names = removal ? removal.names : nodes.flatMap(adviceOf);
    const successors = names.flatMap((name) => named(name, tool, tools));
    const ids = [...new Set(successors.map((id) => (of && byId.has(`${id}Tool`) ? `${id}Tool` : id)))];
    if (ids.length > 0) tool.replaced_by = ids;
    if (removal?.version) tool.version_deprecated = removal.version;
  }
}

/**
 * Lists the successors that a node names in its own description, at every version of it.
 * @param {FoundNode} node
 * @returns {string[]}
 */
function adviceOf({ description }) {
  // A notice that is shown at some settings only speaks of these.
  const notices = description.properties
    .filter(({ type, displayOptions }) => type === 'notice' && displayOptions === undefined)
    .map(({ displayName }) => displayName);
  return [...notices, description.description]
    .filter((text) => typeof text === 'string' && text.length < 500 && OUTDATED.test(text))
    .flatMap((text) => ADVICE.map((pattern) => pattern.exec(String(text))?.groups?.name ?? ''))
    .filter(Boolean);
}

/**
 * Finds the tool that a person calls by this name: by what it shows, else by the words of its id.
 * @param {string} name
 * @param {ToolLine} old
 * @param {readonly ToolLine[]} tools
 * @returns {string[]} one id, or none where nobody or several are meant
 */
function named(name, old, tools) {
  const offered = tools.filter((tool) => tool.id !== old.id && !tool.hidden && tool.availability === 'installed');
  const isSubNode = kinds(old).some((kind) => kind !== 'main');
  const wanted = plain(name);
  for (const fits of [
    (/** @type {ToolLine} */ tool) => plain(tool.name) === wanted,
    (/** @type {ToolLine} */ tool) => words(shortId(tool.id)) === words(name),
    (/** @type {ToolLine} */ tool) => plain(tool.name).endsWith(wanted),
  ]) {
    const candidates = offered.filter(fits);
    const likes = candidates.filter((tool) => kinds(tool).some((kind) => kinds(old).includes(kind)));
    // A node that was a tool of an agent is followed by the tool that n8n makes of the other node.
    const tool = isSubNode && likes.length === 0 ? candidates.flatMap(({ id }) => tools.filter((candidate) => candidate.id === `${id}Tool`)) : likes;
    const [only] = tool.length === 1 ? tool : tool.filter(({ package: owner }) => owner === old.package);
    if (only) return [only.id];
    if (candidates.length === 1) return [/** @type {ToolLine} */ (candidates[0]).id];
  }
  return [];
}

/** @param {ToolLine} tool */
function kinds({ variants }) {
  const outputs = variants.at(-1)?.outputs ?? [];
  const ports = Array.isArray(outputs) ? outputs : (outputs.table ?? []).flatMap((row) => row.ports);
  return [...new Set(ports.map(({ kind }) => kind))];
}

/** @param {string} id */
function shortId(id) {
  return id.slice(id.lastIndexOf('.') + 1).replace(/([a-z0-9])([A-Z])/g, '$1 $2');
}

/** @param {string} text */
function words(text) {
  return text.toLowerCase().split(/[^a-z0-9]+/).filter(Boolean).sort().join(' ');
}

/** @param {unknown} text */
function plain(text) {
  return String(text).toLowerCase().replace(/[^a-z0-9]+/g, '');
}
