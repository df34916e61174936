// Writes the members that values have in the installed n8n, by the kind of value.
const [, , root] = process.argv;
const here = (name) => require(require.resolve(name, { paths: [root] }));
const luxon = here('luxon');
const extensions = (name) => Object.keys(require(`${root}/dist/cjs/extensions/${name}-extensions.js`)[`${name}Extensions`].functions);
const plain = (name) => /^[A-Za-z][\w$]*$/.test(name) && !['constructor'].includes(name);
const of = (...classes) => classes.flatMap((type) => Object.getOwnPropertyNames(type.prototype)).filter(plain);
const own = (type) => Object.getOwnPropertyNames(type).filter((name) => plain(name) && name !== 'prototype');
const out = {
  'a text': [...of(String, Object), ...extensions('string'), ...extensions('date')],
  'a DateTime': [...of(luxon.DateTime, Object), ...extensions('date')],
  'a value': [
    ...of(Number, Boolean, Array, Object, Date, RegExp, Map, Set, Promise, Function, Symbol, BigInt),
    ...of(Object.getPrototypeOf(Int8Array), ArrayBuffer, Iterator, Error, URL, URLSearchParams),
    ...of(luxon.Duration, luxon.Interval),
    ...['number', 'array', 'object', 'boolean'].flatMap(extensions),
  ],
};
for (const name of ['Math', 'JSON', 'Object', 'Array', 'Number', 'String', 'Date']) out[name] = own(globalThis[name]);
for (const name of ['DateTime', 'Duration', 'Interval']) out[name] = own(luxon[name]);
process.stdout.write(JSON.stringify(out));
