/** Determines which versions each implementation of a node serves. */

/** @import {FoundNode, VersionKeys} from '../types.js' */

/**
 * Distributes versions over implementations: a version belongs to one of them. Where the class is
 * known its `nodeVersions` decide, because n8n looks a version up there: keys that no description
 * states are added, stated versions without a key are dropped.
 *
 * @param {readonly FoundNode[]} nodes implementations of one id, best first
 * @param {VersionKeys | undefined} keys
 * @returns {Array<{node: FoundNode, versions: number[]}>} ascending, without empty ones
 */
export function assignVersions(nodes, keys) {
  const shares = nodes.map((node) => ({ node, versions: stated(node) }));
  if (keys !== undefined && Object.keys(keys).length > 0) followClass(shares, keys);
  /** @type {Set<number>} */
  const taken = new Set();
  for (const share of shares) {
    share.versions = share.versions.filter((version) => !taken.has(version)).sort((a, b) => a - b);
    for (const version of share.versions) taken.add(version);
  }
  return shares
    .filter(({ versions }) => versions.length > 0)
    .sort((a, b) => (a.versions[0] ?? 0) - (b.versions[0] ?? 0));
}

/** @param {FoundNode} node */
function stated({ description }) {
  const versions = Array.isArray(description.version) ? description.version : [description.version];
  return [...new Set(versions.map(Number).filter(Number.isFinite))];
}

/**
 * @param {Array<{node: FoundNode, versions: number[]}>} shares
 * @param {VersionKeys} keys
 */
function followClass(shares, keys) {
  const loadable = new Set(Object.keys(keys).map(Number));
  const stateds = shares.map(({ versions }) => signature(versions));
  for (const [key, description] of Object.entries(keys)) {
    const version = Number(key);
    if (shares.some(({ versions }) => versions.includes(version))) continue;
    const index = stateds.indexOf(signature(description));
    shares[index]?.versions.push(version);
  }
  for (const share of shares) {
    const loadableVersions = share.versions.filter((version) => loadable.has(version));
    if (loadableVersions.length > 0) share.versions = loadableVersions;
  }
}

/** @param {readonly number[]} versions */
function signature(versions) {
  return [...versions].sort((a, b) => a - b).join();
}
