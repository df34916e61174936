"""What n8n always answers with a failure or with nothing, by default: environment, arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.expressions.mask_literals import outlined
from grounded_builder.domains.n8n.expressions.texts import Text

MISSING_CALL_ARGUMENT = Rule.wrong(
    "N8N350", "missing-call-argument", "ExpressionError", "A function call lacks an argument."
)
ENVIRONMENT = Rule.advice(
    "N8N351", "environment", "PolicyError", "n8n hides its environment by default."
)
_ENVIRONMENT = re.compile(r"(?<![\w$.])(\$env|process\s*\.\s*env)\s*[.\[]")
_CALL = re.compile(r"(?<![\w$.])(\$jmespath|\$jmesPath|\$if|\$fromAI|\$fromAi|\$fromai)\s*\(")
_LEAST = {"$jmespath": 2, "$jmesPath": 2, "$if": 2}
# What n8n-workflow from-ai-parse-utils takes where it makes a tool of a node, in any case.
_TYPES = frozenset({"string", "number", "boolean", "json"})
_LITERAL = re.compile(r"""'[^'\\\n]*'|"[^"\\\n]*"|`[^`\\$]*`""")
_KEY = re.compile(r"[a-zA-Z0-9_-]{1,64}")
# Bounds on what is looked at in one piece of code: its length, calls, length of one call.
_LONGEST, _MOST, _REACH = 2_000_000, 100, 10_000


def environment(text: Text, code: str) -> Iterator[Diagnostic]:
    """Yields the environment of n8n's process, which expressions and code do not see by default."""
    if "env" not in code:
        return
    match = _ENVIRONMENT.search(code)
    if match is None or _ENVIRONMENT.search(outlined(code[:_LONGEST])) is None:
        return
    yield new_diagnostic(
        ENVIRONMENT,
        text.at,
        f'"{text.node}" reads {match[1]}, which n8n 2 denies unless it is set up otherwise',
        help="use a credential or $vars, or set N8N_BLOCK_ENV_ACCESS_IN_NODE=false on the instance",
        node=text.node,
        token=match[1],
    )


def arguments(text: Text, code: str, *, is_made_tool: bool) -> Iterator[Diagnostic]:
    """Calls of n8n's functions that fail for want of an argument.

    ``is_made_tool`` says that n8n makes the tool out of an ordinary node: then it reads the types.
    """
    if "$if" not in code and "$from" not in code and "$jmes" not in code:
        return
    if _CALL.search(code) is None or len(code) > _LONGEST:
        return
    outline = outlined(code)
    for match in islice(_CALL.finditer(outline), _MOST):
        given = _arguments(outline, match.end())
        if given is None:
            continue
        name = match[1]
        least = _LEAST.get(name)
        if least is not None and len(given) < least:
            spread = any(outline[start:end].lstrip().startswith("...") for start, end in given)
            if not spread:
                yield _lacking(text, name, f"takes at least {least} arguments, not {len(given)}")
        elif least is None:
            key = code[given[0][0] : given[0][1]].strip() if given else "''"
            plain = key[:1] in "'\"`" and key[-1:] == key[:1] and "${" not in key
            if plain and _KEY.fullmatch(key[1:-1]) is None:
                yield _lacking(
                    text, name, "takes a key of 1 to 64 letters, digits, _ and -, not " + key[:80]
                )
            elif is_made_tool and (refused := _refused_type(code, given)):
                yield _lacking(
                    text, name, "takes the types string, number, boolean and json, not " + refused
                )


def _refused_type(code: str, given: list[tuple[int, int]]) -> str | None:
    """Returns the third argument where all up to it are plain texts and n8n takes no such type."""
    first = [code[start:end].strip() for start, end in given[:3]]
    if len(first) < 3 or not all(_LITERAL.fullmatch(name) for name in first):
        return None
    return None if first[2][1:-1].lower() in _TYPES else first[2][:80]


def _arguments(outline: str, place: int) -> list[tuple[int, int]] | None:
    """Where the arguments after an opening bracket stand; None when it does not close nearby."""
    depth, start = 0, place
    out: list[tuple[int, int]] = []
    for index in range(place, min(len(outline), place + _REACH)):
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


def _lacking(text: Text, name: str, what: str) -> Diagnostic:
    return new_diagnostic(
        MISSING_CALL_ARGUMENT,
        text.at,
        f'"{text.node}" fails at {name}: it {what}',
        help="give it what it takes",
        node=text.node,
        token=name,
    )
