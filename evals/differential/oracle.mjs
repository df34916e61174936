// Fills parameters and lists issues with the n8n-workflow of an installation.
//
// usage: GROUNDED_N8N_DIR=<folder with node_modules/n8n> node oracle.mjs CATALOG < NODES > ANSWERS
// One JSON line each: in {"id", "tool", "version", "node"}, out {"id", "full", "parameters",
// "credentials"} or {"id", "error"}. The node descriptions are those of the catalog file.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';

const home = process.env.GROUNDED_N8N_DIR;
if (!home) throw new Error('set GROUNDED_N8N_DIR to the folder that holds node_modules/n8n');
const require = createRequire(path.join(home, 'node_modules', 'n8n', 'package.json'));
const { NodeHelpers, validateNodeCredentials } = require('n8n-workflow');

const tools = new Map();
for (const line of readFileSync(process.argv[2], 'utf8').split('\n')) {
  if (!line.includes('"kind":"tool"')) continue;
  const tool = JSON.parse(line);
  tools.set(tool.id, tool);
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  if (line) process.stdout.write(`${JSON.stringify(answer(JSON.parse(line)))}\n`);
}

function answer({ id, tool, version, node, withFull }) {
  const description = describe(tool, version);
  const typed = { ...node, typeVersion: version };
  try {
    const full = NodeHelpers.getNodeParameters(
      description.properties, typed.parameters ?? {}, true, false, typed, description,
    );
    const filled = { ...typed, parameters: full };
    const credentials = filled.disabled
      ? []
      : validateNodeCredentials(filled, { description }).map((credential) => credential.credentialName);
    const issues = listIssues(description, filled);
    return { id, credentials, ...issues, ...(withFull ? { full } : {}) };
  } catch (error) {
    return { id, error: String(error).slice(0, 200) };
  }
}

// For a mapping with faulty columns, n8n adds an empty list under its name, which is no issue of its
// own. A pattern that timed out on a busy machine is tried again.
function listIssues(description, node, attempts = 5) {
  try {
    const issues = NodeHelpers.getNodeParametersIssues(description.properties, node, description);
    const filed = Object.entries(issues?.parameters ?? {}).filter(([, faults]) => faults.length > 0);
    return { parameters: filed.map(([name]) => name) };
  } catch (error) {
    if (attempts > 1 && String(error).includes('timed out')) {
      return listIssues(description, node, attempts - 1);
    }
    return { parameters: [], thrown: String(error).slice(0, 200) };
  }
}

function describe(id, version) {
  const variant = tools.get(id).variants.find(({ versions }) => versions.includes(version));
  return {
    name: id,
    displayName: id,
    version: variant.versions,
    properties: variant.parameters,
    credentials: variant.credentials ?? [],
    features: variant.traits?.features,
  };
}
