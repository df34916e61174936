/** Finds node versions that a running n8n can load but does not list. */

/** @import {FoundNode, Description, VersionKeys} from '../types.js' */

/** @typedef {(path: string, body: unknown) => Promise<any>} Ask */

/** A version that no node has: what answers to it does not look at versions at all. */
const NO_VERSION = 99999;
/** Questions that n8n answers one by one, with a line in its log for each that fails. */
const MOST_SINGLE_QUESTIONS = 40;

/**
 * Asks for the version after the last one of each older implementation, which is where a class
 * has been seen to know more than its descriptions.
 *
 * @param {readonly FoundNode[]} nodes
 * @param {Ask} ask
 * @returns {Promise<Map<string, VersionKeys>>}
 */
export async function probeVersions(nodes, ask) {
  const stated = statedVersions(nodes);
  /** @type {Map<string, number[][]>} */
  const versioned = new Map([...stated].filter(([, lists]) => lists.length > 1));
  /** @type {Array<{id: string, version: number, list: number[]}>} */
  const questions = [];
  for (const [id, lists] of versioned) {
    for (const list of lists) {
      const version = Math.round((Math.max(...list) + 0.1) * 10) / 10;
      if (!lists.flat().includes(version)) questions.push({ id, version, list });
    }
  }
  /** @type {Map<string, VersionKeys>} */
  const keys = new Map();
  const answers = [
    ...(await askTogether(questions.filter(({ id }) => !id.startsWith('@')), ask)),
    ...(await askSingly(questions.filter(({ id }) => id.startsWith('@')), ask)),
  ];
  for (const { id, version, list } of answers) {
    const own = Object.fromEntries((versioned.get(id) ?? []).flatMap((versions) => versions.map((v) => [v, versions])));
    keys.set(id, { ...own, ...keys.get(id), [version]: list });
  }
  return keys;
}

/** @param {readonly FoundNode[]} nodes */
function statedVersions(nodes) {
  /** @type {Map<string, number[][]>} */
  const stated = new Map();
  for (const { id, description, generated } of nodes) {
    if (!generated) stated.set(id, [...(stated.get(id) ?? []), [description.version].flat()]);
  }
  return stated;
}

/**
 * Asks for all at once: n8n omits the nodes that it does not have. It accepts no scoped names.
 * @param {ReadonlyArray<{id: string, version: number, list: number[]}>} questions
 * @param {Ask} ask
 */
async function askTogether(questions, ask) {
  if (questions.length === 0) return [];
  const controls = [...new Set(questions.map(({ id }) => `${id}@${NO_VERSION}`))];
  const identifiers = questions.map(({ id, version }) => `${id}@${version}`);
  const careless = new Set((await identify(ask, controls)).map(({ name }) => name));
  const types = await identify(ask, identifiers);
  return questions.filter(({ id, list }) => {
    const short = id.slice(id.lastIndexOf('.') + 1);
    return types.some(
      ({ name, version }) =>
        (name === id || name === short) && !careless.has(name) && String([version].flat()) === String(list),
    );
  });
}

/**
 * @param {Ask} ask
 * @param {string[]} identifiers
 * @returns {Promise<Description[]>} empty where this n8n cannot be asked
 */
async function identify(ask, identifiers) {
  try {
    const answer = await ask('/rest/node-types/by-identifier', { identifiers: identifiers.slice(0, 1000) });
    return Array.isArray(answer) ? answer : (answer?.data ?? []);
  } catch {
    return [];
  }
}

/**
 * @param {ReadonlyArray<{id: string, version: number, list: number[]}>} questions
 * @param {Ask} ask
 */
async function askSingly(questions, ask) {
  const answers = [];
  for (const question of questions.slice(0, MOST_SINGLE_QUESTIONS)) {
    const has = await hasVersion(ask, question.id, question.version);
    if (has && !(await hasVersion(ask, question.id, NO_VERSION))) answers.push(question);
  }
  return answers;
}

/**
 * @param {Ask} ask
 * @param {string} name
 * @param {number} version
 */
async function hasVersion(ask, name, version) {
  try {
    const answer = await ask('/rest/node-types', { nodeInfos: [{ name, version }] });
    const list = Array.isArray(answer) ? answer : answer?.data;
    return typeof list?.[0]?.name === 'string';
  } catch {
    return false;
  }
}
