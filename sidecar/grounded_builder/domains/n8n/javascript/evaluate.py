"""Questions to V8: what port expressions come to, and whether code compiles, without running it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from grounded_builder.domains.n8n.javascript.v8_isolate import Isolate, UnknownAnswerError
from grounded_builder.domains.n8n.recent_values import RecentValues

Form = Literal["expression", "body"]

# Microseconds of work, to which a loaded machine may come late; that there is no answer is kept.
_EVALUATION_SECONDS = 1.0
_COMPILATION_SECONDS = 2.0
_REMEMBERED = 4096
_LONGEST_REMEMBERED = 8000

_PRELUDE = r"""
const grounded = (() => {
  'use strict';
  const parse = JSON.parse, print = JSON.stringify;
  const Syntax = SyntaxError, Plain = Function, Async = (async () => {}).constructor;
  const refusal = (make, body) => {
    try { make(body); return null; } catch (error) {
      return error instanceof Syntax ? String(error.message) : null;
    }
  };
  // Both brackets must close around it: "1) + (2" fits the first pair only.
  const asExpression = (make, text) =>
    refusal(make, 'return (\n' + text + '\n)') ?? refusal(make, 'return [\n' + text + '\n]');
  const plain = (body) => new Plain(body);
  const async = (body) => new Async(body);
  const compile = ([form, text]) => {
    if (form === 'body') return refusal(async, text) && refusal(plain, text);
    const first = asExpression(async, text);
    if (first === null) return null;
    const others = [() => asExpression(plain, text), () => refusal(async, text),
      () => refusal(plain, text)];
    return others.some((other) => other() === null) ? null : first;
  };
  const evaluate = ([source, several, version]) => {
    const value = new Plain('$parameter', '$nodeVersion', 'return (\n' + source + '\n)');
    return several.map((parameters) => value(parameters, version) ?? null);
  };
  return {
    compile: (text) => print(parse(text).map(compile)),
    evaluate: (text) => print(evaluate(parse(text))),
  };
})();
for (const one of [Object, Function, Array, String, Number, Boolean, RegExp, Map, Set, Promise]) {
  Object.freeze(one); Object.freeze(one.prototype);
}
"""


def evaluate(source: str, parameters: Any, version: float) -> Any:
    """Returns the JSON value of an expression over a node's parameters; raises UnknownAnswerError
    without one.
    """
    return evaluate_each(source, [parameters], version)[0]


def evaluate_each(source: str, several: Sequence[Any], version: float) -> list[Any]:
    """Returns the same over each of several parameter sets, in one call; one without a value fails
    all.
    """
    values: list[Any] = _ISOLATE.ask("evaluate", [source, several, version], _EVALUATION_SECONDS)
    return values


def refusals(snippets: Sequence[tuple[Form, str]]) -> list[str | None]:
    """Returns why V8 refuses to compile each snippet, None where it takes it or cannot say.

    An ``expression`` passes in any form that could make it valid, a ``body`` is the inside of an
    async function. At most one call, none for what is remembered.
    """
    return begin(snippets)()


def begin(snippets: Sequence[tuple[Form, str]]) -> Callable[[], list[str | None]]:
    """Has V8 compile snippets while the caller goes on; gives what waits for its refusals."""
    known = {snippet: _remembered.get(snippet) for snippet in snippets if snippet in _remembered}
    open_ones = list(dict.fromkeys(snippet for snippet in snippets if snippet not in known))
    call = _ISOLATE.begin("compile", open_ones) if open_ones else None

    def answered() -> list[str | None]:
        if call is not None:
            try:
                entries = dict(zip(open_ones, call(_COMPILATION_SECONDS), strict=True))
                _remember(entries)
            except UnknownAnswerError:
                entries = dict.fromkeys(open_ones)
            known.update(entries)
        return [known[snippet] for snippet in snippets]

    return answered


_remembered: RecentValues[tuple[Form, str], str | None] = RecentValues(_REMEMBERED)


def _remember(answers: dict[tuple[Form, str], str | None]) -> None:
    for snippet, answer in answers.items():
        if len(snippet[1]) <= _LONGEST_REMEMBERED:
            _remembered.put(snippet, answer)


_ISOLATE = Isolate(_PRELUDE)
