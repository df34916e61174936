/** Runs one sync: reads the source, builds the catalog, writes or sends it. */

/** @import {Catalog, Found, Report} from './types.js' */

import { buildCatalog } from './catalog/build.js';
import { pushCatalog, serialise, writeCatalog } from './write.js';

/**
 * @typedef {object} Target
 * @property {string} [output] file or `-`
 * @property {string} [push] URL of a sidecar
 * @property {string} [token]
 */

/**
 * @param {(report: Report) => Promise<Found>} read
 * @param {Target} target
 * @param {Report} report
 * @returns {Promise<Catalog>}
 */
export async function sync(read, target, report) {
  const installation = await read(report);
  const catalog = await buildCatalog(installation);
  report('build', `${catalog.tools.length} tools, ${catalog.credentials.length} credential types`);
  const text = serialise(catalog);
  if (target.output !== undefined) {
    await writeCatalog(target.output, text);
    report('write', `${target.output}, ${(Buffer.byteLength(text) / 1e6).toFixed(1)} MB`);
  }
  if (target.push !== undefined) {
    const answer = await pushCatalog(target.push, text, target.token);
    report('push', `${target.push}: ${answer.slice(0, 200)}`);
  }
  return catalog;
}
