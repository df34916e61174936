// Checks which texts the n8n-workflow of an installation accepts as dates.
//
// usage: GROUNDED_N8N_DIR=<folder with node_modules/n8n> node dates.mjs < TEXTS > ANSWERS
// One JSON line each: in a text, out true or false.

import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';

const home = process.env.GROUNDED_N8N_DIR;
if (!home) throw new Error('set GROUNDED_N8N_DIR to the folder that holds node_modules/n8n');
const require = createRequire(path.join(home, 'node_modules', 'n8n', 'package.json'));
const { validateFieldType } = require('n8n-workflow');

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  if (line) process.stdout.write(`${validateFieldType('x', JSON.parse(line), 'dateTime').valid}\n`);
}
