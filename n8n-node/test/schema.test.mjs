/** Tests that schemas of connected tools become JSON Schema. */

import assert from 'node:assert/strict';
import test from 'node:test';

import { z as newer } from 'zod/v4';
import { z } from 'zod';

import schema from '../dist/nodes/GroundedToolRouter/schema.js';

const { schemaOf } = schema;

const fields = (zod) =>
	zod
		.object({
			query: zod.string().min(2).max(9).describe('What to look for'),
			limit: zod.number().int().min(1).max(50).optional(),
			exact: zod.boolean().default(false),
			order: zod.enum(['newest', 'oldest']),
			tags: zod.array(zod.string()).nullable(),
			either: zod.union([zod.string(), zod.number()]),
			extra: zod.record(zod.string(), zod.number()),
			anything: zod.any(),
		})
		.strict();

test('a schema of zod 3 is read with its bounds', () => {
	assert.deepEqual(schemaOf(fields(z)), {
		type: 'object',
		properties: {
			query: { type: 'string', minLength: 2, maxLength: 9, description: 'What to look for' },
			limit: { type: 'integer', minimum: 1, maximum: 50 },
			exact: { type: 'boolean' },
			order: { enum: ['newest', 'oldest'] },
			tags: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
			either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
			extra: { type: 'object', additionalProperties: { type: 'number' } },
			anything: {},
		},
		required: ['query', 'order', 'tags', 'either', 'extra'],
		additionalProperties: false,
	});
});

test('a schema of zod 4 is read by its kinds', () => {
	const { properties, required } = schemaOf(fields(newer));
	assert.deepEqual(required.slice(0, 3), ['query', 'order', 'tags']);
	assert.equal(properties.query.type, 'string');
	assert.equal(properties.query.description, 'What to look for');
	assert.deepEqual(properties.order, { enum: ['newest', 'oldest'] });
	assert.deepEqual(properties.extra, { type: 'object', additionalProperties: { type: 'number' } });
});

test('an effect is read as what it takes, JSON Schema stays, what is neither admits anything', () => {
	assert.deepEqual(schemaOf(z.object({ a: z.string() }).transform((value) => value.a)), {
		type: 'object',
		properties: { a: { type: 'string' } },
		required: ['a'],
	});
	const given = { type: 'object', properties: { a: { $ref: '#' } } };
	assert.equal(schemaOf(given), given);
	for (const odd of [undefined, null, 7, 'x', [], {}, { _def: {} }, { _zod: {} }]) {
		assert.deepEqual(schemaOf(odd), {});
	}
	const endless = z.lazy(() => z.object({ again: endless }));
	assert.deepEqual(schemaOf(endless), {});
});
