/** Reads the facts about a node variant that only the sidecar's n8n domain uses. */

/** @import {FoundNode, Variant, Port, DynamicPorts} from '../types.js' */

const WEBHOOK_KEYS = [
  'name',
  'httpMethod',
  'path',
  'responseMode',
  'responseData',
  'isFullPath',
  'restartWebhook',
  'nodeType',
];

/**
 * @param {FoundNode} node
 * @param {Pick<Variant, 'inputs' | 'outputs'>} sides
 * @param {boolean} customApiCall
 * @returns {Record<string, unknown>} only the traits that the variant has
 */
export function readTraits(node, sides, customApiCall) {
  const { description } = node;
  const { builderHint } = description;
  const documentation = description.codex?.resources?.primaryDocumentation?.[0]?.url;
  const kinds = outputKinds(sides.outputs).filter((kind) => kind !== 'main');
  /** @type {Record<string, unknown>} */
  const traits = {
    group: description.group,
    trigger: isTrigger(node) || undefined,
    polling: description.polling === true || undefined,
    webhook: (description.webhooks ?? []).length > 0 || undefined,
    webhooks: description.webhooks?.length ? description.webhooks.map(pruneWebhook) : undefined,
    hidden: description.hidden === true || undefined,
    max_nodes: description.maxNodes,
    default_name: description.defaults?.name,
    usable_as_tool: description.usableAsTool ? true : undefined,
    tool_of: node.of,
    generated: node.generated,
    provides: kinds.length > 0 ? kinds : undefined,
    input_hints: builderHint?.inputs,
    output_hints: builderHint?.outputs,
    required_inputs: description.requiredInputs,
    features: description.features,
    base_url: description.requestDefaults?.baseURL,
    supports_cors: description.supportsCORS === true || undefined,
    skip_name_generation: description.skipNameGeneration === true || undefined,
    custom_api_call: customApiCall || undefined,
    search_hint: builderHint?.searchHint,
    related: builderHint?.relatedNodes?.map((related) => (typeof related === 'string' ? related : related.nodeType)),
    docs: documentation,
    excluded: node.availability === 'excluded' ? 'kept out by the configuration of n8n' : undefined,
  };
  for (const [key, value] of Object.entries(traits)) if (value === undefined) delete traits[key];
  return traits;
}

/** @param {FoundNode} node */
export function isTrigger(node) {
  return node.description.group?.includes('trigger') ?? false;
}

/**
 * Lists every kind of connection that the outputs can have.
 * @param {Port[] | DynamicPorts} outputs
 */
export function outputKinds(outputs) {
  const ports = Array.isArray(outputs) ? outputs : (outputs.table ?? []).flatMap((row) => row.ports);
  return [...new Set(ports.map((port) => port.kind))].sort();
}

/** @param {Record<string, unknown>} webhook */
function pruneWebhook(webhook) {
  return Object.fromEntries(
    WEBHOOK_KEYS.filter((key) => webhook[key] !== undefined).map((key) => [key, webhook[key]]),
  );
}
