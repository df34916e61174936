// Determines from a script's syntax tree whether n8n fails on what it returns, or on a name that
// nothing declares.
//
// `results([code, isEach])` returns a list of faults, each with the `line` of its place (from 1),
// and whether it `isSure` that a run comes there:
// `{fault: "nothing"}`, `{fault: "scalar", what}`, `{fault: "element", what}`, `{fault: "list"}`,
// `{fault: "json", what}`, `{fault: "keys", what}`, `{fault: "method", what}` and
// `{fault: "name", what}`. Only what is certain is a fault: a value that this script cannot tell is
// taken to be right. Source of the rules: result-validation.js and JsCodeValidator.js of the Code
// node in n8n-nodes-base, and js-task-runner.js of @n8n/task-runner.
grounded.results = (() => {
  'use strict';
  const ITEM_KEYS = ['json', 'binary', 'pairedItem', 'error', 'index'];
  const WHOLE_INPUT = ['first', 'last', 'all', 'itemMatching'];
  const SAME_LIST = ['filter', 'slice', 'sort', 'toSorted', 'reverse', 'toReversed'];
  const TEXT_OF = ['JSON.stringify', 'String'];
  const NUMBER_OF = ['Number', 'parseInt', 'parseFloat', 'Date.now'];
  const MATHS = ['-', '*', '/', '%', '**', '&', '|', '^', '<<', '>>', '>>>'];
  const COMPARISONS = ['==', '!=', '===', '!==', '<', '<=', '>', '>=', 'in', 'instanceof'];
  const UNKNOWN = { is: 'unknown' };
  const FUNCTIONS = ['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration'];
  const isFunction = (node) => FUNCTIONS.includes(node?.type);
  const childrenOf = (node) => Object.values(node).flat().filter((c) => typeof c?.type === 'string');
  // The nodes of a function's own body, without those of functions and classes inside it.
  const ownNodes = function* (node) {
    yield node;
    if (isFunction(node) || node.type.startsWith('Class')) return;
    for (const child of childrenOf(node)) yield* ownNodes(child);
  };
  const nodesIn = function* (node) {
    yield node;
    for (const child of childrenOf(node)) yield* nodesIn(child);
  };
  const keyOf = (member) => member.computed
    ? (member.property.type === 'Literal' ? member.property.value : null) : member.property.name;
  const nameOfKey = (property) => property.computed ? null
    : property.key.name ?? String(property.key.value);
  // `JSON.stringify`, `$input.all`; null for anything but plain names.
  const dotted = (node) => {
    if (node.type === 'ChainExpression') return dotted(node.expression);
    if (node.type === 'Identifier') return node.name;
    if (node.type !== 'MemberExpression') return null;
    const owner = dotted(node.object), key = keyOf(node);
    return owner === null || key === null ? null : `${owner}.${key}`;
  };

  // --- names ---------------------------------------------------------------------------------
  let declared = new Map(), uses = new Map(), tree = null;
  const namesOf = (pattern) => {
    if (!pattern) return [];
    if (pattern.type === 'Identifier') return [pattern.name];
    if (pattern.type === 'ObjectPattern') {
      return pattern.properties.flatMap((p) => namesOf(p.type === 'RestElement' ? p : p.value));
    }
    if (pattern.type === 'ArrayPattern') return pattern.elements.flatMap(namesOf);
    return namesOf(pattern.left ?? pattern.argument);
  };
  const declare = (name, value) => declared.set(name, declared.has(name) ? null : value);
  const declareIn = (node) => {
    if (node.type === 'VariableDeclarator') {
      const plain = node.id.type === 'Identifier' ? node.init : null;
      namesOf(node.id).forEach((name) => declare(name, plain));
    } else if (isFunction(node) || node.type.startsWith('Class')) {
      if (node.id) declare(node.id.name, null);
      (node.params ?? []).flatMap(namesOf).forEach((name) => declare(name, null));
    } else if (node.type === 'CatchClause') namesOf(node.param).forEach((name) => declare(name, null));
    else if (node.type === 'AssignmentExpression') {
      namesOf(node.left.type === 'MemberExpression' ? null : node.left)
        .forEach((name) => declared.set(name, null));
    } else if (node.type === 'UpdateExpression' && node.argument.type === 'Identifier') {
      declared.set(node.argument.name, null);
    } else if (/^For(In|Of)Statement$/.test(node.type)) {
      const left = node.left.type === 'VariableDeclaration' ? node.left.declarations[0].id : node.left;
      namesOf(left).forEach((name) => declared.set(name, null));
    }
  };
  // Identifiers that are read as values: `[name, node, parent]`.
  const readNames = function* (node, parent = null) {
    if (node.type === 'Identifier') {
      const isKey = (parent?.type === 'MemberExpression' && parent.property === node && !parent.computed)
        || (['Property', 'MethodDefinition', 'PropertyDefinition'].includes(parent?.type)
          && parent.key === node && !parent.computed && !parent.shorthand)
        || /^(Labeled|Break|Continue)Statement$/.test(parent?.type);
      if (!isKey) yield [node.name, node, parent];
    }
    for (const child of childrenOf(node)) yield* readNames(child, node);
  };
  const pushes = (name) => {
    const calls = [];
    for (const node of nodesIn(tree)) {
      const { callee } = node.type === 'CallExpression' ? node : {};
      if (callee?.type === 'MemberExpression' && callee.object.type === 'Identifier'
        && callee.object.name === name && keyOf(callee) === 'push') calls.push(node);
    }
    return calls;
  };
  // The value of a name that is declared once, never set, and read no more than is known.
  const valueOfName = (name, depth) => {
    const value = declared.get(name);
    if (!value) return UNKNOWN;
    const known = typeOf(value, depth + 1);
    if (known.is !== 'list' && known.is !== 'object') return known;
    // `const x = ...` itself, and where it is returned.
    const calls = known.is === 'list' ? pushes(name) : [];
    if (uses.get(name) !== 2 + calls.length) return UNKNOWN;
    return { ...known, of: [...known.of ?? [], ...calls.flatMap((call) => call.arguments)] };
  };

  // --- types ---------------------------------------------------------------------------------
  const textual = (node, depth) => typeOf(node, depth).is === 'text';
  const typeOf = (node, depth = 0) => {
    if (!node || depth > 20) return UNKNOWN;
    switch (node.type) {
      case 'ChainExpression': return typeOf(node.expression, depth + 1);
      case 'AwaitExpression': return typeOf(node.argument, depth + 1);
      case 'SequenceExpression': return typeOf(node.expressions.at(-1), depth + 1);
      case 'AssignmentExpression': return node.operator === '=' ? typeOf(node.right, depth + 1) : UNKNOWN;
      case 'TemplateLiteral': return { is: 'text' };
      case 'Literal':
        if (node.value === null && !node.regex) return { is: 'null' };
        return node.regex ? UNKNOWN : { is: { string: 'text' }[typeof node.value] ?? typeof node.value };
      case 'ArrowFunctionExpression': case 'FunctionExpression': case 'ClassExpression':
        return { is: 'function' };
      case 'ArrayExpression':
        return { is: 'list', of: node.elements };
      case 'ObjectExpression': return { is: 'object', node };
      case 'UnaryExpression':
        return { is: { '!': 'boolean', typeof: 'text', void: 'undefined', delete: 'boolean' }[node.operator]
          ?? 'number' };
      case 'BinaryExpression':
        if (COMPARISONS.includes(node.operator)) return { is: 'boolean' };
        if (MATHS.includes(node.operator)) return { is: 'number' };
        return textual(node.left, depth + 1) || textual(node.right, depth + 1) ? { is: 'text' } : UNKNOWN;
      case 'Identifier':
        return node.name === 'undefined' ? { is: 'undefined' } : valueOfName(node.name, depth);
      case 'MemberExpression':
        return WHOLE_INPUT.some((method) => dotted(node) === `$input.${method}`)
          ? { is: 'function' } : UNKNOWN;
      case 'CallExpression': return typeOfCall(node, depth);
      default: return UNKNOWN;
    }
  };
  const typeOfCall = (node, depth) => {
    const name = dotted(node.callee), root = name?.split('.')[0];
    if (name !== null && !declared.has(root)) {
      if (TEXT_OF.includes(name)) return { is: 'text' };
      if (NUMBER_OF.includes(name) || root === 'Math') return { is: 'number' };
      if (name === 'Boolean') return { is: 'boolean' };
      if (name === 'Object.keys') return { is: 'list', each: { is: 'text' } };
    }
    if (node.callee.type !== 'MemberExpression') return UNKNOWN;
    const method = keyOf(node.callee), [first] = node.arguments;
    if (method === 'map' && isFunction(first)) {
      const made = isList(node.callee.object, depth + 1) && resultOf(first);
      return made ? { is: 'list', each: typeOf(made, depth + 1) } : UNKNOWN;
    }
    const of = typeOf(node.callee.object, depth + 1);
    if (of.is === 'text' && method === 'split') return { is: 'list', each: { is: 'text' } };
    if (of.is === 'list') {
      if (SAME_LIST.includes(method)) return of;
      if (method === 'join') return { is: 'text' };
    }
    if (of.is === 'text' && /^(to(Upper|Lower)Case|trim|slice|replace|replaceAll)$/.test(method)) return of;
    return UNKNOWN;
  };
  const isList = (node, depth) => {
    const type = typeOf(node, depth);
    if (type.is === 'list') return true;
    if (node.type === 'Identifier') {
      const value = declared.get(node.name);
      return node.name === 'items' && !declared.has('items') ? true
        : Boolean(value) && depth < 20 && isList(value, depth + 1);
    }
    return node.type === 'CallExpression' && dotted(node.callee) === '$input.all';
  };
  // What a function without branches returns, null where it cannot be told.
  const resultOf = (fn) => {
    if (fn.async || fn.generator) return null;
    if (fn.body.type !== 'BlockStatement') return fn.body;
    const returns = [...fn.body.body.flatMap((s) => [...ownNodes(s)])]
      .filter((n) => n.type === 'ReturnStatement');
    const last = fn.body.body.at(-1);
    return returns.length === 1 && last === returns[0] ? last.argument : null;
  };

  // --- what n8n demands ------------------------------------------------------------------------
  const SCALARS = ['text', 'number', 'boolean', 'bigint', 'function', 'undefined'];
  const isScalar = (type) => SCALARS.includes(type.is);
  const propertiesOf = (type) => type.is === 'object' ? type.node.properties : [];
  const faultOfItem = (type) => {
    const json = propertiesOf(type).find((p) => p.type === 'Property' && nameOfKey(p) === 'json');
    if (!json) return null;
    const inner = typeOf(json.value);
    // The runner sends results as JSON, without what is undefined and without functions.
    const isSent = !['function', 'undefined'].includes(inner.is);
    const isRefused = isSent && (isScalar(inner) || inner.is === 'null' || inner.is === 'list');
    return isRefused ? { fault: 'json', what: inner.is } : null;
  };
  const strangeKey = (type) => {
    const keys = propertiesOf(type).map((p) => p.type === 'Property' ? nameOfKey(p) : null);
    if (!keys.some((key) => ITEM_KEYS.includes(key))) return null;
    return keys.find((key) => key !== null && !ITEM_KEYS.includes(key)) ?? null;
  };
  const faultOfElements = (type) => {
    const types = type.each ? [type.each] : (type.of ?? []).filter((e) => e?.type !== 'SpreadElement')
      .map((e) => e === null ? { is: 'undefined' } : typeOf(e));
    for (const element of types) {
      if (isScalar(element) || element.is === 'null' || element.is === 'list') {
        return { fault: 'element', what: element.is };
      }
      const fault = faultOfItem(element);
      if (fault) return fault;
      const key = strangeKey(element);
      if (key !== null) return { fault: 'keys', what: key };
    }
    return null;
  };
  const faultOfReturn = (argument, isEach) => {
    const type = argument ? typeOf(argument) : { is: 'undefined' };
    if (isEach) {
      // What is falsy gives no item.
      if (type.is === 'list') return { fault: 'list' };
      const isText = argument?.type === 'Literal' ? Boolean(argument.value) : type.is === 'text'
        && argument.type === 'TemplateLiteral' && argument.quasis.some((q) => q.value.raw);
      if (type.is !== 'function' && isScalar(type) && isText) return { fault: 'scalar', what: type.is };
      return faultOfItem(type);
    }
    if (isScalar(type)) return { fault: 'scalar', what: type.is };
    if (type.is === 'list') return faultOfElements(type);
    return faultOfItem(type);
  };
  const faultOfMethod = (node) => {
    const name = node.type === 'MemberExpression' ? dotted(node) : null;
    const isDenied = name !== null && WHOLE_INPUT.some((method) => name === `$input.${method}`);
    return isDenied ? { fault: 'method', what: name } : null;
  };
  // --- names that nothing declares -------------------------------------------------------------
  // What the language has is read here; the rest is what js-task-runner.js adds, and luxon.
  const PROVIDED = new Set([...Object.getOwnPropertyNames(globalThis).filter((n) => n !== 'acorn'
    && n !== 'grounded'), ...`arguments items item require module exports console global Buffer
    setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate btoa atob
    TextDecoder TextDecoderStream TextEncoder TextEncoderStream FormData helpers DateTime Interval
    Duration WebAssembly`.split(/\s+/)]);
  // One of the two is missing in each mode of the Code node.
  const MISSING = { true: 'items', false: 'item' };
  const isTried = (node) => node.type === 'TryStatement' && node.handler !== null;
  // Names that are read outside of `try`, unless the script asks whether they exist.
  const undeclaredNames = function* (node, isEach, parent = null) {
    if (isTried(node)) {
      for (const part of [node.handler, node.finalizer]) if (part) yield* undeclaredNames(part, isEach, node);
      return;
    }
    if (node.type === 'Identifier') {
      for (const [name] of readNames(node, parent)) {
        const isProvided = PROVIDED.has(name) && MISSING[isEach] !== name;
        if (!name.startsWith('$') && !declared.has(name) && !isProvided) yield [name, node];
      }
    }
    // `$(Name)` without quotes is the name of a node.
    const isAsked = node.type === 'CallExpression' && node.callee.name === '$';
    for (const child of isAsked ? [] : childrenOf(node)) yield* undeclaredNames(child, isEach, node);
  };
  const questionedNames = () => new Set([...nodesIn(tree)].filter((n) => n.type === 'UnaryExpression'
    && n.operator === 'typeof').map((n) => n.argument.name));

  // Whether the end of the body is reached at all is not told of endless loops and thrown errors.
  const mayNotEnd = (node) => ['ThrowStatement', 'WhileStatement', 'DoWhileStatement', 'ForStatement']
    .includes(node.type);

  return (text) => {
    declared = new Map();
    uses = new Map();
    try {
      const [code, isEach] = JSON.parse(text);
      const whole = acorn.parse(`async function code() {\n${code}\n}`,
        { ecmaVersion: 'latest', sourceType: 'script', locations: true });
      if (whole.body.length !== 1) return '[]';
      tree = whole.body[0].body;
      for (const node of nodesIn(tree)) declareIn(node);
      for (const [name] of readNames(tree)) uses.set(name, (uses.get(name) ?? 0) + 1);
      const own = tree.body.flatMap((statement) => [...ownNodes(statement)]);
      const faults = [];
      const add = (fault, node, isSure = true) => fault
        && faults.push({ ...fault, line: node.loc.start.line - 1, isSure });
      const returns = own.filter((node) => node.type === 'ReturnStatement');
      const returned = returns.map((node) => [node, faultOfReturn(node.argument, isEach)]);
      const isAlways = returned.every(([, fault]) => fault);
      for (const [node, fault] of returned) add(fault, node, isAlways);
      if (!returns.length && tree.body.length && !own.some(mayNotEnd)) {
        add({ fault: 'nothing' }, tree.body.at(-1), !isEach);
      }
      if (isEach) for (const node of nodesIn(tree)) add(faultOfMethod(node), node);
      const questioned = questionedNames(), told = new Set();
      for (const [name, node] of undeclaredNames(tree, isEach)) {
        if (!questioned.has(name) && !told.has(name)) add({ fault: 'name', what: name }, node);
        told.add(name);
      }
      return JSON.stringify(faults.slice(0, 20));
    } catch {
      return '[]';
    }
  };
})();
