// Checks the scope of names in code, with a parser from n8n's own packages.

const SHAPE = { ecmaVersion: 'latest', allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true };

/** Checks whether the code redefines `$`; counts the mentions of a name, and those in a `try`. */
export function namesItself(acorn, { text, name, isCode }) {
  const pieces = isCode ? [text] : [...text.slice(1).matchAll(/\{\{([\s\S]*?)\}\}/g)].map((match) => match[1]);
  let redefined = false;
  let mentions = 0;
  let guarded = 0;
  for (const piece of pieces) {
    let tree;
    try {
      tree = acorn.parse(isCode ? `async function f() {${piece}\n}` : `(${piece.trim().replace(/;$/, '')})`, SHAPE);
    } catch {
      continue;
    }
    walk(tree, false, (node, inTry) => {
      if (binds(node)) redefined = true;
      if (says(node, name)) {
        mentions += 1;
        guarded += inTry ? 1 : 0;
      }
    });
  }
  return { redefined, mentions, guarded };
}

/** Checks whether a piece of code declares a name anywhere. */
export function declares(acorn, text, name) {
  let isFound = false;
  try {
    walk(acorn.parse(`async function f() {${text}\n}`, SHAPE), false, (node) => {
      const named = (identifier) => identifier?.type === 'Identifier' && identifier.name === name;
      if (node.type === 'VariableDeclarator' && named(node.id)) isFound = true;
      if (/Function/.test(node.type) && (named(node.id) || node.params.some(named))) isFound = true;
    });
  } catch {
    return false;
  }
  return isFound;
}

/** Checks whether code begins with a call of a text, which always throws. */
export function callsText(acorn, text) {
  try {
    let [first] = acorn.parse(`async function f() {${text}\n}`, SHAPE).body[0].body.body;
    for (first = first?.expression; first; first = first.tag ?? first.callee ?? first.object) {
      if (first.type === 'TaggedTemplateExpression' && first.tag.type === 'TemplateLiteral') return true;
    }
  } catch {
    return false;
  }
  return false;
}

function walk(node, inTry, visit) {
  if (!node || typeof node !== 'object') return;
  if (Array.isArray(node)) {
    for (const child of node) walk(child, inTry, visit);
    return;
  }
  if (typeof node.type === 'string') visit(node, inTry);
  for (const [key, inside] of Object.entries(node)) {
    if (key === 'type' || key === 'start' || key === 'end') continue;
    walk(inside, inTry || (node.type === 'TryStatement' && key === 'block' && node.handler !== null), visit);
  }
}

function binds(node) {
  const named = (identifier) => identifier?.type === 'Identifier' && identifier.name === '$';
  if (node.type === 'VariableDeclarator') return named(node.id);
  if (/Function/.test(node.type)) return named(node.id) || node.params.some(named);
  return node.type === 'AssignmentExpression' && named(node.left);
}

function says(node, name) {
  const called = node.type === 'CallExpression' && node.callee.type === 'Identifier';
  const first = called ? node.arguments[0] : undefined;
  if (called && ['$', '$items'].includes(node.callee.name)) return constant(first) === name;
  const object = node.type === 'MemberExpression' ? node.object : undefined;
  if (object?.type !== 'Identifier' || object.name !== '$node') return false;
  return (node.computed ? constant(node.property) : node.property.name) === name;
}

function constant(node) {
  if (node?.type === 'Literal') return node.value;
  return node?.type === 'TemplateLiteral' && node.quasis.length === 1 ? node.quasis[0].value.cooked : undefined;
}
