/** Converts the argument schema of a connected tool (zod 3, zod 4 or JSON) to JSON Schema. */

import type { IDataObject } from 'n8n-workflow';

/**
 * Returns the JSON Schema of a connected tool's arguments.
 *
 * n8n hands out zod schemas of its own copy of zod, or JSON Schema; what cannot be read admits
 * anything, and the tool itself has the last word.
 */
export function schemaOf(schema: unknown, depth = 0): IDataObject {
	const { kind, def } = definitionOf(schema);
	if (def === undefined) return isJsonSchema(schema) ? (schema as IDataObject) : {};
	const read = depth < DEEPEST ? READERS[kind] : undefined;
	const text = (schema as { description?: unknown }).description;
	const described = typeof text === 'string' && text !== '' ? { description: text } : {};
	return { ...(read?.(def, (inner) => schemaOf(inner, depth + 1)) ?? {}), ...described };
}

type Definition = Record<string, unknown>;
type Inner = (schema: unknown) => IDataObject;
type Reader = (def: Definition, inner: Inner) => IDataObject;

const DEEPEST = 12;

const wrapped: Reader = (def, inner) => inner(def.innerType ?? def.schema ?? def.in ?? def.type);
const choice: Reader = (def, inner) => ({
	anyOf: [...(def.options as Iterable<unknown>)].map(inner),
});

/** By the kind of a schema, in the words of zod 3 and 4. */
const READERS: Record<string, Reader> = {
	string: (def) => ({ type: 'string', ...bounds(def, 'minLength', 'maxLength') }),
	number: (def) => ({
		type: checks(def).some((check) => check.kind === 'int') ? 'integer' : 'number',
		...bounds(def, 'minimum', 'maximum'),
	}),
	bigint: () => ({ type: 'integer' }),
	boolean: () => ({ type: 'boolean' }),
	null: () => ({ type: 'null' }),
	date: () => ({ type: 'string' }),
	literal: (def) => ({ enum: Array.isArray(def.values) ? def.values : [def.value] }),
	enum: (def) => ({ enum: Object.values((def.values ?? def.entries) as object) as string[] }),
	nativeenum: (def) => ({ enum: Object.values(def.values as object) as string[] }),
	array: (def, inner) => ({ type: 'array', items: inner(def.element ?? def.type) }),
	tuple: () => ({ type: 'array' }),
	set: () => ({ type: 'array' }),
	record: (def, inner) => ({ type: 'object', additionalProperties: inner(def.valueType) }),
	map: () => ({ type: 'object' }),
	union: choice,
	discriminatedunion: choice,
	optional: wrapped,
	nonoptional: wrapped,
	default: wrapped,
	prefault: wrapped,
	catch: wrapped,
	readonly: wrapped,
	branded: wrapped,
	effects: wrapped,
	pipeline: wrapped,
	pipe: wrapped,
	nullable: (def, inner) => ({ anyOf: [inner(def.innerType), { type: 'null' }] }),
	object: (def, inner) => {
		const shape = (typeof def.shape === 'function' ? def.shape() : def.shape) as object;
		const fields = Object.entries(shape);
		const required = fields.filter(([, field]) => !mayBeAbsent(field)).map(([name]) => name);
		return {
			type: 'object',
			properties: Object.fromEntries(fields.map(([name, field]) => [name, inner(field)])),
			...(required.length > 0 ? { required } : {}),
			...(def.unknownKeys === 'strict' ? { additionalProperties: false } : {}),
		};
	},
};

/** zod 3 names the kind `ZodString` in `_def`, zod 4 `string` in `_zod.def`. */
function definitionOf(schema: unknown): { kind: string; def?: Definition } {
	const { _def, _zod } = (schema ?? {}) as { _def?: Definition; _zod?: { def?: Definition } };
	const newer = _zod?.def;
	if (newer !== undefined) return { kind: String(newer.type), def: newer };
	if (typeof _def?.typeName !== 'string') return { kind: '' };
	return { kind: _def.typeName.replace(/^Zod/, '').toLowerCase(), def: _def };
}

function mayBeAbsent(schema: unknown): boolean {
	const { isOptional } = schema as { isOptional?: () => boolean };
	return typeof isOptional === 'function' && isOptional.call(schema);
}

function checks(def: Definition): Array<{ kind?: unknown; value?: unknown; inclusive?: unknown }> {
	return Array.isArray(def.checks) ? def.checks : [];
}

function bounds(def: Definition, least: string, most: string): IDataObject {
	const limits: IDataObject = {};
	for (const { kind, value, inclusive } of checks(def)) {
		if (typeof value !== 'number' || inclusive === false) continue;
		if (kind === 'min') limits[least] = value;
		if (kind === 'max') limits[most] = value;
	}
	return limits;
}

function isJsonSchema(value: unknown): boolean {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
	return ['type', 'properties', 'anyOf', 'oneOf', 'allOf', '$ref'].some((key) => key in value);
}
