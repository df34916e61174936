"""Evaluates port expressions in V8, and compiles code snippets to find their syntax errors."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Literal

from grounded_builder.domains.n8n.javascript.v8_isolate import Isolate, UnknownAnswerError

Form = Literal["expression", "body"]

# Generous for microseconds of work, as a loaded machine may be slow; a missing answer is cached.
_EVALUATION_SECONDS = 1.0
_COMPILATION_SECONDS = 2.0
_CACHE_SIZE = 4096
_MAX_CACHED_LENGTH = 8000

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
for (const type of [Object, Function, Array, String, Number, Boolean, RegExp, Map, Set, Promise]) {
  Object.freeze(type); Object.freeze(type.prototype);
}
"""


def evaluate(source: str, parameters: Any, version: float) -> Any:
    """Evaluates an expression over a node's parameters; returns a JSON value.

    Raises UnknownAnswerError if there is none.
    """
    return evaluate_each(source, [parameters], version)[0]


def evaluate_each(source: str, parameter_sets: Sequence[Any], version: float) -> list[Any]:
    """Evaluates an expression over several parameter sets in one call.

    Raises UnknownAnswerError if any of them has no value.
    """
    values: list[Any] = _ISOLATE.ask(
        "evaluate", [source, parameter_sets, version], _EVALUATION_SECONDS
    )
    return values


def compile_errors(snippets: Sequence[tuple[Form, str]]) -> list[str | None]:
    """Returns V8's compile error for each snippet, None if it compiles or V8 gives no answer.

    An ``expression`` passes in any form that could make it valid, a ``body`` is the inside of an
    async function. Makes at most one call, none if all results are cached.
    """
    return begin_compilation(snippets)()


def begin_compilation(snippets: Sequence[tuple[Form, str]]) -> Callable[[], list[str | None]]:
    """Starts the compilation of snippets; returns a function that waits for the errors."""
    known: dict[tuple[Form, str], str | None] = {}
    for snippet in snippets:
        with suppress(KeyError):
            known[snippet] = _cache[snippet]
    uncached = list(dict.fromkeys(snippet for snippet in snippets if snippet not in known))
    call = _ISOLATE.begin("compile", uncached) if uncached else None

    def wait_for_errors() -> list[str | None]:
        if call is not None:
            try:
                errors = dict(zip(uncached, call(_COMPILATION_SECONDS), strict=True))
                _add_to_cache(errors)
            except UnknownAnswerError:
                errors = dict.fromkeys(uncached)
            known.update(errors)
        return [known[snippet] for snippet in snippets]

    return wait_for_errors


# The errors of the latest snippets, None for one without.
_cache: OrderedDict[tuple[Form, str], str | None] = OrderedDict()


def _add_to_cache(answers: dict[tuple[Form, str], str | None]) -> None:
    for snippet, answer in answers.items():
        if len(snippet[1]) <= _MAX_CACHED_LENGTH:
            _cache[snippet] = answer
    # Of several threads at the same time, one may at worst drop one snippet too many.
    while len(_cache) > _CACHE_SIZE:
        with suppress(KeyError):
            _cache.popitem(last=False)


_ISOLATE = Isolate(_PRELUDE)
