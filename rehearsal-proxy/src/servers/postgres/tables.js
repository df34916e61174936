/**
 * Makes the tables that a workflow expects of a database that nobody has.
 *
 * What a statement lacks is read from PostgreSQL's own error. Tables that the workflow creates itself
 * are left as they are. A table that is read before anything is written into it gets two rows, with
 * the values that the statement looks for.
 */
import { DatabaseError } from './engine.js';

/** @typedef {{name: string, type: string}} Column */
/** @typedef {{schema?: string, name: string, columns: Column[], unique: string[]}} TablePlan */
/** @typedef {{schema: string, name: string, isWritten: boolean, isFilled: boolean}} Table */

const MAX_TABLES = 50;
const MAX_COLUMNS = 200;
const ROWS = [1, 2];
const TYPES = new Set(['text', 'double precision', 'boolean', 'timestamptz', 'jsonb']);

// Codes of errors: https://www.postgresql.org/docs/17/errcodes-appendix.html
const NO_SCHEMA = '3F000';
const NO_TABLE = '42P01';
const NO_COLUMN = '42703';
const NO_UNIQUE = '42P10';
const OTHER_TYPE = '42804';
const NO_FUNCTION = '42883';
const REPAIRED = new Set([NO_SCHEMA, NO_TABLE, NO_COLUMN, NO_UNIQUE, OTHER_TYPE, NO_FUNCTION]);

/** @param {string} name */
const quote = (name) => `"${name.replaceAll('"', '""')}"`;

