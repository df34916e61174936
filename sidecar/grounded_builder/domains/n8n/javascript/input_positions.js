// Determines from a script's syntax tree whether it reads `pairedItem` of its input items, and from
// which nodes it takes items by a computed position.
//
// `positions(code)` returns the names of these nodes, none where no `pairedItem` is read or where
// it is only passed on. Names that are declared once are followed to their values, and parameters
// of several functions to their lists.
grounded.positions = (() => {
  'use strict';
  const SAME_LIST = ['filter', 'slice', 'sort', 'toSorted', 'reverse', 'toReversed', 'concat'];
  const EACH = ['map', 'forEach', 'filter', 'find', 'findIndex', 'some', 'every', 'flatMap', 'reduce'];
  let names = new Map();
  const keyOf = (member) => member.computed
    ? (member.property.type === 'Literal' ? member.property.value : null) : member.property.name;
  const bare = (node) => node?.type === 'ChainExpression' ? bare(node.expression) : node;
  const methodOf = (node) => node.type === 'CallExpression'
    && bare(node.callee)?.type === 'MemberExpression' ? keyOf(bare(node.callee)) : null;
  const ownerOf = (call) => bare(call.callee).object;
  const bind = (name, value) => names.set(name, [...(names.get(name) ?? []), value]);
  const valueOf = (name) => names.get(name)?.length === 1 ? names.get(name)[0].is : undefined;
  // All nodes of a tree, each with the node that it is part of.
  const parentsIn = (tree) => {
    const parents = new Map([[tree, null]]);
    for (const node of parents.keys()) {
      for (const value of Object.values(node)) {
        for (const child of Array.isArray(value) ? value : [value]) {
          if (typeof child?.type === 'string') parents.set(child, node);
        }
      }
    }
    return parents;
  };
  const bindIn = (node) => {
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init) {
      bind(node.id.name, { is: node.init });
    } else if (node.type === 'ForOfStatement' && node.left.type === 'VariableDeclaration') {
      const { id } = node.left.declarations[0];
      const isEntries = methodOf(bare(node.right)) === 'entries';
      const item = isEntries && id.type === 'ArrayPattern' ? id.elements[1] : id;
      const list = isEntries ? ownerOf(bare(node.right)) : node.right;
      if (item?.type === 'Identifier') bind(item.name, { each: list });
    } else if (EACH.includes(methodOf(node)) && node.arguments[0]?.params) {
      const item = node.arguments[0].params[methodOf(node) === 'reduce' ? 1 : 0];
      if (item?.type === 'Identifier') bind(item.name, { each: ownerOf(node) });
    }
  };
  // The node whose items a list has: "" for the input, null for any other list.
  const listOf = (start, depth = 0) => {
    const node = bare(start);
    if (!node || depth > 20) return null;
    if (node.type === 'Identifier') {
      if (!names.has(node.name)) return node.name === 'items' ? '' : null;
      return listOf(valueOf(node.name), depth + 1);
    }
    if (node.type === 'ArrayExpression') {
      const [element] = node.elements;
      return node.elements.length === 1 && element?.type === 'SpreadElement'
        ? listOf(element.argument, depth + 1) : null;
    }
    if (node.type !== 'CallExpression') return null;
    const callee = bare(node.callee), [name] = node.arguments;
    if (callee.type === 'Identifier') {
      return callee.name === '$items' ? (name ? name.value ?? null : '') : null;
    }
    const method = methodOf(node);
    if (method === 'all') {
      const root = bare(ownerOf(node));
      if (root.type === 'Identifier' && root.name === '$input') return '';
      const isNode = root.type === 'CallExpression' && root.callee.name === '$';
      return isNode && typeof root.arguments[0]?.value === 'string' ? root.arguments[0].value : null;
    }
    const isMapped = method === 'map' && listOf(ownerOf(node), depth + 1) !== '';
    return SAME_LIST.includes(method) || isMapped ? listOf(ownerOf(node), depth + 1) : null;
  };
  const isInputItem = (start, depth = 0) => {
    const node = bare(start);
    if (!node || depth > 20) return false;
    if (node.type === 'Identifier') {
      const values = names.get(node.name) ?? [];
      const isEach = values.length && values.every((value) => value.each);
      return isEach ? values.every((value) => listOf(value.each) === '')
        : isInputItem(valueOf(node.name), depth + 1);
    }
    if (node.type === 'MemberExpression') {
      const isInput = bare(node.object).type === 'Identifier' && bare(node.object).name === '$input';
      return isInput ? keyOf(node) === 'item' : node.computed && listOf(node.object) === '';
    }
    return ['first', 'last'].includes(methodOf(node)) && bare(ownerOf(node)).name === '$input';
  };
  const isHandedOn = (node) => (node.type === 'Property' && node.key.name === 'pairedItem')
    || (node.type === 'AssignmentExpression' && node.left.type === 'MemberExpression'
      && keyOf(node.left) === 'pairedItem');
  const isRead = (node, parents) => {
    if (node.type !== 'MemberExpression' || keyOf(node) !== 'pairedItem') return false;
    for (let part = parents.get(node); part; part = parents.get(part)) {
      if (isHandedOn(part)) return false;
    }
    return isInputItem(node.object);
  };
  const takenFrom = (node) => {
    const isComputed = node.type === 'MemberExpression' && node.computed
      && node.property.type !== 'Literal';
    if (isComputed) return listOf(node.object);
    const isAt = methodOf(node) === 'at' && node.arguments[0]?.type === 'Identifier';
    return isAt ? listOf(ownerOf(node)) : null;
  };
  return (text) => {
    names = new Map();
    try {
      const tree = acorn.parse(`async function code() {\n${JSON.parse(text)}\n}`,
        { ecmaVersion: 2022, sourceType: 'script' });
      const parents = parentsIn(tree), parts = [...parents.keys()];
      parts.forEach(bindIn);
      if (!parts.some((node) => isRead(node, parents))) return '[]';
      return JSON.stringify([...new Set(parts.map(takenFrom).filter(Boolean))]);
    } catch {
      return '[]';
    }
  };
})();
