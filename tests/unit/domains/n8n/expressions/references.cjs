// Reads a JSON list of [form, code]; writes, for each, the references in its syntax tree as
// [name, start, end] in order, where start and end bound the name; null where it does not parse.
const [, , root, file] = process.argv;
const acorn = require(require.resolve('acorn', { paths: [root] }));

const options = {
  ecmaVersion: 'latest',
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
};

const constant = (node) => {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  const plain = node?.type === 'TemplateLiteral' && node.expressions.length === 0;
  return plain ? node.quasis[0].value.cooked : null;
};

const isDollarNode = (node) =>
  (node.type === 'Identifier' && node.name === '$node') ||
  (node.type === 'MemberExpression' &&
    !node.computed &&
    node.property.name === '$node' &&
    node.object.type === 'CallExpression' &&
    node.object.callee.name === '$item');

function* references(node) {
  if (node === null || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const item of node) yield* references(item);
    return;
  }
  const named =
    node.type === 'CallExpression' && ['$', '$items'].includes(node.callee.name)
      ? node.arguments[0]
      : node.type === 'MemberExpression' && node.computed && isDollarNode(node.object)
        ? node.property
        : null;
  const name = constant(named);
  if (name !== null) yield [name, named.start + 1, named.end - 1];
  if (node.type === 'MemberExpression' && !node.computed && isDollarNode(node.object))
    yield [node.property.name, node.property.start, node.property.end];
  for (const key of Object.keys(node)) yield* references(node[key]);
}

const read = ([form, code]) => {
  const before = form === 'expression' ? '(' : '';
  try {
    const tree = acorn.parse(before + code + (before && '\n)'), options);
    const moved = [...references(tree)].map(([name, start, end]) => [
      name,
      start - before.length,
      end - before.length,
    ]);
    return moved.sort((a, b) => a[1] - b[1]);
  } catch (error) {
    return null;
  }
};
process.stdout.write(JSON.stringify(JSON.parse(require('fs').readFileSync(file, 'utf8')).map(read)));
