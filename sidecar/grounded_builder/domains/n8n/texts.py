"""Every text among a node's parameters, with what n8n does with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from grounded_builder.diagnostics import Route
from grounded_builder.graph import Bound

Use = Literal["expression", "code", "literal", "plain"]

_REMEMBERED = 2048
_SCRIPTS = frozenset({"codeNodeEditor", "jsEditor"})
# What the editor keeps of a chosen item to show it again; never evaluated.
_SHOWN_ONLY = frozenset({"cachedResultName", "cachedResultUrl"})


@dataclass(frozen=True, slots=True)
class Text:
    """One text and its use: an expression keeps its ``=``, ``literal`` takes braces as they are."""

    node: str
    at: Route
    value: str
    use: Use


@dataclass(frozen=True, slots=True)
class _Uses:
    code: frozenset[str]
    literal: frozenset[str]


def texts_of(bound: Bound, params_at: Route) -> Iterator[Text]:
    """The texts of a bound node in document order; ``params_at`` is the route of its parameters."""
    uses = _uses(bound.spec)
    speaks_python = bound.node.params.get("language") not in (None, "javaScript", "javascript")
    stack: list[tuple[Route, str, Any]] = [(params_at, "", bound.node.params)]
    while stack:
        at, name, value = stack.pop()
        if isinstance(value, str):
            if value.startswith("="):
                yield Text(bound.node.name, at, value, "expression")
            elif name in uses.code:
                yield Text(bound.node.name, at, value, "literal" if speaks_python else "code")
            else:
                literal = name in uses.literal or name in _SHOWN_ONLY
                yield Text(bound.node.name, at, value, "literal" if literal else "plain")
        elif isinstance(value, dict):
            stack.extend(((*at, key), key, item) for key, item in reversed(value.items()))
        elif isinstance(value, list):
            stack.extend(
                ((*at, index), name, value[index]) for index in range(len(value) - 1, -1, -1)
            )


_compilations: dict[int, tuple[Any, _Uses]] = {}


def _uses(spec: Any) -> _Uses:
    """The parameter names under which a node takes code, or braces as they are."""
    known = _compilations.get(id(spec))
    if known is not None:
        return known[1]
    code: set[str] = set()
    literal: set[str] = set()
    stack: list[Any] = [spec.variant.get("parameters")]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack.extend(value)
        elif isinstance(value, Mapping):
            name, options = value.get("name"), value.get("typeOptions")
            editor = options.get("editor") if isinstance(options, Mapping) else None
            if isinstance(name, str) and editor in _SCRIPTS:
                code.add(name)
            elif isinstance(name, str) and (editor or value.get("noDataExpression")):
                literal.add(name)
            stack.extend(value.get(key) for key in ("options", "values"))
    uses = _Uses(frozenset(code), frozenset(literal))
    if len(_compilations) >= _REMEMBERED:
        _compilations.clear()
    _compilations[id(spec)] = (spec, uses)
    return uses
