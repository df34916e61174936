// Answers questions about the parameters and credentials of one node by an installed n8n.

import { short } from './short.mjs';

/** Returns the questions about a node's own settings, with n8n's functions, SDK and types. */
export function ofSettings({ constants, sdk, types }) {
  const { NodeHelpers, validateNodeCredentials } = constants;
  return { parameters, credentials };

  function described(node) {
    const type = types.getByNameAndVersion(node.type, node.typeVersion);
    if (!type) throw new Error(`n8n has no ${node.type} ${node.typeVersion}`);
    const { description } = type;
    const latest = Array.isArray(description.version) ? Math.max(...description.version) : description.version;
    return { description, typed: { ...node, typeVersion: node.typeVersion ?? description.defaultVersion ?? latest } };
  }

  /** Returns which parameters n8n accepts, misses or refuses, and the errors of its SDK schemas. */
  function parameters(scene, place) {
    const { description, typed } = described(scene.given.get(place.node));
    const answer = { version: typed.typeVersion, issues: {}, thrown: '' };
    try {
      const filled = NodeHelpers.getNodeParameters(
        description.properties, typed.parameters ?? {}, true, false, typed, description,
      );
      answer.filled = at(filled, place.route);
      answer.has = answer.filled !== undefined;
      const full = { ...typed, parameters: filled };
      const issues = NodeHelpers.getNodeParametersIssues(description.properties, full, description);
      answer.issues = issues?.parameters ?? {};
    } catch (error) {
      answer.thrown = short(error);
    }
    answer.named = types.mentions(typed.type, place.value);
    answer.offered = description.properties
      .filter((parameter) => parameter.name === place.route.at(-1) && shown(parameter, typed, description))
      .some((parameter) => (parameter.options ?? []).some((option) => option.value === place.value));
    answer.declarative = types.isDeclarative(typed.type, typed.typeVersion);
    answer.never = isNever(typed.parameters ?? {}, place.route);
    answer.compared = compared(typed.parameters ?? {}, place.route);
    answer.json = place.value === undefined ? '' : unreadable(place.value);
    if (place.intended) answer.renamed = renamed(description, typed, place);
    const judged = sdk.validateNodeConfig(typed.type, typed.typeVersion, { parameters: typed.parameters ?? {} });
    answer.sdk = judged.valid ? [] : judged.errors.map(({ path: where, message }) => ({ path: where, message }));
    return answer;
  }

  function shown(property, node, description) {
    const full = NodeHelpers.getNodeParameters(description.properties, node.parameters ?? {}, true, false, node, description);
    return NodeHelpers.displayParameter(full ?? {}, property, node, description);
  }

  /** Checks that no sample satisfies a condition, not even its own right side. */
  function isNever(given, route) {
    const end = route.lastIndexOf('conditions') + 2;
    const condition = end > 1 ? at(given, route.slice(0, end)) : undefined;
    const { rightValue, operator } = condition ?? {};
    if (!operator?.operation || (typeof rightValue === 'string' && rightValue.startsWith('='))) return false;
    const settings = { typeValidation: 'loose', version: 2, caseSensitive: true, leftValue: '' };
    const samples = [rightValue, null, '', 'a', 0, -1e9, 1e9, true, false, '1970-01-01', '2999-01-01', [], ['a'], {}, { a: 1 }];
    return samples.every((leftValue) => {
      try {
        return !constants.executeFilterCondition({ ...condition, leftValue }, settings, { index: 0 });
      } catch {
        return true;
      }
    });
  }

  /** Returns the error of n8n's own comparison for a filter condition with a value of the right type. */
  function compared(given, route) {
    const end = route.lastIndexOf('conditions') + 2;
    const condition = end > 1 ? at(given, route.slice(0, end)) : undefined;
    if (!condition?.operator || typeof condition.operator !== 'object') return '';
    const { options = {} } = at(given, route.slice(0, end - 2)) ?? {};
    const sample = { number: 1, boolean: true, dateTime: '2024-01-01', array: [], object: {} };
    const leftValue = sample[condition.operator.type] ?? 'a';
    const settings = { typeValidation: 'strict', version: 2, caseSensitive: true, leftValue: '', ...options };
    try {
      constants.executeFilterCondition({ ...condition, leftValue }, settings, { index: 0 });
      return '';
    } catch (error) {
      return short(error);
    }
  }

  function unreadable(value) {
    if (typeof value !== 'string') return '';
    try {
      JSON.parse(value);
      return '';
    } catch (error) {
      return short(error);
    }
  }

  /** Returns the results of the parameter check and the SDK schemas with the value under the intended name. */
  function renamed(description, typed, { route, intended, value }) {
    const given = structuredClone(typed.parameters ?? {});
    const holder = at(given, route.slice(0, -1)) ?? given;
    delete holder[route.at(-1)];
    holder[intended] = value;
    const filled = NodeHelpers.getNodeParameters(description.properties, given, true, false, typed, description);
    const full = { ...typed, parameters: filled };
    const issues = NodeHelpers.getNodeParametersIssues(description.properties, full, description);
    const judged = sdk.validateNodeConfig(typed.type, typed.typeVersion, { parameters: given });
    return {
      filled: at(filled, [...route.slice(0, -1), intended]) !== undefined,
      issues: Object.keys(issues?.parameters ?? {}),
      sdk: judged.valid ? [] : judged.errors.map(({ path: where, message }) => ({ path: where, message })),
    };
  }

  function at(value, route) {
    return route.reduce((inside, key) => (inside && typeof inside === 'object' ? inside[key] : undefined), value);
  }

  /** Returns which credential types a node declares, misses or selects, and whether the type exists. */
  function credentials(scene, place) {
    const { description, typed } = described(scene.given.get(place.node));
    const filled = NodeHelpers.getNodeParameters(
      description.properties, typed.parameters ?? {}, true, false, typed, description,
    );
    return {
      declared: (description.credentials ?? []).map(({ name }) => name),
      missing: typed.disabled
        ? []
        : validateNodeCredentials({ ...typed, parameters: filled }, { description }).map((credential) => credential.credentialName),
      exists: types.credentials.has(place.name),
      chosen: [filled.nodeCredentialType, filled.genericAuthType].filter((type) => typeof type === 'string'),
    };
  }
}
