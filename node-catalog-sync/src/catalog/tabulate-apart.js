/** Tabulates the port expressions of untrusted nodes in a separate process. */

/** @import {FoundNode, RawPort} from '../types.js' */

import { runChild } from '../source/child-process.js';

/** @typedef {{reads: string[], rows: Array<{when: Record<string, unknown>, ports: RawPort[]}>}} Tabulated */

const TIME_LIMIT_MS = 15_000;

/**
 * Uses one child for all: an expression that hangs or fills the memory costs the tables, not the sync.
 * @param {readonly FoundNode[]} nodes
 * @param {boolean} trustsNobody true if even n8n's own nodes were received over the network
 * @returns {Promise<{get: (source: string, node: FoundNode) => Tabulated | undefined}>}
 */
export async function tabulateApart(nodes, trustsNobody) {
  const isForeign = (/** @type {FoundNode} */ node) => trustsNobody || node.community;
  /** @type {Array<{source: string, properties: unknown, versions: number[], name: string}>} */
  const tasks = [];
  /** @type {Map<FoundNode, Map<string, number>>} */
  const places = new Map();
  for (const node of nodes) {
    if (!isForeign(node)) continue;
    const { inputs, outputs, properties, version, name } = node.description;
    for (const source of [inputs, outputs]) {
      if (typeof source !== 'string') continue;
      const indices = places.get(node) ?? new Map();
      indices.set(source, tasks.length);
      places.set(node, indices);
      tasks.push({ source, properties, versions: [version].flat(), name });
    }
  }
  /** @type {Tabulated[]} */
  let results = [];
  if (tasks.length > 0) {
    const answer = await runChild(new URL('../child/tabulate.js', import.meta.url), tasks, {
      timeLimitMs: TIME_LIMIT_MS,
    });
    if ('value' in answer) results = /** @type {Tabulated[]} */ (answer.value);
  }
  const nothing = { reads: [], rows: [] };
  return {
    get(source, node) {
      if (!isForeign(node)) return undefined;
      const index = places.get(node)?.get(source);
      return index === undefined ? nothing : (results[index] ?? nothing);
    },
  };
}