/** @param {string} name */
const escape = (name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

export class Tables {
	#engine;
	/** @type {Map<string, Table>} */
	#open = new Map();

	/** @param {import('./engine.js').Engine} engine */
	constructor(engine) {
		this.#engine = engine;
	}

	/**
	 * Makes the tables that nodes name in their parameters.
	 * @param {TablePlan[]} plans
	 */
	async prepare(plans) {
		for (const { schema = 'public', name, columns, unique } of plans.slice(0, MAX_TABLES)) {
			await this.#make(schema, name);
			const table = this.#open.get(`${schema}.${name}`);
			if (!table) continue;
			for (const column of columns.slice(0, MAX_COLUMNS)) {
				await this.#addColumn(table, column.name, TYPES.has(column.type) ? column.type : 'text');
			}
			if (unique.length) await this.#addUnique(table, unique.map(quote).join(', '));
		}
	}

	/**
	 * Removes prepared tables that a statement creates itself.
	 * @param {string} text
	 */
	async yieldTo(text) {
		if (!/\bcreate\s/i.test(text)) return;
		for (const [key, table] of this.#open) {
			const creation = new RegExp(`\\btable\\s[^(]{0,200}?"?${escape(table.name)}"?\\s*\\(`, 'i');
			if (table.isWritten || !creation.test(text)) continue;
			await this.#engine.run(`DROP TABLE ${name(table)} CASCADE`);
			this.#open.delete(key);
		}
	}

	/**
	 * Returns whether an error may be one of what the workflow expects of the database.
	 * @param {Record<string, string>} cause
	 */
	canRepair(cause) {
		return REPAIRED.has(cause.C ?? '');
	}

	/**
	 * Makes what an error misses; returns its description, nothing where nothing can be made.
	 * @param {string} text
	 * @param {Record<string, string>} cause
	 * @returns {Promise<string>}
	 */
	async repair(text, cause) {
		const message = cause.M ?? '';
		const position = Number(cause.P ?? 0);
		const statement = findStatement(text, position);
		try {
			if (cause.C === NO_SCHEMA) return await this.#addSchema(message);
			if (cause.C === NO_TABLE) return await this.#addTable(message);
			if (cause.C === NO_COLUMN) return await this.#addNamedColumn(statement, message);
			if (cause.C === NO_UNIQUE) return await this.#addNamedUnique(text);
			return await this.#changeType(text, statement, message, position);
		} catch (error) {
			if (error instanceof DatabaseError) return '';
			throw error;
		}
	}

	/**
	 * Fills tables that a statement finds empty; returns what it made, nothing where it made nothing.
	 * @param {string} text
	 * @param {string} tag what PostgreSQL says that it did
	 * @returns {Promise<string>}
	 */
	async fill(text, tag) {
		const used = [...this.#open.values()].filter((table) => names(text, table.name));
		if (/\b(?:insert|merge|copy)\b/i.test(text)) {
			for (const table of used) table.isWritten = true;
			return '';
		}
		const isRead = tag.startsWith('SELECT') && !/\b(?:update|delete)\b/i.test(text);
		if (!isRead && !/^(?:UPDATE|DELETE) 0\0?$/.test(tag)) return '';
		const empty = used.filter((table) => !table.isWritten && !table.isFilled);
		const made = [];
		for (const table of empty) {
			table.isFilled = true;
			const count = await this.#insertRows(table, text);
			if (count) made.push(`${count} rows of ${name(table)}`);
		}
		return made.join(', ');
	}

	/**
	 * @param {string} schema
	 * @param {string} table
	 */
	async #make(schema, table) {
		if (this.#open.size >= MAX_TABLES) return '';
		await this.#engine.run(
			`CREATE SCHEMA IF NOT EXISTS ${quote(schema)}; CREATE TABLE IF NOT EXISTS ${quote(schema)}.${quote(table)} ()`,
		);
		const key = `${schema}.${table}`;
		if (!this.#open.has(key)) {
			this.#open.set(key, { schema, name: table, isWritten: false, isFilled: false });
		}
		return `table ${name({ schema, name: table })}`;
	}

	/**
	 * @param {Table} table
	 * @param {string} column
	 * @param {string} type
	 */
	async #addColumn(table, column, type) {
		await this.#engine.run(
			`ALTER TABLE ${name(table)} ADD COLUMN IF NOT EXISTS ${quote(column)} ${type}`,
		);
		table.isFilled = false;
		return `column ${quote(column)} of ${name(table)}`;
	}

	/**
	 * @param {Table} table
	 * @param {string} columns
	 */
	async #addUnique(table, columns) {
		await this.#engine.run(`CREATE UNIQUE INDEX ON ${name(table)} (${columns})`);
		return `unique index of ${name(table)} (${columns})`;
	}

	/** @param {string} message */
	async #addSchema(message) {
		const schema = /^schema "(.+)" does not exist$/.exec(message)?.[1];
		if (!schema) return '';
		await this.#engine.run(`CREATE SCHEMA ${quote(schema)}`);
		return `schema ${quote(schema)}`;
	}

	/** @param {string} message */
	async #addTable(message) {
		const named = /^relation "(.+)" does not exist$/.exec(message)?.[1];
		if (!named) return '';
		const dot = named.indexOf('.');
		const schema = dot > 0 ? named.slice(0, dot) : 'public';
		const table = named.slice(dot + 1);
		if (schema === 'pg_catalog' || schema === 'information_schema') return '';
		return this.#make(schema, table);
	}

	/**
	 * @param {string} text
	 * @param {string} message
	 */
	async #addNamedColumn(text, message) {
		const own = /^column "(.+)" of relation "(.+)" does not exist$/.exec(message);
		if (own) {
			const table = [...this.#open.values()].find((item) => item.name === own[2]);
			return table ? this.#addColumn(table, own[1] ?? '', 'text') : '';
		}
		const named = /^column "?([^"]+?)"? does not exist$/.exec(message)?.[1];
		if (!named) return '';
		const dot = named.lastIndexOf('.');
		const table = this.#findTable(text, dot > 0 ? named.slice(0, dot) : '');
		return table ? this.#addColumn(table, named.slice(dot + 1), 'text') : '';
	}

	/** @param {string} text */
	async #addNamedUnique(text) {
		const columns = /\bon\s+conflict\s*\(([^()]{1,500})\)/i.exec(text)?.[1];
		const target = /\binsert\s+into\s+(?:"?\w+"?\s*\.\s*)?"?(\w+)"?/i.exec(text)?.[1];
		const table = [...this.#open.values()].find((item) => item.name === target);
		return columns && table ? this.#addUnique(table, columns) : '';
	}

	/**
	 * Changes the type of a column of text that a statement uses as another type.
	 * @param {string} text
	 * @param {string} statement the one with the error
	 * @param {string} message
	 * @param {number} position
	 */
	async #changeType(text, statement, message, position) {
		const written = /^column "(.+)" is of type text but expression is of type (.+)$/.exec(message);
		if (written) return this.#alter(statement, written[1] ?? '', written[2] ?? '');
		const before = /([\w."]+)\s*$/.exec(text.slice(Math.max(0, position - 201), position - 1))?.[1];
		const after = text.slice(position - 1, position + 200);
		const compared = /^operator does not exist: ([\w ]+) [^\w\s]+ ([\w ]+)$/.exec(message);
		if (compared) {
			const [, left = '', right = ''] = compared;
			const named = left === 'text' ? before : /^\S+\s+([\w."]+)/.exec(after)?.[1];
			return this.#alter(statement, named ?? '', left === 'text' ? right : left);
		}
		if (/^function \w+\(text\) does not exist$/.test(message)) {
			return this.#alter(statement, /^\w+\s*\(\s*([\w."]+)/.exec(after)?.[1] ?? '', 'double precision');
		}
		const demanded = /^argument of .+ must be type (\w+), not type text$/.exec(message)?.[1];
		return demanded ? this.#alter(statement, /^([\w."]+)/.exec(after)?.[1] ?? '', demanded) : '';
	}

	/**
	 * @param {string} text
	 * @param {string} named
	 * @param {string} type
	 */
	async #alter(text, named, type) {
		const parts = named.replaceAll('"', '').split('.');
		const column = parts.pop() ?? '';
		const table = this.#findTable(text, parts.at(-1) ?? '');
		const wanted = /^(?:integer|bigint|numeric|real|smallint)$/.test(type) ? 'double precision' : type;
		if (!table || type === 'text' || type === 'unknown') return '';
		await this.#engine.run(
			`ALTER TABLE ${name(table)} ALTER COLUMN ${quote(column)} TYPE ${wanted} USING ${quote(column)}::${wanted}`,
		);
		return `type ${wanted} of column ${quote(column)}`;
	}

	/**
	 * Returns the made table that a statement names or calls by an alias, the first one without either.
	 * @param {string} text
	 * @param {string} called
	 */
	#findTable(text, called) {
		const used = [...this.#open.values()].filter((table) => names(text, table.name));
		if (!called) return used[0];
		return used.find((table) => {
			const alias = new RegExp(`\\b${escape(table.name)}"?\\s+(?:as\\s+)?"?${escape(called)}\\b`, 'i');
			return table.name === called || alias.test(text);
		});
	}

	/**
	 * @param {Table} table
	 * @param {string} text
	 */
	async #insertRows(table, text) {
		/** @type {{column: string, type: string}[]} */
		const columns = await this.#engine.query(
			`SELECT column_name AS column, data_type AS type FROM information_schema.columns
			 WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position`,
			[table.schema, table.name],
		);
		if (!columns.length) return 0;
		const rows = ROWS.map((number) => {
			const values = columns.map(({ column, type }) => findSought(text, column) ?? invent(findShared(text, column), type, number));
			return `(${values.join(', ')})`;
		});
		const listed = columns.map(({ column }) => quote(column)).join(', ');
		const statement = `INSERT INTO ${name(table)} (${listed}) VALUES ${rows.join(', ')} ON CONFLICT DO NOTHING`;
		try {
			await this.#engine.run(statement);
			return rows.length;
		} catch (error) {
			if (error instanceof DatabaseError) return 0;
			throw error;
		}
	}
}

