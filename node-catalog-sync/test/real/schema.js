/** Tests that every catalog line matches the schema, in the stated order and number. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { Ajv2020 } from 'ajv/dist/2020.js';

import { installedCatalog, npmCatalog } from './catalogs.js';

const schema = JSON.parse(
  readFileSync(
    new URL('../../../sidecar/grounded_builder/catalog/catalog.schema.json', import.meta.url),
    'utf8',
  ),
);
const { oneOf: _, ...shared } = schema;
const ajv = new Ajv2020({ strict: false, validateFormats: false });
/** One validator a kind: the errors then speak of the line and not of all four kinds. */
const byKind = Object.fromEntries(
  ['header', 'tool', 'credential', 'end'].map((kind) => [
    kind,
    ajv.compile({ ...shared, $id: `urn:test:${kind}`, $ref: `#/$defs/${kind}` }),
  ]),
);

for (const [name, read] of /** @type {const} */ ([['installed', installedCatalog], ['npm', npmCatalog]])) {
  test(`every line of the ${name} catalog obeys the schema`, async () => {
    const { lines } = await read();
    for (const line of lines) {
      const validate = byKind[line.kind] ?? assert.fail(`unknown kind ${line.kind}`);
      assert.ok(validate(line), `${line.id}: ${JSON.stringify(validate.errors?.slice(0, 3))}`);
    }
  });

  test(`the ${name} catalog is a header, sorted lines without a twin, and an end with counts`, async () => {
    const { lines, tools, credentials } = await read();
    assert.equal(lines[0].kind, 'header');
    assert.deepEqual(lines.at(-1), { kind: 'end', tools: tools.size, credentials: credentials.size });
    const keys = lines.slice(1, -1).map(({ kind, id }) => `${kind}/${id}`);
    assert.deepEqual(keys, [...new Set(keys)].sort());
  });
}
