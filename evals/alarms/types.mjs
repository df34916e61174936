// Provides the node types of the installed packages to n8n's Workflow, loaded on first use.

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const PACKAGES = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'];

/** Returns node types by full name and version; `credentials` has the names of credential types. */
export function typesOf(require, modules) {
  const { NodeHelpers } = require('n8n-workflow');
  const { convertNodeToAiTool } = require(path.join(modules, 'n8n', 'dist', 'tool-generation'));
  const known = new Map();
  const credentials = new Set();
  for (const name of PACKAGES) {
    const folder = path.join(modules, name);
    const named = (what) => Object.entries(require(path.join(folder, 'dist', 'known', `${what}.json`)));
    for (const [short, place] of named('nodes')) {
      known.set(`${name}.${short}`, { ...place, sourcePath: path.join(folder, place.sourcePath) });
    }
    for (const [type] of named('credentials')) credentials.add(type);
  }
  const loaded = new Map();
  const versioned = new Map();

  function load(full) {
    const place = known.get(full);
    if (!place) return undefined;
    if (!loaded.has(full)) loaded.set(full, new (require(place.sourcePath)[place.className])());
    return loaded.get(full);
  }

  function versionOf(full, version) {
    const type = load(full);
    const match = type && NodeHelpers.getVersionedNodeType(type, version);
    return match?.description ? match : undefined;
  }

  function asTool(base, version) {
    const match = versionOf(base, version);
    if (!match?.description.usableAsTool) return undefined;
    const { usableAsTool } = match.description;
    const replaced = typeof usableAsTool === 'object' ? usableAsTool.replacements : {};
    const { properties } = match.description;
    return convertNodeToAiTool({ description: { ...match.description, properties: [...properties], ...replaced } });
  }

  function getByNameAndVersion(full, version) {
    const key = `${full}@${version}`;
    if (!versioned.has(key)) {
      const own = versionOf(full, version);
      const made = own ?? (full.endsWith('Tool') ? asTool(full.slice(0, -4), version) : undefined);
      versioned.set(key, made);
    }
    return versioned.get(key);
  }

  /** Checks whether the code in a node's folder compares with a text or exports that name. */
  function mentions(full, text) {
    const place = known.get(full) ?? known.get(full.replace(/Tool$/, ''));
    if (!place || typeof text !== 'string') return true;
    const folder = path.dirname(place.sourcePath);
    const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const branch = new RegExp(`(?:[!=]==?|case)\\s*["'\`]${escaped}["'\`]|\\bexports\\.${escaped}\\b`);
    return readdirSync(folder, { recursive: true, withFileTypes: true }).some((file) => {
      if (!file.isFile() || !file.name.endsWith('.js')) return false;
      const code = readFileSync(path.join(file.parentPath, file.name), 'utf8');
      return branch.test(code);
    });
  }

  /** Checks whether a node has no code, so that its options alone define the request. */
  function isDeclarative(full, version) {
    const type = getByNameAndVersion(full, version);
    const methods = ['execute', 'supplyData', 'trigger', 'webhook', 'poll'];
    return methods.every((name) => typeof type?.[name] !== 'function');
  }

  return {
    isDeclarative,
    mentions,
    credentials,
    getByNameAndVersion,
    getByName: (full) => load(full),
    getKnownTypes: () => Object.fromEntries(known),
  };
}
