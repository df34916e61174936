"""Which code of a Code node or an expression only computes, judged by its syntax tree.

acorn parses the code as n8n runs it, as the body of an async function of a script. Allowed is
what ``code_filter.js`` lists: names declared in the code, values that n8n gives, functions of the
language that only compute. Whatever is not listed is not run. A name that is computed when the code
runs is passed through a guard, which refuses those that lead to the constructor of functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from grounded_builder.domains.n8n.javascript.evaluate import refusals
from grounded_builder.domains.n8n.javascript.v8_isolate import Isolate, UnknownAnswerError

# Names by which a computed member leads out of a sandbox, as they may stand in texts.
MEMBERS_OUT = re.compile(r"helpers|httpRequest|constructor|__|prototype|\\[ux]")
_SECONDS = 2.0
_MAX_CHARACTERS = 200_000
_REMEMBERED = 256


@dataclass(frozen=True, slots=True)
class CodeVerdict:
    """Whether code may run: ``reason`` is None, or names what in it is not allowed.

    ``places`` are the ranges of computed names, in UTF-16 units as JavaScript counts, and
    ``denied`` the names that they must not come to.
    """

    reason: str | None
    places: tuple[tuple[int, int], ...] = ()
    denied: tuple[str, ...] = ()


def judge_expression(chunk: str) -> CodeVerdict:
    """Judges the JavaScript between the double braces of an expression."""
    return judge_code(f"return (\n{chunk}\n);")


def with_guards(code: str, verdict: CodeVerdict) -> str:
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


@lru_cache(_REMEMBERED)
def judge_code(code: str) -> CodeVerdict:
    """Judges the JavaScript of a Code node; what cannot be judged in time is not allowed."""
    if len(code) > _MAX_CHARACTERS:
        return CodeVerdict("more code than is judged")
    try:
        answer = parser_isolate().ask("judge", code, _SECONDS)
    except UnknownAnswerError:
        return CodeVerdict("code that could not be judged")
    if answer["reason"] is not None:
        return CodeVerdict(answer["reason"])
    # The engine that runs it has to understand it too.
    (refusal,) = refusals([("body", code)])
    if refusal is not None:
        return CodeVerdict("code that does not compile")
    places = tuple((start, end) for start, end in answer["places"])
    return CodeVerdict(None, places, tuple(answer["denied"]))


def _unused_name(code: str) -> str:
    """Returns a name that does not occur in the code, nor could by an escape."""
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
    """Returns the isolate that holds acorn and what reads its trees."""
    folder = files(__package__)
    sources = (folder / name for name in ("acorn.js", "code_filter.js", "script_shapes.js"))
    return Isolate("\n".join(source.read_text(encoding="utf-8") for source in sources))
