"""Collects expressions and code from a node's parameters, and texts that only look like these."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from grounded_builder.diagnostics import Route
from grounded_builder.ir.graph import ResolvedNode

Use = Literal["expression", "code", "python", "bare", "plain"]

_CACHE_SIZE = 2048
_SCRIPTS = frozenset({"codeNodeEditor", "jsEditor"})
# Names of n8n that make a text with a = look like an expression.
_N8N_NAME = re.compile(
    r"(?<![\w$.])\$(?:(?:json|node|input|items|vars)\s*[.\[(]|(?:now|today|env|workflow)\b|\(\s*['\"])"
)
# Their options are values, not declarations.
_OPTION_TYPES = frozenset({"options", "multiOptions"})
# Display values that the editor stores for a chosen item; n8n never evaluates them.
_DISPLAY_ONLY = frozenset({"cachedResultName", "cachedResultUrl"})


@dataclass(frozen=True, slots=True)
class Text:
    """An expression (including its ``=``), JavaScript, Python, or a text like an expression.

    ``plain`` is a text with double braces but no ``=``, ``bare`` one with ``=`` and n8n's names but
    no braces.
    """

    node: str
    at: Route
    value: str
    use: Use


def collect_texts(bound: ResolvedNode) -> list[Text]:
    """Returns the texts of a node in document order, cached on it.

    Texts without double braces that are not code are skipped, and so are texts of parameters whose
    braces the node takes literally.
    """
    known: list[Text] | None = bound.memo.get("texts")
    if known is not None:
        return known
    uses = _uses(bound.spec)
    if bound.node.params.get("language") not in (None, "javaScript", "javascript"):
        uses = _Uses(uses.python, uses.python, uses.literal | uses.code, uses.plain)
    out: list[Text] = []
    at = [*bound.node.at, "parameters"]
    _collect(bound.node.params, "", at, uses, (bound.node.name, len(at)), out)
    bound.memo["texts"] = out
    return out


@dataclass(frozen=True, slots=True)
class _Uses:
    """Names of parameters: of code, and of those whose braces are literal in some place.

    ``plain`` has the paths of the latter where their braces are not.
    """

    code: frozenset[str]
    python: frozenset[str]
    literal: frozenset[str]
    plain: frozenset[tuple[str, ...]]


def _collect(
    value: Any,
    name: Any,
    at: list[str | int],
    uses: _Uses,
    holder: tuple[str, int],
    out: list[Text],
) -> None:
    """Adds the texts of a container; ``at`` follows the walk, so that only matches build a route.

    The entries of a list have the name of the list. ``holder`` is the node, and the length of the
    route to its parameters.
    """
    named = value.__class__ is dict
    for key, item in value.items() if named else enumerate(value):
        known = key if named else name
        kind = item.__class__
        if kind is str:
            if ("{{" in item or known in uses.code or item[:1] == "=") and (
                use := _classify(item, known, uses, (*at[holder[1] :], key))
            ):
                out.append(Text(holder[0], (*at, key), item, use))
        elif kind is dict or kind is list:
            at.append(key)
            _collect(item, known, at, uses, holder, out)
            at.pop()


def _classify(text: str, name: Any, uses: _Uses, route: Route) -> Use | None:
    if name in uses.code and not text.startswith("="):
        return "python" if name in uses.python else "code"
    if name in _DISPLAY_ONLY:
        return None
    if "{{" in text:
        if text.startswith("="):
            return "expression"
        return None if _is_literal(name, uses, route) else "plain"
    return None if _is_literal(name, uses, route) or _N8N_NAME.search(text) is None else "bare"


def _is_literal(name: Any, uses: _Uses, route: Route) -> bool:
    """Returns whether the node takes the braces of a parameter literally."""
    path = tuple(part for part in route if isinstance(part, str))
    return name in uses.literal and path not in uses.plain


@lru_cache(_CACHE_SIZE)
def _uses(spec: Any) -> _Uses:
    """Returns the parameter names whose values are code, or whose braces are literal."""
    code: set[str] = set()
    python: set[str] = set()
    literal: set[str] = set()
    plain: set[tuple[str, ...]] = set()
    other: set[tuple[str, ...]] = set()
    stack: list[tuple[Any, tuple[str, ...]]] = [(spec.variant.get("parameters"), ())]
    while stack:
        value, path = stack.pop()
        if value.__class__ is list:
            stack.extend((item, path) for item in value)
        elif value.__class__ is dict:
            name, options = value.get("name"), value.get("typeOptions")
            options = options if options.__class__ is dict else {}
            editor = options.get("editor")
            if name.__class__ is str and (editor or value.get("noDataExpression")):
                (code if editor in _SCRIPTS else literal).add(name)
                other.add((*path, name))
                if editor in _SCRIPTS and options.get("editorLanguage") == "python":
                    python.add(name)
            elif name.__class__ is str:
                plain.add((*path, name))
            if value.get("type") not in _OPTION_TYPES:
                inner = (*path, name) if name.__class__ is str else path
                parts = filter(None, (value.get("options"), value.get("values")))
                stack.extend((part, inner) for part in parts)
    known = frozenset(path for path in plain - other if path[-1] in literal)
    return _Uses(frozenset(code), frozenset(python), frozenset(literal), known)
