/** Converts the inputs or outputs of a node description to catalog ports. */

/** @import {Description, RawPort, Port, DynamicPorts, PortRow} from '../types.js' */

/**
 * Reads one side of a node: a list, or an expression with its table.
 * @param {Description} description
 * @param {'inputs' | 'outputs'} side
 * @param {(source: string) => {reads: string[], rows: Array<{when: Record<string, unknown>, ports: RawPort[]}>}} evaluate
 * @returns {Port[] | DynamicPorts}
 */
export function readPorts(description, side, evaluate) {
  const declared = description[side];
  if (typeof declared === 'string') {
    const { reads, rows } = evaluate(declared);
    /** @type {PortRow[]} */
    const table = rows.map(({ when, ports }) => ({ when, ports: ports.map((port) => readPort(port)) }));
    return { source: declared, reads, ...(table.length > 0 ? { table } : {}) };
  }
  const names = side === 'inputs' ? description.inputNames : description.outputNames;
  const hints = side === 'inputs' ? description.builderHint?.inputs : undefined;
  return (declared ?? []).map((port, index) => {
    const read = readPort(port, names?.[index]);
    const hint = hints?.[read.kind];
    // The hint applies only if the port itself states nothing.
    if (hint?.required === true && !hint.displayOptions && !declaresRequired(port)) read.required = true;
    return read;
  });
}

/**
 * @param {RawPort} port
 * @param {string} [fallbackName]
 * @returns {Port}
 */
function readPort(port, fallbackName) {
  if (typeof port === 'string') return { kind: port, ...(fallbackName ? { name: fallbackName } : {}) };
  const { type, displayName, required, maxConnections = -1, category, filter } = port ?? {};
  const name = displayName || fallbackName;
  return {
    kind: String(type),
    ...(name ? { name: String(name) } : {}),
    ...(required === true ? { required } : {}),
    ...(Number.isInteger(maxConnections) && maxConnections >= 0 ? { max: maxConnections } : {}),
    ...(Array.isArray(filter?.nodes) ? { accepts: filter.nodes.map(String) } : {}),
    ...(Array.isArray(filter?.excludedNodes) ? { refuses: filter.excludedNodes.map(String) } : {}),
    ...(category === 'error' ? { role: /** @type {const} */ ('error') } : {}),
  };
}

/** @param {RawPort} port */
function declaresRequired(port) {
  return typeof port === 'object' && port.required !== undefined;
}
