/** Removes and cuts what community packages declare in excess, so that no package blocks the catalog. */

/** @import {FoundNode, FoundCredential} from '../types.js' */

// The sidecar cuts such texts at the same length, and takes no line longer than 16 MB.
const MOST_TEXT_CHARS = 4000;
const MOST_TYPE_BYTES = 4 * 1024 * 1024;
const MOST_PACKAGE_BYTES = 32 * 1024 * 1024;
const TEXTS = new Set(['displayName', 'description', 'hint', 'placeholder', 'action', 'subtitle', 'notice']);

/**
 * Cuts, in place, the texts of community descriptions that only people read, and returns types
 * that are still too large.
 *
 * @param {readonly {package: string, description: any, community?: boolean}[]} types
 * @param {ReadonlySet<string>} foreign names of the packages that are not part of n8n
 * @param {Map<string, string>} errors the message about each package
 * @returns {Set<unknown>} the types to leave out
 */
export function boundTypes(types, foreign, errors) {
  /** @type {Set<unknown>} */
  const left = new Set();
  /** @type {Map<string, number>} */
  const sizes = new Map();
  for (const type of types) {
    const owner = type.package;
    if (!foreign.has(owner)) continue;
    const name = String(type.description?.name).slice(0, 300);
    const cut = cutTexts(type.description);
    if (cut !== undefined) {
      tell(errors, owner, `${cut} in ${name} was longer than ${MOST_TEXT_CHARS} characters and was cut`);
    }
    const bytes = Buffer.byteLength(JSON.stringify(type.description) ?? '');
    const all = (sizes.get(owner) ?? 0) + bytes;
    if (bytes > MOST_TYPE_BYTES) {
      tell(errors, owner, `${name} describes itself in more than 4 MB and was left out`);
      left.add(type);
    } else if (all > MOST_PACKAGE_BYTES) {
      tell(errors, owner, `the package describes itself in more than 32 MB; ${name} and what follows was left out`);
      left.add(type);
    } else {
      sizes.set(owner, all);
    }
  }
  return left;
}

/**
 * @param {Map<string, string>} errors
 * @param {string} owner
 * @param {string} message the first one stays
 */
function tell(errors, owner, message) {
  if (!errors.has(owner)) errors.set(owner, message);
}

/**
 * @param {any} root
 * @returns {string | undefined} the first key whose text was cut
 */
function cutTexts(root) {
  /** @type {string | undefined} */
  let first;
  const open = [root];
  /** @type {Set<unknown>} */
  const seen = new Set();
  while (open.length > 0) {
    const current = open.pop();
    if (typeof current !== 'object' || current === null || seen.has(current)) continue;
    seen.add(current);
    for (const [key, value] of Object.entries(current)) {
      if (typeof value === 'string' && value.length > MOST_TEXT_CHARS && TEXTS.has(key)) {
        current[key] = `${value.slice(0, MOST_TEXT_CHARS - 1)}\u2026`;
        first ??= key;
      } else {
        open.push(value);
      }
    }
  }
  return first;
}
