"""Checks that JavaScript only computes, and adds guards to member names computed at run time.

acorn parses the code as n8n runs it, as the body of an async function of a script.
``code_filter.js`` lists what is allowed: names declared in the code, values that n8n provides, and
functions of the language that only compute. Anything else is rejected. Member names computed at run
time pass through a guard, which rejects those that lead to the constructor of functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from grounded_builder.domains.n8n.javascript.evaluate import compile_errors
from grounded_builder.domains.n8n.javascript.v8_isolate import Isolate, UnknownAnswerError

# Names of members that lead out of a sandbox, as they may occur in texts.
ESCAPING_MEMBERS = re.compile(r"helpers|httpRequest|constructor|__|prototype|\\[ux]")
_TIME_LIMIT_S = 2.0
_MAX_CHARACTERS = 200_000
_CACHE_SIZE = 256


@dataclass(frozen=True, slots=True)
class CodeVerdict:
    """Whether code may run: ``reason`` is None, or names what is not allowed.

    ``places`` are the ranges of computed names, in UTF-16 units as in JavaScript, and ``denied``
    the names that they must not have.
    """

    reason: str | None
    places: tuple[tuple[int, int], ...] = ()
    denied: tuple[str, ...] = ()


def check_expression_code(chunk: str) -> CodeVerdict:
    """Checks the JavaScript between the double braces of an expression."""
    return check_code(f"return (\n{chunk}\n);")


def add_guards(code: str, verdict: CodeVerdict) -> str:
    """Returns the code with its computed names passed through a guard, on the same lines."""
    if not verdict.places:
        return code
    guard = _unused_name(code)
    insertions: dict[int, str] = {}
    for start, end in verdict.places:
        insertions[start] = f"{guard}(("
        insertions[end] = "))"
    units = code.encode("utf-16-le", "surrogatepass")
    parts: list[bytes] = []
    before = 0
    for place in sorted(insertions):
        parts += [units[2 * before : 2 * place], insertions[place].encode("utf-16-le")]
        before = place
    parts.append(units[2 * before :])
    guarded = b"".join(parts).decode("utf-16-le", "surrogatepass")
    return f"{_guard_definition(guard, verdict.denied)} {guarded}"


@lru_cache(_CACHE_SIZE)
def check_code(code: str) -> CodeVerdict:
    """Checks the JavaScript of a Code node; code that cannot be checked in time is not allowed."""
    if len(code) > _MAX_CHARACTERS:
        return CodeVerdict("more code than is judged")
    try:
        answer = parser_isolate().ask("judge", code, _TIME_LIMIT_S)
    except UnknownAnswerError:
        return CodeVerdict("code that could not be judged")
    if answer["reason"] is not None:
        return CodeVerdict(answer["reason"])
    # The engine that runs the code must accept it as well.
    (refusal,) = compile_errors([("body", code)])
    if refusal is not None:
        return CodeVerdict("code that does not compile")
    places = tuple((start, end) for start, end in answer["places"])
    return CodeVerdict(None, places, tuple(answer["denied"]))


def _unused_name(code: str) -> str:
    """Returns a name that does not occur in the code, not even with escapes."""
    number = 0
    plain = re.sub(r"\\u\{?0*([0-9a-fA-F]{1,6})\}?", lambda match: _character(match[1]), code)
    while f"memberName{number}" in plain:
        number += 1
    return f"memberName{number}"


def _character(digits: str) -> str:
    point = int(digits, 16)
    return chr(point) if point <= 0x10FFFF else ""


def _guard_definition(guard: str, denied: Iterable[str]) -> str:
    cases = " ".join(f"case '{name}':" for name in denied)
    return (
        f"function {guard}(name) {{ if (typeof name === 'number') return name; name = `${{name}}`; "
        f"switch (name) {{ {cases} throw new Error(`a trial reads no member ${{name}}`); }} "
        "return name; }"
    )


@cache
def parser_isolate() -> Isolate:
    """Returns the isolate with acorn and the scripts that read its syntax trees."""
    folder = files(__package__)
    names = (
        "acorn.js",
        "code_filter.js",
        "script_shapes.js",
        "input_positions.js",
        "script_results.js",
    )
    sources = (folder / name for name in names)
    return Isolate("\n".join(source.read_text(encoding="utf-8") for source in sources))
