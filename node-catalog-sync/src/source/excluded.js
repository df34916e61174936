/** Determines which nodes the configuration of n8n excludes. */

/** What n8n 2 excludes when NODES_EXCLUDE is not set; n8n 1 excluded nothing. */
const DEFAULT_EXCLUDED = ['n8n-nodes-base.executeCommand', 'n8n-nodes-base.localFileTrigger'];
/** Excluded in production, whatever the configuration. */
const NEVER_OFFERED = ['n8n-nodes-base.e2eTest', 'n8n-nodes-base.dynamicCredentialCheck'];

/**
 * @param {Record<string, string | undefined>} env
 * @param {string} n8nVersion or that of n8n-nodes-base, which has the same major
 * @returns {(id: string) => boolean}
 */
export function exclusionRule(env, n8nVersion) {
  const major = Number.parseInt(n8nVersion, 10);
  const excluded = new Set([
    ...(listOf(env.NODES_EXCLUDE) ?? (major >= 2 ? DEFAULT_EXCLUDED : [])),
    ...NEVER_OFFERED,
  ]);
  const included = listOf(env.NODES_INCLUDE) ?? [];
  return (id) => excluded.has(id) || (included.length > 0 && !included.includes(id));
}

/**
 * @param {string | undefined} text a JSON list
 * @returns {string[] | undefined}
 */
function listOf(text) {
  try {
    const value = JSON.parse(text ?? '');
    return Array.isArray(value) ? value.map(String) : undefined;
  } catch {
    return undefined;
  }
}
