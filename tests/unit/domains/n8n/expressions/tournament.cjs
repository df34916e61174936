// Reads a JSON list of expressions; writes, for each, what n8n's own parser says of it, or null.
const [, , root, file] = process.argv;
const { Tournament } = require(require.resolve('@n8n/tournament', { paths: [root] }));
const parser = new Tournament(() => {});
const say = (expression) => {
  try {
    parser.getExpressionCode(expression);
    return null;
  } catch (error) {
    return String(error.message);
  }
};
process.stdout.write(JSON.stringify(JSON.parse(require('fs').readFileSync(file, 'utf8')).map(say)));
