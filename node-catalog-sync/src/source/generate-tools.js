/** Derives the tool variants of nodes that n8n generates, for sources that do not list them. */

/** @import {FoundNode, Description, Property} from '../types.js' */

const SEND_AND_WAIT = 'sendAndWait';
const AGENTS = ['@n8n/n8n-nodes-langchain.agent', '@n8n/n8n-nodes-langchain.agentTool'];

/**
 * @param {readonly FoundNode[]} nodes
 * @param {{humanReview: boolean}} about whether this n8n also makes human review tools
 * @returns {FoundNode[]} only the generated ones
 */
export function generateTools(nodes, { humanReview }) {
  const tools = nodes.filter(({ description }) => description.usableAsTool).map(asTool);
  const reviews = humanReview ? nodes.filter(canAskHumans).map(asReviewTool) : [];
  return [...tools, ...reviews];
}

/**
 * @param {FoundNode} node
 * @returns {FoundNode}
 */
function asTool(node) {
  const { usableAsTool, ...rest } = structuredClone(node.description);
  const replacements = typeof usableAsTool === 'object' ? usableAsTool.replacements : {};
  /** @type {Description} */
  const description = { ...rest, ...replacements };
  description.name = `${node.id}Tool`;
  description.displayName = `${description.displayName} Tool`;
  description.inputs = [];
  description.outputs = ['ai_tool'];
  if (!description.properties.some(({ name }) => name === 'toolDescription')) {
    describeTool(description);
  }
  const subcategories = description.codex?.subcategories?.Tools;
  setCategory(description, subcategories ?? ['Other Tools']);
  return { ...node, id: description.name, description, generated: 'ai_tool', of: node.id };
}

/**
 * Adds the parameters by which an agent learns what the tool is for, after the last callout.
 * @param {Description} description
 */
function describeTool(description) {
  const { properties } = description;
  const choosable = properties.some(({ name }) => name === 'resource' || name === 'operation');
  /** @type {Property} */
  const text = {
    displayName: 'Description',
    name: 'toolDescription',
    type: 'string',
    default: description.description,
    required: true,
    description: 'What the tool does, for the model that decides when to call it',
    ...(choosable ? { displayOptions: { show: { descriptionType: ['manual'] } } } : {}),
  };
  /** @type {Property} */
  const choice = {
    displayName: 'Tool Description',
    name: 'descriptionType',
    type: 'options',
    noDataExpression: true,
    options: [
      { name: 'Set Automatically', value: 'auto', description: 'Derived from resource and operation' },
      { name: 'Set Manually', value: 'manual', description: 'Written by hand' },
    ],
    default: 'auto',
  };
  const at = properties.findLastIndex(({ type }) => type === 'callout') + 1;
  properties.splice(at, 0, ...(choosable ? [choice, text] : [text]));
}

/** @param {FoundNode} node */
function canAskHumans({ id, description }) {
  return (
    !id.endsWith('Tool') &&
    (description.webhooks ?? []).length > 0 &&
    description.properties.some((property) => isSendAndWait(property))
  );
}

/** @param {Property} property */
function isSendAndWait({ name, options = [] }) {
  return (
    name === 'operation' && options.some((option) => 'value' in option && option.value === SEND_AND_WAIT)
  );
}

/**
 * @param {FoundNode} node
 * @returns {FoundNode}
 */
function asReviewTool(node) {
  const description = structuredClone(node.description);
  const resource = description.properties
    .filter(isSendAndWait)
    .map(({ displayOptions }) => displayOptions?.show?.resource?.[0])
    .find((value) => value !== undefined);
  description.name = `${node.id}HitlTool`;
  description.description = 'Asks a person to approve the call of a tool';
  description.defaults = { ...description.defaults, name: description.displayName };
  description.skipNameGeneration = true;
  description.inputs = [{ displayName: 'Tool', type: 'ai_tool', required: true }];
  description.outputs = [
    { displayName: 'Human review', type: 'ai_tool', filter: { nodes: AGENTS } },
  ];
  description.properties = reviewParameters(description.properties, resource);
  setCategory(description, ['Human in the Loop']);
  return { ...node, id: description.name, description, generated: 'hitl_tool', of: node.id };
}

/**
 * @param {readonly Property[]} properties
 * @param {unknown} resource
 * @returns {Property[]}
 */
function reviewParameters(properties, resource) {
  /** @type {Property[]} */
  const toolProperties = [
    {
      displayName: 'Message',
      name: 'message',
      type: 'string',
      default: '={{ $tool.name }}: {{ $tool.parameters }}',
      required: true,
      description: 'What the person is asked to approve',
    },
  ];
  for (const property of properties) {
    if (property.name === 'message') continue;
    if (property.name === 'resource') {
      if (resource) toolProperties.push(preset('Resource', 'resource', resource));
    } else if (property.name === 'operation') {
      toolProperties.push(preset('Operation', 'operation', SEND_AND_WAIT));
    } else if (property.name === 'responseType') {
      toolProperties.push(preset('Response Type', 'responseType', 'approval'));
    } else toolProperties.push(property);
  }
  return toolProperties;
}

/**
 * @param {string} displayName
 * @param {string} name
 * @param {unknown} value
 * @returns {Property}
 */
function preset(displayName, name, value) {
  return { displayName, name, type: 'hidden', default: value };
}

/**
 * @param {Description} description
 * @param {string[]} tools
 */
function setCategory(description, tools) {
  const { codex } = description;
  description.codex = {
    categories: ['AI'],
    subcategories: { AI: ['Tools'], Tools: tools },
    resources: codex?.resources ?? {},
    ...(codex?.alias ? { alias: codex.alias } : {}),
  };
}
