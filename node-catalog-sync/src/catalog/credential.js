/** Makes the catalog line of a credential type; determines its hosts and whether it signs requests. */

/** @import {FoundCredential, CredentialDescription, CredentialLine} from '../types.js' */

import { accountHosts, literalHosts } from './hosts.js';
import { pruneParameters } from './parameters.js';

/** Credential types whose descendants n8n can sign any request with. */
const SIGNING_BASES = ['oAuth2Api', 'googleOAuth2Api', 'oAuth1Api'];

/**
 * @param {FoundCredential} found
 * @param {readonly string[]} tools ids of the tools that name it
 * @returns {CredentialLine}
 */
export function makeCredential({ package: owner, description }, tools) {
  const { name, displayName, extends: parents, properties = [], httpRequestNode } = description;
  const offered = /** @type {Record<string, unknown> | undefined} */ (httpRequestNode);
  /** @type {Record<string, unknown>} */
  const traits = {
    authenticate: kindOfAuthentication(description.authenticate),
    generic_auth: description.genericAuth === true || undefined,
    hidden: description.hidden === true || undefined,
    restrict_to_supported_nodes: description.restrictToSupportedNodes === true || undefined,
    http_request: offered && {
      name: offered.name,
      ...(offered.apiBaseUrl ? { base_url: offered.apiBaseUrl } : {}),
    },
    hosts: nonEmpty(credentialHosts(description)),
    docs: description.documentationUrl,
  };
  for (const [key, value] of Object.entries(traits)) if (value === undefined) delete traits[key];
  return {
    kind: 'credential',
    id: name,
    name: String(displayName || name),
    ...(Array.isArray(parents) && parents.length > 0 ? { extends: parents } : {}),
    package: owner,
    parameters: pruneParameters(properties),
    ...(tools.length > 0 ? { tools: [...tools] } : {}),
    traits,
  };
}

/**
 * Returns whether n8n can sign an arbitrary request with this type, which is the case if it offers
 * "custom API call" on the nodes that use it.
 * @param {CredentialDescription} description
 * @param {ReadonlyMap<string, CredentialDescription>} all
 */
export function signsRequests(description, all) {
  return description.authenticate !== undefined || extendsSigning(description, all, new Set());
}

/**
 * @param {CredentialDescription} description
 * @param {ReadonlyMap<string, CredentialDescription>} all
 * @param {Set<string>} seen
 * @returns {boolean}
 */
function extendsSigning(description, all, seen) {
  return (description.extends ?? []).some((parent) => {
    if (SIGNING_BASES.includes(parent)) return true;
    const known = all.get(parent);
    if (known === undefined || seen.has(parent)) return false;
    seen.add(parent);
    return extendsSigning(known, all, seen);
  });
}

/** @param {unknown} authenticate */
function kindOfAuthentication(authenticate) {
  if (authenticate === undefined) return undefined;
  const { type } = /** @type {{type?: unknown}} */ (authenticate ?? {});
  return typeof type === 'string' ? type : 'code';
}

/** Addresses to sign in at, and what is sent there. */
const SIGN_IN = /auth|token|scope|redirect|callback|audience|param|propert/i;

/**
 * Lists the hosts that a credential is for: where it is tested and offered, and the addresses that
 * its own fields propose.
 * @param {CredentialDescription} description
 * @returns {string[]}
 */
export function credentialHosts({ test, httpRequestNode, properties = [] }) {
  const request = /** @type {{request?: {baseURL?: unknown, url?: unknown}} | undefined} */ (test)?.request;
  const offered = /** @type {{apiBaseUrl?: unknown} | undefined} */ (httpRequestNode);
  const proposed = properties
    .filter(({ name, type }) => ['string', 'hidden', 'options'].includes(type) && !SIGN_IN.test(name))
    .flatMap(({ default: usual, placeholder, options = [] }) => [
      usual,
      placeholder,
      ...options.map((option) => /** @type {{value?: unknown}} */ (option).value),
    ]);
  return [
    ...new Set([
      ...literalHosts([request?.baseURL, request?.url, offered?.apiBaseUrl]),
      ...accountHosts(proposed),
    ]),
  ].sort();
}

/** @param {string[]} hosts */
function nonEmpty(hosts) {
  return hosts.length > 0 ? hosts : undefined;
}