/** @param {{schema: string, name: string}} table */
function name(table) {
	return `${quote(table.schema)}.${quote(table.name)}`;
}

/**
 * Returns whether a statement has a name as a word.
 * @param {string} text
 * @param {string} word
 */
function names(text, word) {
	return new RegExp(`(?<![\\w$])${escape(word)}(?![\\w$])`, 'i').test(withoutTexts(text));
}

/**
 * Returns the statement at a position, which counts from 1; 0 is none.
 * @param {string} text
 * @param {number} position
 */
function findStatement(text, position) {
	const masked = text.replaceAll(/'(?:[^']|'')*'/g, (literal) => ' '.repeat(literal.length));
	const end = masked.indexOf(';', position);
	const start = position ? masked.lastIndexOf(';', position - 1) + 1 : 0;
	return text.slice(start, end < 0 || !position ? text.length : end);
}

/** @param {string} text */
function withoutTexts(text) {
	return text.replaceAll(/'(?:[^']|'')*'/g, "''");
}

/**
 * Returns the name that a column shares with the one that a statement joins it to.
 * @param {string} text
 * @param {string} column
 */
function findShared(text, column) {
	for (const [, left = '', right = ''] of withoutTexts(text).matchAll(/([\w."]+)\s*=\s*([a-z_"][\w."]*)/gi)) {
		const pair = [left, right].map((path) => path.replaceAll('"', '').split('.').at(-1) ?? '');
		if (pair.includes(column)) return pair.sort()[0] ?? column;
	}
	return column;
}

/**
 * Returns the literal with which a statement compares a column.
 * @param {string} text
 * @param {string} column
 */
function findSought(text, column) {
	const comparison = `(?<![\\w$])"?${escape(column)}"?\\s*(?:=|\\bin\\s*\\(|\\bi?like\\b)\\s*`;
	const found = new RegExp(`${comparison}('(?:[^']|'')*'|-?\\d+(?:\\.\\d+)?|true\\b|false\\b)`, 'i').exec(text);
	return found?.[1]?.replace(/^'%|%'$/g, "'");
}

/**
 * Returns the literal of an invented value.
 * @param {string} column
 * @param {string} type
 * @param {number} number
 */
function invent(column, type, number) {
	if (type === 'text' || type.startsWith('character')) return `'${column.replaceAll("'", "''")} ${number}'`;
	if (/^(?:double|real|numeric|integer|bigint|smallint)/.test(type)) return String(number);
	if (type === 'boolean') return 'true';
	if (/^(?:timestamp|date|time)/.test(type)) return 'now()';
	if (type === 'json' || type === 'jsonb') return `'{}'`;
	if (type === 'uuid') return `'00000000-0000-4000-8000-00000000000${number}'`;
	return 'NULL';
}
