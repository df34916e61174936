/** Finds what makes the description of a community node unusable for the catalog. */

/**
 * Returns the first fault in a package's description of one of its nodes, undefined without one.
 * @param {any} description
 * @returns {string | undefined}
 */
export function findFlaw(description) {
  if (typeof description !== 'object' || description === null) return 'it is not an object';
  const { displayName, version, properties, inputs, outputs, credentials, name } = description;
  if (typeof name !== 'string' || name.length > 300) return 'name is not a string of at most 300 characters';
  if (typeof displayName !== 'string' || displayName === '') return 'displayName is missing';
  if (![version].flat().every(Number.isFinite) || [version].flat().length === 0) return 'version is not a number';
  if (!Array.isArray(properties) || !properties.every(isNamedAndTyped)) return 'properties lack names or types';
  if (!isSide(inputs) || !isSide(outputs)) return 'inputs or outputs are neither a list nor an expression';
  if (credentials !== undefined && !isCredentials(credentials)) return 'credentials lack names';
  if (!['string', 'undefined'].includes(typeof description.description)) return 'description is not a string';
  for (const key of ['group', 'webhooks', 'inputNames', 'outputNames']) {
    if (description[key] !== undefined && !Array.isArray(description[key])) return `${key} is not a list`;
  }
  return undefined;
}

/** @param {any} property */
function isNamedAndTyped(property) {
  return typeof property?.name === 'string' && typeof property.type === 'string';
}

/** @param {any} side */
function isSide(side) {
  if (typeof side === 'string') return true;
  return Array.isArray(side) && side.every((port) => typeof (port?.type ?? port) === 'string');
}

/** @param {any} credentials */
function isCredentials(credentials) {
  return (
    Array.isArray(credentials) &&
    credentials.every(
      (credential) => typeof credential?.name === 'string' && ['boolean', 'undefined'].includes(typeof credential.required),
    )
  );
}
