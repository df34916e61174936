"""One bounded V8 isolate a process: evaluates port expressions, compiles code without running it.

Nothing of the host is reachable from it. What it cannot answer in time is unknown, never an error.
"""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import json
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any, Literal

from py_mini_racer import JSEvalException, MiniRacer

from grounded_builder.domains.n8n.memo import Memo

Form = Literal["expression", "body"]

_MEMORY_BYTES = 96_000_000
_EVALUATION_SECONDS = 0.25
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
  const evaluate = ([source, parameters, version]) => {
    const scope = ['$parameter', '$nodeVersion'];
    return new Plain(...scope, 'return (\n' + source + '\n)')(parameters, version);
  };
  return {
    compile: (text) => print(parse(text).map(compile)),
    evaluate: (text) => print(evaluate(parse(text)) ?? null),
  };
})();
for (const one of [Object, Function, Array, String, Number, Boolean, RegExp, Map, Set, Promise]) {
  Object.freeze(one); Object.freeze(one.prototype);
}
"""


class UnknownAnswerError(Exception):
    """V8 gave no answer: the code threw, or ran into a limit."""


def evaluate(source: str, parameters: Any, version: float) -> Any:
    """The JSON value of an expression over a node's parameters; UnknownAnswerError without one."""
    return _ISOLATE.ask("evaluate", [source, parameters, version], _EVALUATION_SECONDS)


def refusals(snippets: Sequence[tuple[Form, str]]) -> list[str | None]:
    """Why V8 refuses to compile each snippet, None where it takes it or cannot say.

    An ``expression`` passes in any form that could make it valid, a ``body`` is the
    inside of an async function. At most one call, none for what is remembered.
    """
    open_ones = list(dict.fromkeys(one for one in snippets if one not in _remembered))
    answers: dict[tuple[Form, str], str | None] = {}
    if open_ones:
        try:
            said = _ISOLATE.ask("compile", open_ones, _COMPILATION_SECONDS)
            answers = dict(zip(open_ones, said, strict=True))
        except UnknownAnswerError:
            answers = dict.fromkeys(open_ones)
        else:
            _remember(answers)
    return [answers[one] if one in answers else _remembered.get(one) for one in snippets]


_remembered: Memo[tuple[Form, str], str | None] = Memo(_REMEMBERED)


def _remember(answers: dict[tuple[Form, str], str | None]) -> None:
    for snippet, answer in answers.items():
        if len(snippet[1]) <= _LONGEST_REMEMBERED:
            _remembered.put(snippet, answer)


class _Isolate:
    """A V8 isolate made on first use, and made anew after it ran out of memory."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._engine: Any = None

    def ask(self, function: str, argument: Any, seconds: float) -> Any:
        """Call one function of the prelude with a JSON value."""
        try:
            text = json.dumps(json.dumps(argument))
            with self._lock:
                answer = _outside_of_loops(self._run, f"grounded.{function}({text})", seconds)
            return json.loads(answer)
        except (JSEvalException, TypeError, ValueError, RecursionError) as error:
            raise UnknownAnswerError(str(error)[:200]) from error

    def leave_to_parent(self) -> None:
        """Start over in a forked process, where the thread of the old isolate does not run.

        The old one is never collected: taking it down would wait for that thread without end.
        """
        self._lock = threading.Lock()
        if self._engine is not None:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._engine))
        self._engine = None

    def close(self) -> None:
        """Take the isolate down while its thread still runs: later it would wait without end."""
        with self._lock:
            if self._engine is not None:
                self._engine.close()
            self._engine = None

    def _run(self, code: str, seconds: float) -> Any:
        if self._engine is None:
            engine = MiniRacer()
            engine.eval(_PRELUDE)
            self._engine = engine
        try:
            return self._engine.eval(code, timeout_sec=seconds, max_memory=_MEMORY_BYTES)
        except JSEvalException:
            if self._engine.was_hard_memory_limit_reached():
                self._engine = None
            raise


def _outside_of_loops(run: Callable[[str, float], Any], code: str, seconds: float) -> Any:
    """Call V8 where it can be bounded in time: never in a thread that runs an event loop."""
    if asyncio._get_running_loop() is None:  # noqa: SLF001 - the documented way raises instead
        return run(code, seconds)
    answers: list[Any] = []
    faults: list[BaseException] = []

    def apart() -> None:
        try:
            answers.append(run(code, seconds))
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            faults.append(error)

    thread = threading.Thread(target=apart, daemon=True)
    thread.start()
    thread.join()
    if faults:
        raise faults[0]
    return answers[0]


_ISOLATE = _Isolate()
os.register_at_fork(after_in_child=_ISOLATE.leave_to_parent)
atexit.register(_ISOLATE.close)
