"""A question about a name as JSON, and its answer: what both edges take and give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from grounded_builder.diagnostics.kind import kind_in_words
from grounded_builder.registry.registry import Registry
from grounded_builder.resolve.model import NameContext, Place, Resolution
from grounded_builder.resolve.name import resolve_name
from grounded_builder.resolve.operation import resolve_operation
from grounded_builder.resolve.parameter import resolve_parameter, resolve_version

KINDS = ("tool", "operation", "parameter", "version")


class QuestionError(ValueError):
    """A context that cannot be used; the message names the part."""


def answer(text: str, context: Any, registry: Registry) -> Resolution:
    """Resolve a name in a context: its kind, tool, action, params, goal, position, neighbours,
    and the constraints denied, allowed (patterns of ids), packages, families.

    ``None`` for no context. QuestionError names what is not in shape.
    """
    if context is None:
        return resolve_name(text, registry, NameContext())
    if not isinstance(context, Mapping):
        raise QuestionError(f'"context" is {kind_in_words(context)}, not an object')
    kind = context.get("kind", "tool")
    if kind not in KINDS:
        raise QuestionError(f"kind {str(kind)[:40]!r} is not resolved; known: {', '.join(KINDS)}")
    if kind != "tool":
        return _of_tool(text, kind, context, registry)
    return resolve_name(text, registry, _context(context))


def _of_tool(text: str, kind: str, context: Mapping[str, Any], registry: Registry) -> Resolution:
    tool = context.get("tool")
    if not isinstance(tool, str) or tool not in registry.tools:
        raise QuestionError(f'{kind} is resolved for a "tool" of the catalog: name its id')
    if kind == "parameter":
        return resolve_parameter(text, tool, registry)
    if kind == "version":
        return resolve_version(text, tool, registry)
    params = context.get("params")
    return resolve_operation(text, tool, registry, params if isinstance(params, Mapping) else None)


def as_json(resolution: Resolution) -> dict[str, Any]:
    """A resolution as plain JSON."""
    return {
        "status": resolution.status,
        "tool": resolution.tool,
        "params": dict(resolution.params),
        "confidence": resolution.confidence,
        "method": resolution.method,
        "candidates": [
            {"tool": one.tool, "params": dict(one.params), "confidence": one.confidence}
            for one in resolution.candidates
        ],
    }


def _context(facts: Mapping[str, Any]) -> NameContext:
    position = facts.get("position")
    if position is not None and position not in get_args(Place):
        raise QuestionError(f'"position" is one of {", ".join(get_args(Place))}')
    params = facts.get("params")
    names = tuple(str(name) for name in params) if isinstance(params, Mapping | list) else ()
    neighbours = facts.get("neighbours")
    return NameContext(
        action=_text(facts.get("action")),
        goal=_text(facts.get("goal")),
        params=names,
        position=position,
        neighbours=tuple(map(str, neighbours)) if isinstance(neighbours, list) else (),
        denied=_patterns(facts, "denied"),
        allowed=_patterns(facts, "allowed"),
        allowed_packages=frozenset(_patterns(facts, "packages")),
        families=frozenset(_patterns(facts, "families")),
    )


def _patterns(facts: Mapping[str, Any], key: str) -> tuple[str, ...]:
    given = facts.get(key)
    if given is None:
        return ()
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise QuestionError(f'"{key}" is not a list of texts')
    return tuple(given)


def _text(value: Any) -> str:
    return value[:2_000] if isinstance(value, str) else ""
