/** Reduces n8n's parameter declarations to the fields that checks, search and prompts read. */

/** @import {Property, Choice, Group} from '../types.js' */

export const CUSTOM_API_CALL = '__CUSTOM_API_CALL__';

/** Request building and looks. n8n-workflow's NodeHelpers reads none of these keys. */
const DROPPED_KEYS = new Set([
  'routing',
  'placeholder',
  'hint',
  'builderHint',
  'requiresDataPath',
  'iconUrl',
  'icon',
  'iconColor',
]);

const DROPPED_MODE_KEYS = new Set(['placeholder', 'hint', 'url', 'initType']);

const DROPPED_TYPE_OPTIONS = new Set([
  'rows',
  'buttonConfig',
  'editorIsReadOnly',
  'codeAutocomplete',
  'containerClass',
  'multipleValueButtonText',
  'addOptionalFieldButtonText',
  'alwaysOpenEditWindow',
  'hideEmptyMessage',
  'showAlpha',
  'sortable',
  'calloutAction',
  'noticeTheme',
  'sectionHeader',
  'fixedCollection',
]);

/**
 * Returns the parameters without the fields that only the editor or the request builder reads.
 * @param {readonly Property[]} properties
 * @returns {Property[]}
 */
export function pruneParameters(properties) {
  return properties.filter(isProperty).map(pruneProperty);
}

/**
 * Returns whether n8n appended its "custom API call" choice to a resource or operation list.
 * @param {readonly Property[]} properties
 */
export function hasCustomApiCall(properties) {
  return properties.some((property) =>
    (property.options ?? []).some((option) => 'value' in option && option.value === CUSTOM_API_CALL),
  );
}

/**
 * Separates the groups and parameters among the options of a property from plain choices.
 * @param {Choice | Property | Group} option
 * @returns {option is Property}
 */
export function isChildProperty(option) {
  return 'type' in option && typeof option.type === 'string' && !('value' in option);
}

/**
 * @param {Choice | Property | Group} option
 * @returns {option is Group}
 */
export function isGroup(option) {
  return 'values' in option && Array.isArray(option.values);
}

/**
 * @param {unknown} value
 * @returns {value is Property}
 */
function isProperty(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (/** @type {Property} */ (value).name) === 'string' &&
    typeof (/** @type {Property} */ (value).type) === 'string'
  );
}

/**
 * @param {Property} property
 * @returns {Property}
 */
function pruneProperty(property) {
  /** @type {Record<string, unknown>} */
  const copy = {};
  for (const [key, value] of Object.entries(property)) {
    if (DROPPED_KEYS.has(key) || value === undefined) continue;
    if (key === 'options' && Array.isArray(value)) copy.options = pruneOptions(value);
    else if (key === 'values' && Array.isArray(value)) copy.values = pruneParameters(value);
    else if (key === 'modes' && Array.isArray(value)) copy.modes = value.map(pruneMode);
    else if (key === 'typeOptions') addTypeOptions(copy, value);
    else copy[key] = value;
  }
  addHint(copy, property.builderHint);
  return /** @type {Property} */ (copy);
}

/**
 * @param {Array<Choice | Property | Group>} options
 * @returns {Array<Choice | Property | Group>}
 */
function pruneOptions(options) {
  return options
    .filter((option) => typeof option === 'object' && option !== null)
    .filter((option) => !('value' in option) || option.value !== CUSTOM_API_CALL)
    .map((option) => {
      if (isChildProperty(option)) return pruneProperty(option);
      const { ...copy } = option;
      for (const key of Object.keys(copy)) if (DROPPED_KEYS.has(key)) delete copy[key];
      if (isGroup(copy)) {
        copy.values = pruneParameters(copy.values);
        if ('typeOptions' in copy) {
          const { typeOptions } = copy;
          delete copy.typeOptions;
          addTypeOptions(copy, typeOptions);
        }
      }
      addHint(copy, option.builderHint);
      return copy;
    });
}

/** @param {Record<string, unknown>} mode */
function pruneMode(mode) {
  /** @type {Record<string, unknown>} */
  const copy = {};
  for (const [key, value] of Object.entries(mode)) {
    if (DROPPED_MODE_KEYS.has(key)) continue;
    if (key === 'typeOptions') addTypeOptions(copy, value);
    else copy[key] = value;
  }
  return copy;
}

/**
 * @param {Record<string, unknown>} copy
 * @param {unknown} typeOptions
 */
function addTypeOptions(copy, typeOptions) {
  if (typeof typeOptions !== 'object' || typeOptions === null) return;
  /** @type {Record<string, unknown>} */
  const pruned = {};
  for (const [key, value] of Object.entries(typeOptions)) {
    if (DROPPED_TYPE_OPTIONS.has(key)) continue;
    // A declarative request that fills the list at run time; only that it exists matters.
    pruned[key] = key === 'loadOptions' ? true : value;
  }
  if (Object.keys(pruned).length > 0) copy.typeOptions = pruned;
}

/**
 * Returns the one sentence that n8n states for the writer of a value.
 * @param {Record<string, unknown>} copy
 * @param {unknown} builderHint
 */
function addHint(copy, builderHint) {
  if (typeof builderHint !== 'object' || builderHint === null) return;
  const { propertyHint } = /** @type {{propertyHint?: unknown}} */ (builderHint);
  if (typeof propertyHint === 'string') copy.builderHint = { propertyHint };
}
