/** Adds the parameters that n8n adds to every node of a kind when it loads the node. */

/** @import {Anything} from './class-loader.js' */

/**
 * Polling nodes get poll times, webhook nodes that ask for it get allowed origins, declarative
 * nodes get request options. The declarations themselves come from the installed n8n-core.
 *
 * @param {Anything} node one implementation; its description is changed in place
 * @param {Anything} constants of n8n-core's node loader, empty when there is none
 */
export function addCommonParameters(node, constants) {
  const { description } = node;
  const { properties } = description;
  if (!Array.isArray(properties)) return;
  if (description.polling) properties.unshift(...(constants.commonPollingParameters ?? []));
  if (node.webhook && description.supportsCORS) addOrigins(properties, constants.commonCORSParameters ?? []);
  if (isDeclarative(node)) addRequestOptions(properties, constants.commonDeclarativeNodeOptionParameters);
}

/** @param {Anything} node */
function isDeclarative({ execute, trigger, webhook, description }) {
  if (execute || trigger || webhook || description.polling) return false;
  const outputs = Array.isArray(description.outputs) ? description.outputs : [];
  return outputs.every(
    (/** @type {any} */ output) => (typeof output === 'string' ? output : output?.type) === 'main',
  );
}

/**
 * @param {Anything[]} properties
 * @param {Anything[]} origins
 */
function addOrigins(properties, origins) {
  const options = properties.find(({ name }) => name === 'options');
  if (options) options.options = [...origins, ...options.options];
  else properties.push(...origins);
}

/**
 * @param {Anything[]} properties
 * @param {Anything | undefined} common
 */
function addRequestOptions(properties, common) {
  if (common === undefined) return;
  const index = properties.findIndex(({ name }) => name === 'requestOptions');
  if (index === -1) {
    properties.push(common);
    return;
  }
  const options = [...(common.options ?? []), ...(properties[index]?.options ?? [])];
  options.sort((a, b) => (a.displayName < b.displayName ? -1 : a.displayName > b.displayName ? 1 : 0));
  properties[index] = { ...common, options };
}
