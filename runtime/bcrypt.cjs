// Hashes the password on standard input with the bcryptjs of the n8n in the folder argv[2].
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join, resolve } = require('node:path');

const fromN8n = createRequire(join(resolve(process.argv[2]), 'node_modules', 'n8n', 'package.json'));
const ROUNDS = 10;
process.stdout.write(fromN8n('bcryptjs').hashSync(readFileSync(0, 'utf8'), ROUNDS));
