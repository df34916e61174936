/** Implements the command line of node-catalog-sync: arguments, choice of the source, watching. */

/** @import {Found, Report} from './types.js' */

import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { startProgress } from './progress.js';
import { expectNodeFor, expectOwnNode } from './source/expected-node.js';
import { readInstalled } from './source/installed.js';
import { findN8n } from './source/locate.js';
import { readRunning } from './source/login.js';
import { readNpm } from './source/npm.js';
import { SyncError } from './sync-error.js';
import { sync } from './sync.js';
import { watch } from './watch.js';

const HELP = `node-catalog-sync reads an installed n8n and writes a catalog of its node types.

usage
  node-catalog-sync [--n8n DIR] [--user-folder DIR] [--custom DIR ...]   an installed n8n
  node-catalog-sync --url URL --email EMAIL                              a running n8n
  node-catalog-sync --npm DIR [--npm DIR ...]                            node packages alone

source
  --n8n DIR           folder that has node_modules/n8n in it, or n8n itself
                      (default: found from here upwards, then on PATH)
  --user-folder DIR   folder that holds .n8n (default: N8N_USER_FOLDER, then the home folder)
  --custom DIR        folder of custom extensions, may be repeated
                      (default: N8N_CUSTOM_EXTENSIONS and .n8n/custom)
  --package-timeout S seconds that one community package may take to load (default: 10)
  --url URL           a running n8n; the password is read from N8N_PASSWORD,
                      or a session from N8N_COOKIE
  --email EMAIL       user to sign in as
  --npm DIR           a node package, or a node_modules folder with node packages in it

target
  --output FILE       file to replace, or - for standard output (the default without --push)
  --push URL          sidecar to send the catalog to; the token is read from GROUNDED_TOKEN
  --watch             keep running, and sync again when packages change
  --quiet             no progress on standard error
  --version, --help

exit status: 0 done, 1 the sync failed, 2 wrong usage
`;

/**
 * @param {string[]} args
 * @returns {Promise<number>} the exit status
 */
export async function main(args) {
  let options;
  try {
    options = parse(args);
  } catch (error) {
    process.stderr.write(`node-catalog-sync: ${error instanceof Error ? error.message : error}\n`);
    process.stderr.write('try node-catalog-sync --help\n');
    return 2;
  }
  if (options.help) return print(HELP);
  if (options.version) return print(`${ownVersion()}\n`);
  const { env } = process;
  const read = chooseSource(options, env);
  const target = {
    output: options.output ?? (options.push === undefined ? '-' : undefined),
    push: options.push,
    token: env.GROUNDED_TOKEN,
  };
  const once = () => sync(read, target, startProgress(options.quiet ?? false));
  try {
    await once();
    if (!options.watch) return 0;
  } catch (error) {
    fail(error);
    if (!options.watch) return 1;
  }
  await watch(watchedPlaces(options, env), async () => {
    try {
      await once();
    } catch (error) {
      fail(error);
    }
  });
  return 0;
}

/** @param {string[]} args */
function parse(args) {
  const { values } = parseArgs({
    args,
    options: {
      n8n: { type: 'string' },
      'user-folder': { type: 'string' },
      custom: { type: 'string', multiple: true },
      'package-timeout': { type: 'string' },
      url: { type: 'string' },
      email: { type: 'string' },
      npm: { type: 'string', multiple: true },
      output: { type: 'string', short: 'o' },
      push: { type: 'string' },
      watch: { type: 'boolean' },
      quiet: { type: 'boolean', short: 'q' },
      version: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const installed = values.n8n ?? values['user-folder'] ?? values.custom;
  if ([installed, values.url, values.npm].filter((source) => source !== undefined).length > 1) {
    throw new Error('--url, --npm and the options of an installed n8n exclude each other');
  }
  const seconds = Number(values['package-timeout'] ?? 10);
  if (!(seconds > 0 && seconds <= 600)) throw new Error('--package-timeout takes 1 to 600 seconds');
  for (const name of /** @type {const} */ (['url', 'push'])) {
    if (values[name] !== undefined && !/^https?:\/\/./.test(values[name])) {
      throw new Error(`--${name} takes an http or https address, not ${values[name]}`);
    }
  }
  if (values.url !== undefined && process.env.N8N_COOKIE === undefined) {
    if (values.email === undefined) throw new Error('--url needs --email, or a session in N8N_COOKIE');
    if (!process.env.N8N_PASSWORD) throw new Error('--url needs the password in N8N_PASSWORD');
  }
  if (values.watch && values.url !== undefined) throw new Error('--watch needs a source on this disk');
  if (values.output === undefined && values.push === undefined && process.stdout.isTTY && !values.help && !values.version) {
    throw new Error('give --output FILE or --push URL');
  }
  return { ...values, packageTimeLimitMs: seconds * 1000 };
}

/** @typedef {ReturnType<typeof parse>} Options */

/**
 * @param {Options} options
 * @param {NodeJS.ProcessEnv} env
 * @returns {(report: Report) => Promise<Found>}
 */
function chooseSource(options, env) {
  const { url, email, npm, packageTimeLimitMs } = options;
  if (url !== undefined) {
    const login = { url, email, password: env.N8N_PASSWORD, cookie: env.N8N_COOKIE };
    return async (report) => {
      expectOwnNode();
      return readRunning(login, report);
    };
  }
  if (npm !== undefined) {
    return async (report) => {
      expectOwnNode();
      return readNpm({ folders: npm, packageTimeLimitMs, env }, report);
    };
  }
  return async (report) => {
    const n8n = findN8n(options.n8n, { cwd: process.cwd(), searchPath: env.PATH ?? '' });
    report('found', `n8n ${n8n.version} in ${n8n.dir}`);
    expectNodeFor(n8n);
    expectOwnNode();
    const { userFolder, custom } = userPlaces(options, env);
    return readInstalled({ n8n, userFolder, custom, packageTimeLimitMs, env }, report);
  };
}

/**
 * @param {Options} options
 * @param {NodeJS.ProcessEnv} env
 */
function userPlaces(options, env) {
  const userFolder = path.resolve(options['user-folder'] ?? env.N8N_USER_FOLDER ?? homedir());
  const own = path.join(userFolder, '.n8n/custom');
  const stated = options.custom ?? env.N8N_CUSTOM_EXTENSIONS?.split(';').filter(Boolean) ?? [];
  return { userFolder, custom: [...(existsSync(own) ? [own] : []), ...stated.map((folder) => path.resolve(folder))] };
}

/**
 * @param {Options} options
 * @param {NodeJS.ProcessEnv} env
 * @returns {string[]} folders whose packages are watched
 */
function watchedPlaces(options, env) {
  if (options.npm !== undefined) return options.npm.map((folder) => path.resolve(folder));
  const { userFolder, custom } = userPlaces(options, env);
  const n8n = findN8n(options.n8n, { cwd: process.cwd(), searchPath: env.PATH ?? '' });
  return [n8n.dir, path.join(userFolder, '.n8n/nodes'), ...custom];
}

/** @param {unknown} error */
function fail(error) {
  if (error instanceof SyncError) {
    process.stderr.write(`node-catalog-sync: ${error.message}\n  help: ${error.help}\n`);
  } else {
    process.stderr.write(`node-catalog-sync: ${error instanceof Error ? error.stack : error}\n`);
  }
}

/** @param {string} text */
function print(text) {
  process.stdout.write(text);
  return 0;
}

function ownVersion() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
