// Decides which JavaScript may run in a trial: only what is listed here.
//
// `judge(code)` returns {reason, places, denied}: `reason` is null for code that may run, else what
// is not allowed in it; `places` are the ranges [start, end] of computed member names, around which
// the copy puts a guard that refuses the names `denied` when the code runs.
const grounded = (() => {
  'use strict';
  const parse = JSON.parse, print = JSON.stringify;
  const HEAD = 'async function code() {\n', TAIL = '\n}';
  const set = (text) => new Set(text.trim().split(/\s+/));

  // Names that lead from a plain value to the constructor of functions or to a borrowed method.
  const DENIED = set(`constructor prototype __proto__ __defineGetter__ __defineSetter__
    __lookupGetter__ __lookupSetter__ caller callee call apply bind helpers mainModule
    prepareStackTrace captureStackTrace httpRequest httpRequestWithAuthentication
    requestWithAuthentication requestOAuth1 requestOAuth2 buffer`);
  // Methods that read a property by a text: they are called where they are, and never handed on.
  const READS_BY_NAME = set('get');
  // Of a Buffer this is memory that it shares with others.
  const SHARED_MEMORY = 'parent';
  const VALUES = set(`undefined NaN Infinity $json $binary $input $items $item $node $ items item
    $runIndex $itemIndex $prevNode $workflow $execution $now $today $vars $parameter $nodeVersion
    $nodeId $getWorkflowStaticData getWorkflowStaticData $if $ifEmpty $max $min $executionId
    $request $response $pageCount $mode $position $data`);
  // Methods of plain values: read without a call they are functions.
  const METHODS = set(`at concat copyWithin entries every fill filter find findIndex flat flatMap
    forEach includes indexOf join keys map pop push reduce reduceRight reverse shift slice some sort
    splice toString unshift valueOf charAt charCodeAt codePointAt endsWith match matchAll padEnd
    padStart repeat replace replaceAll search split startsWith substring toLowerCase toUpperCase
    trim exec test then catch finally toISOString toFixed hasOwnProperty`);
  const ASSIGNABLE = set('items item');
  // Functions of the language that may also be handed on as they are.
  const FUNCTIONS = set(`String Number Boolean BigInt parseInt parseFloat isNaN isFinite
    encodeURIComponent decodeURIComponent encodeURI decodeURI escape unescape atob btoa
    structuredClone`);
  const CALLABLE = set('Array Object Date RegExp Symbol Error TypeError RangeError setTimeout '
    + 'clearTimeout');
  const NEWABLE = set(`Array Object Date RegExp Map Set WeakMap WeakSet Promise Error TypeError
    RangeError SyntaxError URL URLSearchParams TextEncoder TextDecoder`);
  const MEMBERS = {
    Object: set('keys values entries assign fromEntries freeze seal is hasOwn groupBy isFrozen'),
    Array: set('isArray from of'),
    JSON: set('parse stringify'),
    Date: set('now parse UTC'),
    Number: set(`isInteger isFinite isNaN isSafeInteger parseFloat parseInt MAX_SAFE_INTEGER
      MIN_SAFE_INTEGER MAX_VALUE MIN_VALUE EPSILON POSITIVE_INFINITY NEGATIVE_INFINITY NaN`),
    String: set('fromCharCode fromCodePoint raw'),
    Promise: set('all allSettled race any resolve reject'),
    Map: set('groupBy'),
    BigInt: set('asIntN asUintN'),
    URL: set('canParse'),
    Intl: set('NumberFormat DateTimeFormat RelativeTimeFormat ListFormat PluralRules Collator'),
    Buffer: set('from concat byteLength isBuffer'),
    console: set('log info warn error debug table group groupEnd time timeEnd'),
    crypto: set('randomUUID'),
    performance: set('now'),
    DateTime: set(`now local utc fromISO fromFormat fromJSDate fromMillis fromSeconds fromObject
      fromSQL fromHTTP fromRFC2822 fromString isDateTime min max invalid DATE_SHORT DATE_MED
      DATE_FULL DATE_HUGE TIME_SIMPLE TIME_24_SIMPLE DATETIME_SHORT DATETIME_MED DATETIME_FULL`),
    Duration: set('fromObject fromISO fromMillis isDuration'),
    Interval: set('fromDateTimes after before fromISO'),
    Symbol: set('iterator'),
  };
  const MATHS = 'Math';
  // Functions lent to another value: of these alone, and only in a call.
  const LENT = {
    Object: set('hasOwnProperty toString propertyIsEnumerable'),
    Array: set('slice map filter forEach join includes indexOf some every reduce push'),
    String: set('slice trim'),
  };

  class Refusal extends Error {}
  const refuse = (what) => { throw new Refusal(what); };

  // --- scopes -------------------------------------------------------------------------------
  const scopeOf = (parent, isFunction) => ({ parent, isFunction, names: new Map() });
  const declare = (scope, name, kind) => {
    const before = scope.names.get(name);
    scope.names.set(name, before === undefined || before === kind ? kind : 'value');
  };
  const functionScope = (scope) => { let s = scope; while (!s.isFunction) s = s.parent; return s; };
  const lookUp = (scope, name) => {
    for (let s = scope; s; s = s.parent) if (s.names.has(name)) return s.names.get(name);
    return null;
  };
  const isFunction = (node) => node && (node.type === 'ArrowFunctionExpression'
    || node.type === 'FunctionExpression');
  const namesIn = (pattern, add) => {
    if (!pattern) return;
    switch (pattern.type) {
      case 'Identifier': add(pattern.name); break;
      case 'ObjectPattern': for (const p of pattern.properties) namesIn(p.value ?? p.argument, add);
        break;
      case 'ArrayPattern': for (const p of pattern.elements) namesIn(p, add); break;
      case 'AssignmentPattern': namesIn(pattern.left, add); break;
      case 'RestElement': namesIn(pattern.argument, add); break;
      default: break;
    }
  };
  const SKIP = new Set(['type', 'start', 'end']);
  const childrenOf = function* (node) {
    for (const key of Object.keys(node)) {
      if (SKIP.has(key)) continue;
      const value = node[key];
      for (const child of Array.isArray(value) ? value : [value]) {
        if (child && typeof child.type === 'string') yield child;
      }
    }
  };
  // `var` counts in its whole function; the other declarations in their block.
  const hoist = (node, scope) => {
    if (node.type === 'FunctionDeclaration' || isFunction(node)) return;
    if (node.type === 'VariableDeclaration' && node.kind === 'var') declareAll(node, scope);
    for (const child of childrenOf(node)) hoist(child, scope);
  };
  const declareAll = (declaration, scope) => {
    for (const { id, init } of declaration.declarations) {
      const kind = id.type === 'Identifier' && isFunction(init) ? 'function' : 'value';
      namesIn(id, (name) => declare(scope, name, kind));
    }
  };
  const declareBlock = (statements, scope) => {
    for (const s of statements) {
      if (s.type === 'FunctionDeclaration') declare(scope, s.id.name, 'function');
      else if (s.type === 'VariableDeclaration' && s.kind !== 'var') declareAll(s, scope);
    }
  };

  // --- what may run ---------------------------------------------------------------------------
  let places = [], readsParent = false, usesBuffer = false;
  const textOf = (node) => {
    if (node.type === 'Literal') return node.regex ? null : String(node.value);
    if (node.type === 'TemplateLiteral' && node.expressions.length === 0) {
      return node.quasis[0].value.cooked;
    }
    if (node.type === 'BinaryExpression' && node.operator === '+') {
      const left = textOf(node.left), right = textOf(node.right);
      return left === null || right === null ? null : left + right;
    }
    return null;
  };
  const isDenied = (name) => DENIED.has(name);
  const checkName = (name) => {
    if (isDenied(name)) refuse(`the name ${name}`);
    if (name === SHARED_MEMORY) readsParent = true;
  };
  const guard = (key, scope) => {
    const text = textOf(key);
    if (text !== null) { checkName(text); return text; }
    expression(key, scope);
    places.push([key.start, key.end]);
    return null;
  };
  const freeRoot = (node, scope) => node.type === 'Identifier' && lookUp(scope, node.name) === null
    ? node.name : null;

  const identifier = (node, scope) => {
    if (lookUp(scope, node.name) !== null) return;
    if (VALUES.has(node.name) || FUNCTIONS.has(node.name)) return;
    refuse(`the name ${node.name}`);
  };

  const member = (node, scope, isCalled) => {
    if (node.property.type === 'PrivateIdentifier') refuse('a private name');
    if (node.object.type === 'Super') refuse('super');
    const root = freeRoot(node.object, scope);
    if (root !== null && (root === MATHS || Object.hasOwn(MEMBERS, root))) {
      const name = node.computed ? textOf(node.property) : node.property.name;
      const isListed = name !== null && (root === MATHS ? !isDenied(name) : MEMBERS[root].has(name));
      if (!isListed) refuse(`a member of ${root}`);
      if (root === 'Buffer') usesBuffer = true;
      return;
    }
    const owner = node.object;
    if (!node.computed) {
      const name = node.property.name;
      checkName(name);
      if (!isCalled && READS_BY_NAME.has(name)) refuse(`the method ${name} handed on`);
      expression(owner, scope);
      return;
    }
    // A name that is computed is looked up in data, not in functions.
    if (isFunction(owner)
      || (owner.type === 'Identifier' && lookUp(scope, owner.name) === 'function')
      || (owner.type === 'MemberExpression' && !owner.computed && METHODS.has(owner.property.name)
        && textOf(node.property) === null)) {
      refuse('a computed name of a function');
    }
    const text = guard(node.property, scope);
    if (text === null && isCalled) refuse('a call by a computed name');
    if (text !== null && !isCalled && READS_BY_NAME.has(text)) refuse(`the method ${text}`);
    expression(owner, scope);
  };

  const isLent = (callee, scope) => {
    // Math.max.apply(...), Object.prototype.hasOwnProperty.call(...)
    if (callee.type !== 'MemberExpression' || callee.computed) return false;
    if (!['call', 'apply'].includes(callee.property.name)) return false;
    const lent = callee.object;
    if (lent.type !== 'MemberExpression' || lent.computed) return false;
    if (freeRoot(lent.object, scope) === MATHS) return !isDenied(lent.property.name);
    const owner = lent.object;
    if (owner.type === 'MemberExpression' && !owner.computed && owner.property.name === 'prototype') {
      const root = freeRoot(owner.object, scope);
      return root !== null && Object.hasOwn(LENT, root) && LENT[root].has(lent.property.name);
    }
    return false;
  };

  const call = (node, scope) => {
    const callee = node.callee;
    if (callee.type === 'Super' || callee.type === 'Import') refuse('a call of this kind');
    if (!isLent(callee, scope)) {
      if (callee.type === 'MemberExpression') member(callee, scope, true);
      else if (callee.type === 'Identifier') {
        const kind = lookUp(scope, callee.name);
        if (kind === 'value') refuse(`a call of ${callee.name}, which may be any value`);
        if (kind === null && !CALLABLE.has(callee.name)) identifier(callee, scope);
        if (kind === null && /^set/.test(callee.name)) {
          const first = node.arguments[0];
          const isSafe = isFunction(first) || (first?.type === 'Identifier'
            && ['function', 'parameter'].includes(lookUp(scope, first.name)));
          if (!isSafe) refuse(`${callee.name} of no function`);
        }
      } else if (isFunction(callee)) expression(callee, scope);
      else if (callee.type === 'ChainExpression') expression(callee, scope);
      else refuse('a call of a computed function');
    }
    for (const argument of node.arguments) expression(argument, scope);
  };

  const create = (node, scope) => {
    const callee = node.callee;
    const root = freeRoot(callee, scope);
    const isIntl = callee.type === 'MemberExpression' && freeRoot(callee.object, scope) === 'Intl';
    if (isIntl) member(callee, scope, true);
    else if (root === null || !NEWABLE.has(root)) refuse('new of anything but plain values');
    for (const argument of node.arguments) expression(argument, scope);
  };

  const body = (node, scope, isArrow) => {
    const inner = scopeOf(scope, true);
    if (!isArrow && node.id && node.type === 'FunctionExpression') {
      declare(inner, node.id.name, 'function');
    }
    for (const parameter of node.params) {
      namesIn(parameter, (name) => inner.names.set(name, 'parameter'));
    }
    for (const parameter of node.params) pattern(parameter, inner);
    if (node.body.type !== 'BlockStatement') { expression(node.body, inner); return; }
    hoist(node.body, inner);
    declareBlock(node.body.body, inner);
    for (const child of node.body.body) statement(child, inner);
  };

  const pattern = (node, scope) => {
    switch (node.type) {
      case 'Identifier':
        if (lookUp(scope, node.name) === null && !ASSIGNABLE.has(node.name)) {
          refuse(`an undeclared name ${node.name}`);
        }
        return;
      case 'MemberExpression': member(node, scope, false); return;
      case 'AssignmentPattern': pattern(node.left, scope); expression(node.right, scope); return;
      case 'RestElement': pattern(node.argument, scope); return;
      case 'ArrayPattern':
        for (const element of node.elements) if (element) pattern(element, scope);
        return;
      case 'ObjectPattern':
        for (const entry of node.properties) {
          if (entry.type === 'RestElement') { pattern(entry.argument, scope); continue; }
          if (entry.computed) refuse('a computed name taken apart');
          const name = entry.key.name ?? String(entry.key.value);
          checkName(name);
          if (READS_BY_NAME.has(name)) refuse(`the method ${name} handed on`);
          pattern(entry.value, scope);
        }
        return;
      default: refuse(node.type);
    }
  };

  const property = (node, scope) => {
    if (node.type === 'SpreadElement') { expression(node.argument, scope); return; }
    if (node.kind !== 'init') refuse('a getter or setter');
    if (node.computed) expression(node.key, scope);
    else if ((node.key.name ?? String(node.key.value)) === '__proto__') refuse('__proto__');
    expression(node.value, scope);
  };

  const each = (nodes, scope) => { for (const node of nodes) if (node) expression(node, scope); };
  const expression = (node, scope) => {
    switch (node.type) {
      case 'Literal': return;
      case 'Identifier': identifier(node, scope); return;
      case 'TemplateLiteral': each(node.expressions, scope); return;
      case 'ArrayExpression': each(node.elements, scope); return;
      case 'ObjectExpression': for (const entry of node.properties) property(entry, scope); return;
      case 'SpreadElement': case 'AwaitExpression':
        expression(node.argument, scope); return;
      case 'UnaryExpression':
        if (node.operator === 'typeof' && node.argument.type === 'Identifier') return;
        expression(node.argument, scope); return;
      case 'UpdateExpression': pattern(node.argument, scope); return;
      case 'BinaryExpression':
        if (node.left.type === 'PrivateIdentifier') refuse('a private name');
        expression(node.left, scope);
        if (node.operator === 'instanceof' && NEWABLE.has(freeRoot(node.right, scope))) return;
        expression(node.right, scope); return;
      case 'LogicalExpression': expression(node.left, scope); expression(node.right, scope); return;
      case 'ConditionalExpression': each([node.test, node.consequent, node.alternate], scope); return;
      case 'SequenceExpression': each(node.expressions, scope); return;
      case 'ParenthesizedExpression': case 'ChainExpression':
        expression(node.expression, scope); return;
      case 'AssignmentExpression': assignment(node, scope); return;
      case 'ArrowFunctionExpression': body(node, scope, true); return;
      case 'FunctionExpression':
        if (node.generator) refuse('a generator');
        body(node, scope, false); return;
      case 'MemberExpression': member(node, scope, false); return;
      case 'CallExpression': call(node, scope); return;
      case 'NewExpression': create(node, scope); return;
      default: refuse(node.type);
    }
  };
  const assignment = (node, scope) => {
    if (node.left.type === 'Identifier' && !isFunction(node.right)) {
      // What was a function may be any value from now on.
      for (let s = scope; s; s = s.parent) {
        if (!s.names.has(node.left.name)) continue;
        if (s.names.get(node.left.name) === 'function') refuse('a function put in another place');
        break;
      }
    }
    pattern(node.left, scope);
    expression(node.right, scope);
  };

  const block = (statements, scope) => {
    const inner = scopeOf(scope, false);
    declareBlock(statements, inner);
    for (const child of statements) statement(child, inner);
  };
  const loopHead = (node, scope) => {
    if (node.type === 'VariableDeclaration') { statement(node, scope); return; }
    pattern(node, scope);
  };
  const statement = (node, scope) => {
    switch (node.type) {
      case 'EmptyStatement': case 'BreakStatement': case 'ContinueStatement': return;
      case 'ExpressionStatement': expression(node.expression, scope); return;
      case 'ReturnStatement': case 'ThrowStatement':
        if (node.argument) expression(node.argument, scope);
        return;
      case 'BlockStatement': block(node.body, scope); return;
      case 'LabeledStatement': statement(node.body, scope); return;
      case 'IfStatement':
        expression(node.test, scope);
        block([node.consequent], scope);
        if (node.alternate) block([node.alternate], scope);
        return;
      case 'WhileStatement': case 'DoWhileStatement':
        expression(node.test, scope); block([node.body], scope); return;
      case 'ForStatement': {
        const inner = scopeOf(scope, false);
        if (node.init?.type === 'VariableDeclaration') {
          if (node.init.kind !== 'var') declareAll(node.init, inner);
          statement(node.init, inner);
        } else if (node.init) expression(node.init, inner);
        each([node.test, node.update], inner);
        block([node.body], inner);
        return;
      }
      case 'ForInStatement': case 'ForOfStatement': {
        const inner = scopeOf(scope, false);
        if (node.left.type === 'VariableDeclaration' && node.left.kind !== 'var') {
          declareAll(node.left, inner);
        }
        loopHead(node.left, inner);
        expression(node.right, inner);
        block([node.body], inner);
        return;
      }
      case 'SwitchStatement': {
        expression(node.discriminant, scope);
        const inner = scopeOf(scope, false);
        for (const branch of node.cases) declareBlock(branch.consequent, inner);
        for (const branch of node.cases) {
          if (branch.test) expression(branch.test, inner);
          for (const child of branch.consequent) statement(child, inner);
        }
        return;
      }
      case 'TryStatement':
        block(node.block.body, scope);
        if (node.handler) {
          const inner = scopeOf(scope, false);
          namesIn(node.handler.param, (name) => declare(inner, name, 'value'));
          if (node.handler.param) pattern(node.handler.param, inner);
          block(node.handler.body.body, inner);
        }
        if (node.finalizer) block(node.finalizer.body, scope);
        return;
      case 'FunctionDeclaration':
        if (node.generator) refuse('a generator');
        body(node, scope, false);
        return;
      case 'VariableDeclaration':
        for (const { id, init } of node.declarations) {
          pattern(id, scope);
          if (init) expression(init, scope);
        }
        return;
      default: refuse(node.type);
    }
  };

  const judge = (code) => {
    places = [];
    readsParent = false;
    usesBuffer = false;
    try {
      const whole = HEAD + code + TAIL;
      const tree = acorn.parse(whole, { ecmaVersion: 2022, sourceType: 'script' });
      const [wrapper, ...others] = tree.body;
      if (others.length > 0 || wrapper.type !== 'FunctionDeclaration' || !wrapper.async
        || wrapper.end !== whole.length || wrapper.body.end !== whole.length) {
        return { reason: 'code that ends the function around it' };
      }
      body(wrapper, scopeOf(null, true), false);
      if (usesBuffer && readsParent) refuse(`the name ${SHARED_MEMORY}`);
    } catch (error) {
      if (error instanceof Refusal) {
        return { reason: error.message };
      }
      return { reason: 'code that does not parse' };
    }
    const denied = [...DENIED, ...READS_BY_NAME, ...(usesBuffer ? [SHARED_MEMORY] : [])];
    const ranges = places.map(([start, end]) => [start - HEAD.length, end - HEAD.length]);
    return { reason: null, places: ranges, denied };
  };
  return { judge: (text) => print(judge(parse(text))) };
})();
