/** Runs as a child process: reads port expressions from stdin, writes their tables to descriptor 3. */

import { writeSync } from 'node:fs';
import { text } from 'node:stream/consumers';

import { tabulate } from '../catalog/port-table.js';

// An expression can leave a rejected promise behind; its table is not affected.
process.on('unhandledRejection', () => {});

const tasks = JSON.parse(await text(process.stdin));
const answer = Buffer.from(JSON.stringify(tasks.map(tabulate)));
for (let sent = 0; sent < answer.length; ) sent += writeSync(3, answer, sent);
