/** Runs a port expression for all parameter values that it depends on, inside a sandboxed context. */

/**
 * Runs the code with nothing known, asks for each parameter at the moment the code reads it, and
 * branches over its possible values. Self-contained: its text is evaluated in another context.
 *
 * @param {() => unknown} code
 * @param {{tree: Record<string, any>, versions: number[], tool: boolean, mostRows: number, mostRuns: number}} task
 * @returns {string} JSON of `{reads, rows}`
 */
export function explore(code, task) {
  /** @type {Array<{when: Record<string, unknown>, ports: unknown}>} */
  const rows = [];
  const reads = new Set();
  const stop = new Error('a value is needed');
  let runs = 0;
  /** @type {Map<string, unknown>} */
  let known = new Map();
  /** @type {{path: string, values: unknown[]} | null} */
  let wanted = null;

  /** @type {(path: string, values: () => unknown[]) => unknown} */
  const ask = (path, values) => {
    reads.add(path);
    if (known.has(path)) return known.get(path);
    wanted ??= { path, values: values() };
    throw stop;
  };

  /** @type {(display: any, prefix: string) => boolean | null} null: not known yet */
  const isShown = (display, prefix) => {
    let open = false;
    for (const [key, list] of Object.entries(display?.show ?? {})) {
      const met = isMet(key, list, prefix);
      if (met === false) return false;
      if (met === null) open = true;
    }
    for (const [key, list] of Object.entries(display?.hide ?? {})) {
      const met = isMet(key, list, prefix);
      if (met === true) return false;
      if (met === null) open = true;
    }
    return open ? null : true;
  };

  /** @type {(key: string, list: any, prefix: string) => boolean | null} */
  const isMet = (key, list, prefix) => {
    if (!Array.isArray(list)) return null;
    if (key === '@tool') return list.includes(task.tool);
    const path = key.startsWith('/') ? key.slice(1) : key === '@version' ? key : prefix + key;
    if (!known.has(path)) return null;
    const value = known.get(path);
    if (typeof value === 'object' && value !== null) return null;
    let open = false;
    for (const condition of list) {
      const met = compare(value, condition);
      if (met === true) return true;
      if (met === null) open = true;
    }
    return open ? null : false;
  };

  /** @type {(value: any, condition: any) => boolean | null} */
  const compare = (value, condition) => {
    if (typeof condition !== 'object' || condition === null) return value === condition;
    const [name, target] = Object.entries(condition._cnd ?? {})[0] ?? ['', null];
    const bound = /** @type {any} */ (target);
    if (name === 'eq') return value === bound;
    if (name === 'not') return value !== bound;
    if (name === 'gte') return value >= bound;
    if (name === 'lte') return value <= bound;
    if (name === 'gt') return value > bound;
    if (name === 'lt') return value < bound;
    if (name === 'between') return value >= bound.from && value <= bound.to;
    if (name === 'exists') return value !== undefined && value !== null && value !== '';
    return null;
  };

  /** @type {(branch: any, prefix: string) => unknown[]} */
  const valuesOf = (branch, prefix) => {
    /** @type {unknown[]} */
    const values = [];
    let certain = false;
    for (const leaf of branch.leaves) {
      const shown = isShown(leaf.display, prefix);
      if (shown === false) continue;
      if (shown === true) certain = true;
      leaf.values.forEach((/** @type {unknown} */ value, /** @type {number} */ index) => {
        if (leaf.displays && isShown(leaf.displays[index], prefix) === false) return;
        if (!values.some((other) => JSON.stringify(other) === JSON.stringify(value))) values.push(value);
      });
    }
    // n8n gives no defaults inside a collection and none to what is hidden.
    if (prefix !== '' || !certain) values.push(undefined);
    return values;
  };

  /** @type {(tree: Record<string, any>, path: string) => object} */
  const bag = (tree, path) => {
    const prefix = path === '' ? '' : `${path}.`;
    const whole = () => (path === '' ? undefined : ask(path, () => [{}]));
    /** @type {(key: string | symbol) => unknown} */
    const read = (key) => {
      if (typeof key !== 'string') return undefined;
      if (path !== '' && known.has(path)) return undefined;
      const branch = Object.hasOwn(tree, key) ? tree[key] : undefined;
      if (branch === undefined) return undefined;
      if (branch.children) return bag(branch.children, prefix + key);
      return ask(prefix + key, () => valuesOf(branch, prefix));
    };
    return new Proxy(
      {},
      {
        get: (_, key) => read(key),
        has: (_, key) => read(key) !== undefined,
        ownKeys: () => {
          if (path === '') {
            wanted ??= { path: '', values: [] };
            throw stop;
          }
          return Object.keys(/** @type {object} */ (whole()));
        },
      },
    );
  };

  Object.defineProperty(globalThis, '$parameter', { get: () => bag(task.tree, '') });
  Object.defineProperty(globalThis, '$nodeVersion', { get: () => ask('@version', () => task.versions) });

  /** @type {() => void} */
  const search = () => {
    if (rows.length >= task.mostRows || runs >= task.mostRuns) return;
    runs += 1;
    wanted = null;
    /** @type {unknown} */
    let ports = [];
    try {
      ports = code();
    } catch {
      // n8n takes an expression that throws for a node without these ports.
      ports = [];
    }
    const need = /** @type {{path: string, values: unknown[]} | null} */ (wanted);
    if (need === null) {
      /** @type {Record<string, unknown>} */
      const when = {};
      for (const [path, value] of known) when[path] = value === undefined ? null : value;
      rows.push({ when, ports: Array.isArray(ports) ? ports : [] });
      return;
    }
    for (const value of need.values) {
      known.set(need.path, value);
      search();
      known.delete(need.path);
    }
  };

  search();
  return JSON.stringify({ reads: [...reads], rows });
}
