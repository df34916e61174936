"""Reports access to n8n's environment, and calls of n8n functions without valid arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.expressions.mask_literals import NAME_START, mask_literals
from grounded_builder.domains.n8n.expressions.texts import Text

MISSING_CALL_ARGUMENT = Rule.wrong(
    "N8N350", "missing-call-argument", "ExpressionError", "A function call lacks an argument."
)
ENVIRONMENT = Rule.advice(
    "N8N351", "environment", "PolicyError", "n8n hides its environment by default."
)
_ENVIRONMENT = re.compile(rf"{NAME_START}(\$env|process\s*\.\s*env)\s*[.\[]")
_CALL = re.compile(rf"{NAME_START}(\$jmespath|\$jmesPath|\$if|\$fromAI|\$fromAi|\$fromai)\s*\(")
_MIN_ARGUMENTS = {"$jmespath": 2, "$jmesPath": 2, "$if": 2}
# Types that n8n-workflow from-ai-parse-utils accepts in generated tools, in any case.
_FROM_AI_TYPES = frozenset({"string", "number", "boolean", "json"})
_LITERAL = re.compile(r"""'[^'\\\n]*'|"[^"\\\n]*"|`[^`\\$]*`""")
_KEY = re.compile(r"[a-zA-Z0-9_-]{1,64}")
# Bounds of a piece of code: its length, the number of calls, the length of a call.
_MAX_LENGTH, _MAX_CALLS, _MAX_CALL_LENGTH = 2_000_000, 100, 10_000


def report_environment(text: Text, code: str) -> Iterator[Diagnostic]:
    """Reports access to the environment of n8n's process, which n8n denies by default."""
    if "env" not in code:
        return
    match = _ENVIRONMENT.search(code)
    if match is None or _ENVIRONMENT.search(mask_literals(code[:_MAX_LENGTH])) is None:
        return
    yield new_diagnostic(
        ENVIRONMENT,
        text.at,
        f'"{text.node}" reads {match[1]}, which n8n 2 denies by default',
        help="use a credential or $vars, or set N8N_BLOCK_ENV_ACCESS_IN_NODE=false on the instance",
        node=text.node,
        token=match[1],
    )


def report_missing_arguments(text: Text, code: str, *, is_made_tool: bool) -> Iterator[Diagnostic]:
    """Reports calls of n8n's functions that fail because of a missing or invalid argument.

    ``is_made_tool`` means that n8n generated the tool from an ordinary node and reads the types.
    """
    if "$if" not in code and "$from" not in code and "$jmes" not in code:
        return
    if _CALL.search(code) is None or len(code) > _MAX_LENGTH:
        return
    outline = mask_literals(code)
    for match in islice(_CALL.finditer(outline), _MAX_CALLS):
        given = _find_arguments(outline, match.end())
        if given is None:
            continue
        name = match[1]
        least = _MIN_ARGUMENTS.get(name)
        if least is not None and len(given) < least:
            spread = any(outline[start:end].lstrip().startswith("...") for start, end in given)
            if not spread:
                yield _report_call(
                    text, name, f"takes at least {least} arguments, not {len(given)}"
                )
        elif least is None:
            key = code[given[0][0] : given[0][1]].strip() if given else "''"
            plain = key[:1] in "'\"`" and key[-1:] == key[:1] and "${" not in key
            if plain and _KEY.fullmatch(key[1:-1]) is None:
                yield _report_call(
                    text, name, "takes a key of 1 to 64 letters, digits, _ and -, not " + key[:80]
                )
            elif is_made_tool and (refused := _find_invalid_type(code, given)):
                yield _report_call(
                    text, name, "takes the types string, number, boolean and json, not " + refused
                )


def _find_invalid_type(code: str, given: list[tuple[int, int]]) -> str | None:
    """Returns the third argument if all three are literals and n8n does not accept it as a type."""
    first = [code[start:end].strip() for start, end in given[:3]]
    if len(first) < 3 or not all(_LITERAL.fullmatch(name) for name in first):
        return None
    return None if first[2][1:-1].lower() in _FROM_AI_TYPES else first[2][:80]


def _find_arguments(outline: str, place: int) -> list[tuple[int, int]] | None:
    """Returns the spans of the arguments of a call, None if its bracket does not close nearby."""
    depth, start = 0, place
    out: list[tuple[int, int]] = []
    for index in range(place, min(len(outline), place + _MAX_CALL_LENGTH)):
        mark = outline[index]
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            if depth == 0:
                if outline[start:index].strip():
                    out.append((start, index))
                return out
            depth -= 1
        elif mark == "," and depth == 0:
            out.append((start, index))
            start = index + 1
    return None


def _report_call(text: Text, name: str, what: str) -> Diagnostic:
    return new_diagnostic(
        MISSING_CALL_ARGUMENT,
        text.at,
        f'"{text.node}" fails at {name}: it {what}',
        help="correct the arguments of the call",
        node=text.node,
        token=name,
    )
