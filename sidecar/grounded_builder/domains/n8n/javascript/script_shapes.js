// Determines from its syntax tree what a short script does, if a core node does exactly that.
//
// `shape(code)` returns the name of what the script does, null for a script that does more. Names
// that are declared once with a value are followed to it. `chain` writes a reference in one form:
// `$input.all()`, `#item.json.name` of the parameter of a function, `$('').all()` of another node.
grounded.shape = (() => {
  'use strict';
  const LISTS = ['items', '$input.all()', '$items()'];
  const FIRST = ['items[0]', '$items()[0]', '$input.first()', '$input.item', '$input.all()[0]', 'item'];
  const OWN = ['$json', '$input.json', ...FIRST.map((name) => `${name}.json`)];
  const OTHERS = ["$('').all()", "$items('')"];
  const PASSED = [...LISTS, 'item', '$input.item', '$json'];
  // Node types of a value that Edit Fields or a condition takes as an expression.
  const VALUES = new Set(`Literal TemplateLiteral TemplateElement Identifier MemberExpression
    CallExpression ChainExpression BinaryExpression LogicalExpression UnaryExpression
    ConditionalExpression ObjectExpression ArrayExpression Property SpreadElement NewExpression`
    .split(/\s+/));
  // State, other modules, requests, parsing and chance are no work of a core node.
  const BEYOND_NAMES = ['require', 'process', 'console', 'Buffer', 'crypto', '$binary',
    '$getWorkflowStaticData', 'getWorkflowStaticData'];
  const BEYOND_MEMBERS = ['helpers', 'binary', 'pairedItem'];
  const BEYOND_CALLS = ['JSON.parse', 'Math.random'];
  const DATES = new Set(`Date DateTime $now $today moment toISO toISOString toISODate toISOTime
    toLocaleDateString toLocaleTimeString`.split(/\s+/));

  let names = new Map(), uses = new Map();
  const isFunction = (node) => ['ArrowFunctionExpression', 'FunctionExpression',
    'FunctionDeclaration'].includes(node?.type);
  const nodesIn = function* (node) {
    yield node;
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof child?.type === 'string') yield* nodesIn(child);
      }
    }
  };
  const some = (node, test) => { for (const n of nodesIn(node)) if (test(n)) return true; };
  const follow = (node) => {
    if (node.type === 'ChainExpression') return follow(node.expression);
    const value = node.type === 'Identifier' ? names.get(node.name) : undefined;
    return value?.type ? follow(value) : node;
  };
  const keyOf = (member) => member.computed
    ? (member.property.type === 'Literal' ? member.property.value : null) : member.property.name;
  const chain = (start) => {
    const node = follow(start);
    if (node.type === 'Identifier') return names.get(node.name) ?? node.name;
    if (node.type === 'ArrayExpression' && node.elements.length === 1
      && node.elements[0]?.type === 'SpreadElement') return chain(node.elements[0].argument);
    if (node.type === 'MemberExpression') {
      const owner = chain(node.object), key = keyOf(node);
      if (owner === null || key === null) return null;
      return typeof key === 'number' ? `${owner}[${key}]` : `${owner}.${key}`;
    }
    if (node.type !== 'CallExpression') return null;
    if (methodOf(node) === 'slice' && !node.arguments.length) return chain(node.callee.object);
    const callee = chain(node.callee), [argument, more] = node.arguments;
    if (callee === null || more || (argument && typeof argument.value !== 'string')) return null;
    return `${callee}(${argument ? "''" : ''})`;
  };
  const methodOf = (node) => node?.type === 'CallExpression'
    && node.callee.type === 'MemberExpression' ? keyOf(node.callee) : null;
  const isList = (node) => LISTS.includes(chain(node));
  const isOther = (node) => OTHERS.includes(chain(node));
  const isOwn = (node) => [...OWN, '#item.json'].includes(chain(node));
  const isPathOf = (node, owners) => {
    const path = chain(node);
    return path !== null && owners.some((o) => path.startsWith(`${o}.`) || path.startsWith(`${o}[`));
  };
  const nameOf = (node) => node.type === 'Identifier' ? node.name
    : node.type === 'MemberExpression' ? keyOf(node) : null;
  const isBeyond = (node) => (node.type === 'Identifier' && BEYOND_NAMES.includes(node.name))
    || (node.type === 'MemberExpression' && BEYOND_MEMBERS.includes(keyOf(node)))
    || (node.type === 'CallExpression' && BEYOND_CALLS.includes(chain(node.callee)));
  const isValue = (node) => !some(node, (part) => !VALUES.has(part.type)
    || isBeyond(part) || (part.type === 'UnaryExpression' && part.operator === 'delete')
    || (part.type === 'NewExpression' && part.callee.name !== 'Date'))
    && readsNoList(node);
  // The first item may be read of a list, nothing else of it.
  const readsNoList = (node) => {
    if (isOwn(node) || FIRST.includes(chain(node))) return true;
    if (isList(node)) return false;
    return Object.entries(node).every(([key, value]) => (key === 'property' && !node.computed)
      || (key === 'key' && !node.computed)
      || (Array.isArray(value) ? value : [value]).every(
        (child) => typeof child?.type !== 'string' || readsNoList(child)));
  };
  // Runs `work` with names for the parameters of a function.
  const within = (fn, given, work) => {
    const before = new Map(names);
    const isPlain = fn.params.every((param) => param.type === 'Identifier');
    if (!isPlain || fn.params.length > given.length || fn.generator) return false;
    fn.params.forEach((param, index) => names.set(param.name, given[index]));
    const result = work(fn.body);
    names = before;
    return result;
  };
  // The value that a function returns after it declared no more than names for values.
  const resultOf = (body) => {
    if (body.type !== 'BlockStatement') return body;
    const last = body.body.at(-1);
    const isPlain = body.body.slice(0, -1).every((s) => s.type === 'VariableDeclaration'
      && s.declarations.every((d) => d.id.type === 'Identifier' && d.init && isValue(d.init)));
    return isPlain && last?.type === 'ReturnStatement' ? last.argument : null;
  };
  // Of `list.method(function)`: whether `work` holds for what the function returns.
  const each = (node, method, isOf, work, given = ['#item']) => methodOf(node) === method
    && isOf(node.callee.object) && isFunction(node.arguments[0])
    && within(node.arguments[0], given, (body) => {
      const result = resultOf(body);
      return result !== null && result !== undefined && work(result, body);
    });

  // --- what is returned -----------------------------------------------------------------------
  const fieldOf = (object, name) => object?.type === 'ObjectExpression'
    && object.properties.length === 1 && object.properties[0].type === 'Property'
    && (name === null || object.properties[0].key.name === name)
    ? object.properties[0].value : null;
  const single = (node) => node.type === 'ArrayExpression' && node.elements.length === 1
    ? node.elements[0] : node;
  const isPassed = (node) => PASSED.includes(chain(node))
    || (node.type === 'ArrayExpression' && ['item', '#item'].includes(chain(single(node))));
  const isAmount = (node) => {
    const value = follow(node);
    if (value.type === 'LogicalExpression' && value.right.value === 0) return isAmount(value.left);
    if (value.type === 'CallExpression' && ['Number', 'parseFloat'].includes(value.callee.name)) {
      return isAmount(value.arguments[0]);
    }
    return isPathOf(value, ['#item.json']);
  };
  const isList0 = (node) => {
    const value = follow(node);
    return isPathOf(value.type === 'LogicalExpression' && value.right.elements?.length === 0
      ? value.left : value, OWN);
  };
  const isNumber = (node) => typeof node.value === 'number'
    || (node.type === 'UnaryExpression' && typeof node.argument.value === 'number');
  const isObjectOfFields = (node) => node?.type === 'ObjectExpression' && node.properties.length > 0
    && node.properties.every((p) => p.type === 'SpreadElement' ? isOwn(p.argument)
      : !p.method && p.kind === 'init' && isValue(p.value) && (!p.computed || isValue(p.key)));
  const setsFields = (node) => isObjectOfFields(fieldOf(node, 'json'));
  const isSplit = (node) => each(node, 'map', isList0, (made) => {
    const json = fieldOf(made, 'json');
    return json !== null && chain(json) === '#item';
  });
  const isMerged = (node) => {
    if (node.type === 'ArrayExpression') {
      const lists = node.elements.map((e) => e?.type === 'SpreadElement' ? e.argument : null);
      return lists.length > 1 && lists.every((l) => l && (isOther(l) || isList(l)))
        && isOther(lists[0]);
    }
    return methodOf(node) === 'concat' && isOther(node.arguments[0])
      && [node.callee.object].every((l) => isOther(l) || isList(l) || isMerged(l));
  };
  const isRepeatTest = (node) => methodOf(node) === 'filter' && isList(node.callee.object)
    && isFunction(node.arguments[0])
    && within(node.arguments[0], ['#item', '#index', '#list'], (body) => {
      const test = resultOf(body);
      const sides = test?.operator === '===' ? [test.left, test.right] : [];
      return sides.some((side) => chain(side) === '#index')
        && sides.some((side) => methodOf(side) === 'findIndex');
    });
  const isLimited = (node) => FIRST.includes(chain(single(node)))
    || (methodOf(node) === 'slice' && isList(node.callee.object) && node.arguments.length > 0
      && node.arguments.every(isNumber));
  const isSorted = (node) => methodOf(node) === 'sort' && isList(node.callee.object)
    && isFunction(node.arguments[0]) && !some(node, isBeyond);
  const shapeOfValue = (node) => {
    const whole = single(node), inner = fieldOf(fieldOf(whole, 'json'), null);
    if (isPassed(node)) return 'nothing';
    if (isLimited(node)) return 'limit';
    if (isRepeatTest(node)) return 'dedup';
    if (each(node, 'filter', isList, isValue)) return 'filter';
    if (isSorted(node)) return 'sort';
    if (isSplit(node)) return 'split';
    const made = inner && follow(inner);
    if (made && each(made, 'map', isList, (v) => isPathOf(v, ['#item.json'])
      || chain(v) === '#item.json')) return 'aggregate';
    if (made && made.arguments?.[1]?.value === 0 && each(made, 'reduce', isList,
      (v) => v.operator === '+' && chain(v.left) === '#sum' && isAmount(v.right),
      ['#sum', '#item'])) return 'sum';
    if (isMerged(node)) return 'merge';
    return setsFields(whole) || each(node, 'map', isList, (v, body) =>
      setsFields(v) && (body.body?.length ?? 1) === 1) ? 'set' : null;
  };

  // --- what is done before ----------------------------------------------------------------------
  const isSetting = (s) => s.type === 'ExpressionStatement' && s.expression.operator === '='
    && s.expression.left.type === 'MemberExpression' && isOwn(s.expression.left.object)
    && keyOf(s.expression.left) !== null && isValue(s.expression.right);
  const setsInPlace = (statements, result) => {
    const [first] = statements;
    if (methodOf(result) === 'map' && isList(result.callee.object) && !statements.length) {
      const fn = result.arguments[0];
      return isFunction(fn) && within(fn, ['#item'], (body) => {
        const last = body.body?.at?.(-1);
        return body.type === 'BlockStatement' && last?.type === 'ReturnStatement' && last.argument
          && chain(last.argument) === '#item' && body.body.length > 1
          && body.body.slice(0, -1).every(isSetting);
      });
    }
    if (!isPassed(result) || !first) return false;
    if (first.type !== 'ForOfStatement') return statements.every(isSetting);
    const id = first.left.declarations?.[0].id;
    if (statements.length > 1 || !isList(first.right) || id?.type !== 'Identifier') return false;
    names.set(id.name, '#item');
    const all = first.body.body ?? [first.body];
    return all.length > 0 && all.every(isSetting);
  };
  // `setTimeout(resolve, ms)`, or of a function that only resolves, in a new promise; its value.
  const sleep = (node) => {
    const promise = node?.type === 'AwaitExpression' ? node.argument : node;
    if (promise?.type !== 'NewExpression' || promise.callee.name !== 'Promise') return null;
    const fn = promise.arguments[0], resolve = fn?.params?.[0]?.name;
    const only = (body) => body?.type !== 'BlockStatement' ? body
      : body.body.length === 1 ? body.body[0].expression ?? body.body[0].argument : null;
    const call = isFunction(fn) ? only(fn.body) : null;
    if (call?.callee?.name !== 'setTimeout') return null;
    const then = call.arguments[0];
    if (then?.name === resolve) return { value: null };
    const last = isFunction(then) ? only(then.body) : null;
    return last?.callee?.name === resolve ? { value: last.arguments[0] ?? null } : null;
  };
  const isSleepFunction = (fn) => isFunction(fn)
    && sleep(fn.body.type !== 'BlockStatement' ? fn.body : fn.body.body.length === 1
      ? fn.body.body[0].argument ?? fn.body.body[0].expression : null) !== null;
  const isSleep = (s) => s.type === 'ExpressionStatement' && s.expression.type === 'AwaitExpression'
    && (sleep(s.expression) !== null || isSleepFunction(follow(s.expression.argument.callee ?? s)));
  const dropsRepeats = (node, seen) => methodOf(node) === 'filter' && isList(node.callee.object)
    && isFunction(node.arguments[0]) && ['has', 'add'].every((method) => some(node.arguments[0],
      (n) => methodOf(n) === method && n.callee.object.name === seen));

  const declare = (statement) => {
    if (statement.type === 'FunctionDeclaration') names.set(statement.id.name, statement);
    else for (const { id, init } of statement.declarations) {
      if (id.type !== 'Identifier' || !init || names.has(id.name)) return false;
      // `const items = $input.all()` names the list as it is called anyway.
      if (chain(init) !== id.name) names.set(id.name, init);
    }
    return true;
  };
  const isPlainName = (name) => {
    const value = names.get(name);
    return isList(value) || isOther(value) || isOwn(value) || FIRST.includes(chain(value));
  };
  const shapeOfBody = (body) => {
    const last = body.at(-1);
    if (last?.type !== 'ReturnStatement' || !last.argument) return null;
    const isDeclaration = (s) => /^(Variable|Function)Declaration$/.test(s.type);
    const declarations = body.filter(isDeclaration);
    const done = body.slice(0, -1).filter((s) => !isDeclaration(s));
    if (!declarations.every(declare)) return null;
    const returned = follow(last.argument);
    const count = (name, by) => uses.set(name, (uses.get(name) ?? 0) + by);
    for (const node of body) for (const n of nodesIn(node)) {
      if (n.type === 'Identifier') count(n.name, 1);
      if (n.type === 'MemberExpression' && !n.computed) count(n.property.name, -1);
      if (n.type === 'Property' && !n.computed) count(n.key.name, -1);
      if (n.type === 'AssignmentExpression' && names.has(n.left.name)) return null;
    }
    const own = [...names.keys()].filter((name) => !isPlainName(name));
    const helpers = own.filter((name) => !isSleepFunction(names.get(name)));
    const slept = sleep(returned);
    if (slept?.value && isPassed(slept.value) && !done.length && !own.length) return 'wait';
    if (done.length && done.every(isSleep)) {
      return isPassed(returned) && helpers.every((n) => isNumber(names.get(n))) ? 'wait' : null;
    }
    if (own.length === 1 && !done.length && names.get(own[0]).callee?.name === 'Set') {
      return dropsRepeats(returned, own[0]) ? 'dedup' : null;
    }
    if (!own.length && setsInPlace(done, returned)) return 'set';
    if (done.length === 1 && !own.length && isPassed(returned) && isSorted(done[0].expression ?? {})) {
      return 'sort';
    }
    if (done.length) return null;
    const shape = shapeOfValue(returned);
    const isReadOnce = (name) => uses.get(name) === 2;
    const isExpressed = ['set', 'filter'].includes(shape);
    const isFit = own.map((name) => [name, names.get(name)]).every(([name, value]) =>
      value === returned || (isReadOnce(name) && !isExpressed)
      || (isValue(value) && (isReadOnce(name) || shape === 'filter')));
    return isFit ? shape : null;
  };
  return (text) => {
    names = new Map();
    uses = new Map();
    try {
      const tree = acorn.parse(`async function code() {\n${JSON.parse(text)}\n}`,
        { ecmaVersion: 2022, sourceType: 'script' });
      if (tree.body.length !== 1) return 'null';
      const shape = shapeOfBody(tree.body[0].body.body);
      const isDated = shape === 'set' && some(tree.body[0], (n) => DATES.has(nameOf(n)));
      return JSON.stringify(isDated ? 'date' : shape);
    } catch {
      return 'null';
    }
  };
})();
