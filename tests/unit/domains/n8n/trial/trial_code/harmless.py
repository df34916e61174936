"""Code as workflows have it, which computes on its items and does nothing else."""

from __future__ import annotations

TEXT = r"""
return items;
---
return $input.all();
---
return [{ json: { now: $now.toISO(), today: $today.toFormat('yyyy-MM-dd') } }];
---
return $input.all().filter((item) => item.json.active).map((item) => ({ json: item.json }));
---
for (const item of items) { item.json.total = item.json.price * item.json.count;
} return items;
---
const grouped = {};
for (const { json } of $input.all()) {
  const key = json.customer;
  (grouped[key] ||= []).push(json);
}
return Object.entries(grouped).map(([name, rows]) => ({ json: { name, rows } }));
---
const seen = new Set();
return items.filter((i) => !seen.has(i.json.id) && seen.add(i.json.id));
---
const text = $json.text.replace(/<[^>]+>/g, ' ').trim(); return { text };
---
const data = JSON.parse($json.body); return data.rows.map((row) => ({ json: row }));
---
try { return [{ json: JSON.parse($json.x) }];
} catch (error) {
  return [{ json: { error: error.message } }];
}
---
const first = $('Webhook').first().json; return [{ json: { ...first, ok: true } }];
---
const rows = $node['Read rows'].json.rows; return rows.map((json) => ({ json }));
---
const [head, ...rest] = items; return [head, ...rest.slice(0, 9)];
---
const { name, address: { city = 'none' } = {} } = $json;
return { json: { name, city } };
---
const numbers = items.map((i) => Number(i.json.n));
return [{ json: { max: Math.max(...numbers), sum: numbers.reduce((a, b) => a + b, 0) } }];
---
const max = Math.max.apply(null, items.map((i) => i.json.n));
return [{ json: { max } }];
---
return items.sort((a, b) => new Date(b.json.at) - new Date(a.json.at));
---
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
await wait(1);
return items;
---
let i = 0; while (i < 3) { i++; } return [{ json: { i } }];
---
switch ($json.kind) { case 'a': return [{ json: { n: 1 } }]; default: return []; }
---
const out = [];
for (let i = 0;
i < items.length;
i++) { out.push(items[i].json['full name']);
} return out.map((name) => ({ json: { name } }));
---
function slug(text) { return text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}
return items.map((item) => ({ json: { slug: slug(item.json.title) } }));
---
const matrix = [[1, 2], [3, 4]];
return [{ json: { x: matrix[1][0], t: `${matrix[0][1]}` } }];
---
const encoded = Buffer.from($json.text).toString('base64');
return { json: { encoded } };
---
const url = new URL($json.url);
return { json: { host: url.hostname, q: url.searchParams.get('q') } };
---
const counts = new Map();
for (const i of items) counts.set(i.json.a, (counts.get(i.json.a) ?? 0) + 1);
return [...counts].map(([a, n]) => ({ json: { a, n } }));
---
const pick = (o, keys) => Object.fromEntries(keys.map((k) => [k, o[k]]));
return items.map((i) => ({ json: pick(i.json, ['a', 'b']) }));
---
if (!Object.prototype.hasOwnProperty.call($json, 'id')) { throw new Error('no id');
} return $json;
---
const results = await Promise.all(items.map(async (item) => item.json));
return results;
---
const date = DateTime.fromISO($json.date).plus({ days: 3 });
return { json: { d: date.toISODate() } };
---
// a comment with process, require and `this`
return [{ json: { word: 'constructor' } }];
---
const month = new Intl.NumberFormat('de-DE').format($json.n);
return { json: { month } };
---
const lines = $json.csv.split('\n').map((l) => l.split(','));
const [names, ...rows] = lines;
return rows.map((row) => ({ json: names.reduce((o, n, i) => ({ ...o, [n]: row[i] }), {}) }));
---
const handlers = { a: (x) => x + 1, b(x) { return x * 2;
} };
return [{ json: { n: handlers.a(1) + handlers.b(2) } }];
---
const state = $getWorkflowStaticData('global');
state.last = $now.toISO();
return items;
---
return Object.keys($json).filter(Boolean).map(String).map((k) => ({ json: { k } }));
---
var total = 0;
items.forEach(function (item) { total += parseFloat(item.json.amount || '0');
});
return [{ json: { total: total.toFixed(2) } }];
---
const value = $json?.a?.[0]?.b ?? 'none'; return { json: { value } };
---
outer: for (const a of [1, 2]) { for (const b of [1, 2]) { if (a === b) continue outer;
} } return [];
---
const id = crypto.randomUUID();
console.log(id);
return { json: { id, type: typeof process } };
"""
SNIPPETS = TEXT.strip("\n").split("\n---\n")
