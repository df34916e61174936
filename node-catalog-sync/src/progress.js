/** Prints the phases of a sync with their times to standard error. */

/** @import {Report} from './types.js' */

/**
 * @param {boolean} quiet
 * @returns {Report} prints each finished phase to standard error with the time since the start
 */
export function startProgress(quiet) {
  if (quiet) return () => {};
  const start = performance.now();
  return (phase, detail) => {
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    process.stderr.write(`${seconds.padStart(5)} s  ${phase.padEnd(9)} ${detail}\n`);
  };
}
