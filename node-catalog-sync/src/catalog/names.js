/** Derives a node's aliases, its family (vendor or group) and the name of its service. */

/** @import {FoundNode} from '../types.js' */

import path from 'node:path';

const KIND_SUFFIX = /(HitlTool|Tool|Trigger)$/;
const CREDENTIAL_SUFFIX =
  /(ServiceAccountApi|OAuth2Api|OAuth1Api|OAuth2|OAuthApi|TokenApi|ApiKey|BasicAuth|HeaderAuth|AccessToken|PersonalAccessToken|Token|Api)$/i;
/** Credentials with these names do not identify a vendor. */
const COMMON_CREDENTIALS = /^(http|oAuth|jwtAuth|crypto|imap|smtp|ftp|sftp|ssh)/;
/** Folders of the langchain package that group by kind, not by vendor. */
const KIND_FOLDERS = new Set([
  'agents', 'chains', 'code', 'document_loaders', 'embeddings', 'llms', 'memory', 'mcp',
  'modelselector', 'model_selector', 'output_parser', 'rerankers', 'retrievers', 'text_splitters',
  'tools', 'trigger', 'toolexecutor', 'vector_store', 'vendors', 'guardrails', 'core',
]);

/**
 * Lists other names of exactly this node: class, file and the names of its other variants.
 * @param {readonly FoundNode[]} nodes implementations of one id
 * @param {string} name what people see
 */
export function readAliases(nodes, name) {
  /** @type {Set<string>} */
  const aliases = new Set();
  for (const node of nodes) {
    aliases.add(node.description.displayName);
    // A generated tool shares class and file with the node it is made from.
    if (node.generated) continue;
    if (node.className) aliases.add(node.className);
    if (node.file) aliases.add(path.basename(node.file).replace(/\.[cm]?js$/, ''));
  }
  aliases.delete(name);
  return [...aliases].filter(Boolean).sort();
}

/**
 * Names the vendor or service group: the folder of the node, else the vendor of its credential.
 * @param {FoundNode} node
 * @returns {string | undefined}
 */
export function readFamily(node) {
  const folders = node.place?.split('/').slice(0, -1) ?? [];
  const [top = '', second = ''] = folders;
  const folder = top.toLowerCase() === 'vendors' ? second : top;
  if (folder && !KIND_FOLDERS.has(folder.toLowerCase())) return plain(folder.replace(/(?<=.)Trigger$/, ''));
  for (const { name } of node.description.credentials ?? []) {
    if (typeof name !== 'string' || COMMON_CREDENTIALS.test(name)) continue;
    const vendor = name.replace(CREDENTIAL_SUFFIX, '');
    if (vendor) return plain(vendor);
  }
  if (!node.community || node.package === 'CUSTOM') return undefined;
  const unscoped = node.package.replace(/^@[^/]+\//, '');
  return plain(unscoped.replace(/^n8n-nodes-/, '')) || undefined;
}

/**
 * Names the service for capabilities: `n8n-nodes-base.gmailTrigger` gives `gmail`.
 * @param {string} id
 */
export function serviceOf(id) {
  const short = id.slice(id.lastIndexOf('.') + 1);
  return short.replace(KIND_SUFFIX, '') || short;
}

/** @param {string} text */
function plain(text) {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, '');
}
