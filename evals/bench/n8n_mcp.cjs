// Validates workflows with an installed n8n-mcp: JSON Lines in, JSON Lines out, one after another.
const path = require('node:path');
const readline = require('node:readline');
const { DatabaseSync } = require('node:sqlite');

const home = path.join(process.argv[2], 'node_modules', 'n8n-mcp');
const dist = (name) => require(path.join(home, 'dist', name));

async function main() {
  const { NodeRepository } = dist('database/node-repository');
  const { WorkflowValidator } = dist('services/workflow-validator');
  const { EnhancedConfigValidator } = dist('services/enhanced-config-validator');
  // Uses the SQLite of Node: the native build that n8n-mcp prefers needs an install script, and its
  // fallback (SQLite in WebAssembly) is slower.
  const database = new DatabaseSync(path.join(home, 'data', 'nodes.db'), { readOnly: true });
  const repository = new NodeRepository({ prepare: (sql) => database.prepare(sql) });
  // Shared by all calls: the server of n8n-mcp makes one per call and loses the cached names.
  const validator = new WorkflowValidator(repository, EnhancedConfigValidator);
  for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    const { id, workflow } = JSON.parse(line);
    const begun = performance.now();
    let errors, warnings;
    try {
      const result = await validator.validateWorkflow(workflow);
      ({ errors, warnings } = result);
    } catch (error) {
      errors = [{ message: `thrown: ${error.message}` }];
      warnings = [];
    }
    const ms = performance.now() - begun;
    const shown = (list) => list.map((finding) => ({ node: finding.nodeName ?? null, message: String(finding.message) }));
    process.stdout.write(`${JSON.stringify({ id, ms, errors: shown(errors), warnings: shown(warnings) })}\n`);
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
