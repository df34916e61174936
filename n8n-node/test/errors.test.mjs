/** Tests that each failed call of the sidecar gives an error with the reason and the remedy. */

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import test from 'node:test';

import errors from '../dist/nodes/GroundedBuilder/errors.js';

// The very copy that the node itself loads: instanceof depends on it.
const { NodeApiError } = createRequire(import.meta.url)('n8n-workflow');
const { apiError, refused, unanswered } = errors;

const BASE = 'http://127.0.0.1:8377';
const ROUTE = 'POST /v1/n8n/sessions';
const NODE = { id: 'n', name: 'Grounded Builder', type: 't', typeVersion: 1, parameters: {} };

/** As n8n throws: a NodeApiError around what the HTTP client threw. */
const thrown = (properties) =>
	new NodeApiError(NODE, Object.assign(new Error(properties.message), properties));

const noAnswer = (properties) => unanswered(thrown(properties), BASE, ROUTE).message;
const answer = (status, body, headers = {}) => refused({ status, body, headers }, BASE, ROUTE);
const faultBody = (code, message, help) => ({ error: { code, message, help } });

test('a refused connection names the address and the command that starts the sidecar', () => {
	const message = noAnswer({ message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' });
	assert.match(message, /http:\/\/127\.0\.0\.1:8377/);
	assert.match(message, /`grounded serve`/);
});

test('the SSRF protection of n8n is named by the setting that lets this address through', () => {
	for (const message of [
		'The request was blocked because it resolves to a restricted IP address',
		'The request was blocked because the destination hostname is restricted',
	]) {
		const text = noAnswer({ message });
		assert.match(text, /N8N_SSRF_ALLOWED_IP_RANGES=127\.0\.0\.1\/32/);
		assert.match(text, /N8N_SSRF_ALLOWED_HOSTNAMES/);
	}
	const inner = Object.assign(new Error('no'), { name: 'SsrfBlockedIpError' });
	const wrapped = thrown({ message: 'request failed', cause: inner });
	const at = (base) => unanswered(wrapped, base, ROUTE).message;
	assert.match(at('http://[::1]:8377'), /N8N_SSRF_ALLOWED_IP_RANGES=::1\/128/);
	assert.match(at('http://sidecar:8377'), /N8N_SSRF_ALLOWED_HOSTNAMES=sidecar/);
	assert.match(at('http://sidecar:8377'), /N8N_SSRF_ALLOWED_IP_RANGES/);
});

test('a late answer points to the option that waits longer', () => {
	const message = noAnswer({ message: 'timeout of 1000ms exceeded', code: 'ECONNABORTED' });
	assert.match(message, /in time: raise the option "Timeout"/);
});

test('an unknown host and a broken certificate point to the credential', () => {
	const lost = noAnswer({ message: 'getaddrinfo ENOTFOUND x', code: 'ENOTFOUND' });
	assert.match(lost, /no host "127\.0\.0\.1": correct the Base URL/);
	assert.match(noAnswer({ message: 'x', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }), /certificate/);
});

test('anything else thrown is passed on with the call that failed', () => {
	const failure = unanswered('odd', BASE, ROUTE);
	assert.match(failure.message, /POST \/v1\/n8n\/sessions/);
	assert.equal(failure.description, 'odd');
});

test('a success is no failure, with or without a version', () => {
	assert.equal(answer(200, {}), undefined);
	assert.equal(answer(200, { api_version: '1.4' }), undefined);
	assert.equal(answer(200, {}, { 'api-version': 'v1' }), undefined);
});

test('another interface version is refused, naming both', () => {
	for (const failure of [
		answer(200, { api_version: 2 }),
		answer(422, faultBody('x', 'y'), { api_version: '2.0' }),
	]) {
		assert.match(failure.message, /version 2.*this node speaks 1/);
	}
});

test('a refused token and a missing scope name the credential', () => {
	assert.match(answer(401, faultBody('unauthorized', 'not known')).message, /token.*credential/);
	assert.match(answer(403, faultBody('forbidden', 'no scope draft')).message, /scope.*credential/);
	assert.equal(answer(403, faultBody('forbidden', 'no scope draft')).description, 'no scope draft');
});

test("the sidecar's own words and what to do are shown", () => {
	const { message } = answer(409, faultBody('no-catalog', 'no catalog is loaded', 'push one'));
	assert.equal(message, 'The sidecar reports: no catalog is loaded: push one');
});

test('a route that is missing tells an old sidecar from something else', () => {
	assert.match(answer(404, faultBody('not-found', 'Not Found')).message, /older than this node/);
	assert.match(answer(404, '<html>').message, /No sidecar answers/);
	assert.match(answer(200, '<html>').message, /is not the sidecar/);
	assert.match(answer(502, 'bad gateway').message, /status 502/);
});

test('n8n shows the words of this node, whatever code lies beneath', () => {
	const failure = unanswered(thrown({ message: 'x', code: 'ECONNREFUSED' }), BASE, ROUTE);
	assert.equal(apiError(NODE, failure, 3).message, failure.message);
	assert.equal(apiError(NODE, failure, 3).context.itemIndex, 3);
	const denied = answer(401, faultBody('unauthorized', 'no token was sent'));
	const shown = apiError(NODE, denied, 0);
	assert.equal(shown.message, denied.message);
	assert.equal(shown.description, 'no token was sent');
	assert.equal(shown.httpCode, '401');
});
