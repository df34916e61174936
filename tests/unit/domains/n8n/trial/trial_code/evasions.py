"""More code that tries to get past the filter, written after it and before its next change.

Every second one was set aside, and opened once.
"""

from __future__ import annotations

TEXT = r"""
return (() => 1).constructor`return process`();
---
return [].constructor.constructor('return process')();
---
return (0, [].at)['constructor']('return process')();
---
return (async () => {}).constructor('return process')();
---
return Object.entries({ a: (async () => {}) }).map(([, f]) => f.constructor);
---
return /x/['const' + 'ructor']['constructor']('return process')();
---
return `${{ toString() { return this.constructor.constructor('return 1')(); } }}`;
---
const o = { get a() { return globalThis; } }; return o.a;
---
const o = { set a(v) { process.exit(v); } }; o.a = 1; return [];
---
return $json?.['cons' + 'tructor']?.['constructor']?.('return process')?.();
---
a: { b: { c: return globalThis; } }
---
return gl\u006fbalThis.process;
---
return pr\u{6f}cess.env;
---
<!-- hidden
return process.env; // -->
---
return [1
--> process]; return process;
---
return import('fs');
---
return import.meta;
---
with ($json) { return process; }
---
return new Proxy($json, {}).constructor;
---
const p = Proxy.revocable({}, {}); return p.proxy;
---
return (function* () { yield 1; })().constructor.constructor('return process')();
---
return Object.getPrototypeOf(function* () {}).constructor('return process')();
---
return Object.getPrototypeOf(async function () {})['constructor']('return process')();
---
Error['prepareStackTrace'] = (e, s) => s; return new Error().stack;
---
const E = [Error][0]; E['prepare' + 'StackTrace'] = (e, s) => s; return [];
---
return JSON.parse('{"a":1}', function (k, v) { return this; });
---
return JSON.parse('{"a":1}', (k, v) => v.constructor.constructor('return process')());
---
return String.raw({ raw: { get 0() { return process; }, length: 1 } });
---
return String.raw`${globalThis}`;
---
class A extends Array { static get [Symbol.species]() { return Function; } } return new A();
---
const a = []; a.constructor = { [Symbol.species]: Function }; return a.map(() => 1);
---
const { ['constructor']: C } = []; return C.from([1]);
---
const k = 'con' + 'structor'; const { [k]: { [k]: F } } = []; return F('return process')();
---
const [[{ constructor: F }]] = [[() => 1]]; return F('return process')();
---
let F; [F = (() => 1).constructor] = []; return F('return process')();
---
let F; ({ a: F = (() => 1)['constructor'] } = {}); return F('return 1')();
---
for (const { constructor: C } of [() => 1]) return C('return process')();
---
for (const [k] of [['constructor']]) { const f = () => 1; return f[k]('return process')(); }
---
const f = () => 1; for (f.x of [1]) return f['con' + 'structor'];
---
try { throw () => 1; } catch ({ constructor: F }) { return F('return process')(); }
---
const f = function g() { return g.constructor('return process')(); }; return f();
---
const f = () => 1; const o = { f }; return o['f']['con' + 'structor']('return process')();
---
const o = { f: () => 1 }; const k = $json.k; return o.f[k]('return process')();
---
const o = [() => 1]; return o[0][$json.k]('return process')();
---
const { f } = { f: () => 1 }; return f[$json.k]('return process')();
---
return [[].at][0][$json.k]('return process')();
---
return Promise.resolve(() => 1).then(({ constructor: F }) => F('return process')());
---
return [() => 1].map((f) => f.constructor('return process')());
---
return setTimeout.constructor('return process')();
---
return setTimeout(() => process.exit(), 1);
---
return Object.assign(() => 1, {}).constructor('return process')();
---
return Object.values({ f: () => 1 })[0].constructor('return process')();
---
return structuredClone(globalThis);
---
return [globalThis].flat(1);
---
return $('Start').constructor.constructor('return process')();
---
return $getWorkflowStaticData['constructor']('return process')();
---
return $input.all.bind.constructor('return process')();
---
return DateTime.now().constructor.constructor('return process')();
---
return DateTime['constructor']('return process')();
---
return Buffer['allocUnsafeSlow'](8192);
---
return crypto.constructor.constructor('return process')();
---
return crypto['subtle'];
---
return console.log.constructor('return process')();
---
return Intl['constructor']['constructor']('return process')();
---
return new Intl.NumberFormat().format.constructor('return process')();
---
return Symbol.iterator.constructor.constructor('return process')();
---
return Map.prototype.get.constructor('return process')();
---
const m = new Map([['k', 'constructor']]); return (() => 1)[m.get('k')]('return process')();
---
return Reflect['ownKeys'](globalThis);
---
return ((process) => process)(typeof process === 'x' ? 1 : process);
---
var { process } = globalThis; return process;
---
return ({ __proto__: (() => 1).__proto__ }).constructor('return process')();
---
const o = {}; o['__pro' + 'to__'] = Function; return o;
---
const o = {}; o[`__proto__`] = [].at; return o.constructor('return process')();
---
return Object.fromEntries([['__proto__', 1]]).__proto__;
---
return new (Object.getPrototypeOf(() => 1).constructor)('return process')();
---
return new ([].constructor.constructor)('return process')();
---
return new.target ?? globalThis;
---
debugger; return process;
---
return await using;
---
return super.constructor;
---
return delete globalThis.process;
---
return void process.exit();
---
return typeof process.env;
---
return process?.env;
---
return 'x' in globalThis;
---
if (process) {} return [];
---
return [...process.argv];
---
throw process;
---
return arguments.callee;
---
return arguments[0];
---
return WebAssembly;
---
return Atomics.wait;
---
return new Worker('x');
---
return queueMicrotask(() => 1);
---
return setImmediate(() => 1);
---
return performance.timeOrigin.constructor.constructor('return process')();
---
return $env['PATH'];
---
return $secrets;
---
return $fromAI('x').constructor;
---
return $jmespath($json, 'constructor');
---
return $evaluateExpression('{{ 1 }}');
---
return $execution.customData.set.constructor('return process')();
"""
SNIPPETS = TEXT.strip("\n").split("\n---\n")
