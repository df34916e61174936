/** Determines whether a node is generic, such as HTTP Request: a specific node is then preferred. */

/** Nodes that run code, commands or arbitrary requests; from n8n's documentation of each. */
const GENERIC = new Set([
  'n8n-nodes-base.aiTransform',
  'n8n-nodes-base.code',
  'n8n-nodes-base.executeCommand',
  'n8n-nodes-base.function',
  'n8n-nodes-base.functionItem',
  'n8n-nodes-base.graphql',
  'n8n-nodes-base.httpRequest',
  'n8n-nodes-base.ssh',
  '@n8n/n8n-nodes-langchain.code',
  '@n8n/n8n-nodes-langchain.mcpClient',
  '@n8n/n8n-nodes-langchain.mcpClientTool',
  '@n8n/n8n-nodes-langchain.toolCode',
  '@n8n/n8n-nodes-langchain.toolHttpRequest',
]);

/**
 * @param {string} id
 * @param {string} [of] the node that this one was made from
 */
export function isGeneric(id, of) {
  return GENERIC.has(id) || (of !== undefined && GENERIC.has(of));
}
