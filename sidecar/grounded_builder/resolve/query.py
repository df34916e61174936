"""Resolves one name for an interface: reads its context from JSON, returns the result as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, get_args

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics.json_kind import name_json_kind
from grounded_builder.ir.domain import ResolvingPart
from grounded_builder.ir.resolution import Candidate, NameContext, Place, Resolution
from grounded_builder.ir.target import Target, TargetError, TargetOption
from grounded_builder.resolve.operation import resolve_operation
from grounded_builder.resolve.parameter import resolve_parameter, resolve_version
from grounded_builder.resolve.resolver import resolve_name
from grounded_builder.resolve.spelling_match import is_allowed

KINDS = ("tool", "label", "operation", "parameter", "version")


class QueryError(ValueError):
    """A query has an invalid context; the message names the part."""


def answer_query(
    text: str,
    context: Any,
    registry: Registry,
    fallback: str = "",
    resolving: ResolvingPart | None = None,
) -> Resolution:
    """Returns the resolution of a name in a context, a JSON object or None.

    The context can have the name's kind, tool, action, params, goal, position and neighbours, and
    the constraints denied, allowed (patterns of ids), packages and families. ``fallback`` is the
    last candidate for a name of no tool. ``resolving`` resolves names in the domain; its target
    options are constraints too. Raises QueryError for an invalid context.
    """
    resolve = resolve_name if resolving is None else resolving.resolve
    if context is None:
        return _with_fallback(resolve(text, registry, NameContext()), fallback, registry)
    if not isinstance(context, Mapping):
        raise QueryError(f'"context" is {name_json_kind(context)}, not an object')
    kind = context.get("kind", "tool")
    if kind not in KINDS:
        raise QueryError(f"kind {str(kind)[:40]!r} is not resolved; known: {', '.join(KINDS)}")
    if kind not in ("tool", "label"):
        return _resolve_for_tool(text, kind, context, registry)
    known = _parse_context(context, () if resolving is None else resolving.target_options)
    return _with_fallback(resolve(text, registry, known), fallback, registry, known)


def _resolve_for_tool(
    text: str, kind: str, context: Mapping[str, Any], registry: Registry
) -> Resolution:
    tool = context.get("tool")
    if not isinstance(tool, str) or tool not in registry.tools:
        raise QueryError(f'{kind} is resolved for a "tool" of the catalog: name its id')
    if kind == "parameter":
        return resolve_parameter(text, tool, registry)
    if kind == "version":
        return resolve_version(text, tool, registry)
    params = context.get("params")
    return resolve_operation(text, tool, registry, params if isinstance(params, Mapping) else None)


def _with_fallback(
    resolution: Resolution, fallback: str, registry: Registry, context: NameContext | None = None
) -> Resolution:
    """Returns an unknown name's resolution with the fallback tool as its last candidate."""
    tool = registry.tools.get(fallback)
    if resolution.status != "unknown" or tool is None or tool.availability != "installed":
        return resolution
    if not is_allowed(fallback, registry, context):
        return resolution
    others = (candidate for candidate in resolution.candidates if candidate.tool != fallback)
    last = Candidate(fallback, {}, 0.0, fallback=True)
    return replace(resolution, candidates=(*others, last))


def as_json(resolution: Resolution, registry: Registry) -> dict[str, Any]:
    """Returns a resolution as JSON, with the reasons why a candidate cannot be used as it is."""
    return {
        "status": resolution.status,
        "tool": resolution.tool,
        "params": dict(resolution.params),
        "confidence": resolution.confidence,
        "method": resolution.method,
        "candidates": [_candidate_json(candidate, registry) for candidate in resolution.candidates],
    }


def _candidate_json(candidate: Candidate, registry: Registry) -> dict[str, Any]:
    facts = {
        "tool": candidate.tool,
        "params": dict(candidate.params),
        "confidence": candidate.confidence,
    }
    if candidate.fallback:
        facts["fallback"] = True
    row = registry.tools.get(candidate.tool)
    if row is not None and row.availability != "installed":
        facts["availability"] = row.availability
    if row is not None and row.is_superseded:
        facts["replaced_by"] = list(row.replaced_by)
    if row is not None and row.requires_license:
        facts["requires_license"] = row.requires_license
    return facts


def _parse_context(facts: Mapping[str, Any], options: Iterable[TargetOption]) -> NameContext:
    position = facts.get("position")
    if position is not None and position not in get_args(Place):
        raise QueryError(f'"position" is one of {", ".join(get_args(Place))}')
    params = facts.get("params")
    names = tuple(str(name) for name in params) if isinstance(params, Mapping | list) else ()
    neighbours = facts.get("neighbours")
    try:
        target = Target.of(
            {option.name: option.read(facts.get(option.name), option.name) for option in options}
        )
    except TargetError as error:
        raise QueryError(str(error)) from error
    return NameContext(
        action=_parse_text(facts.get("action")),
        goal=_parse_text(facts.get("goal")),
        params=names,
        position=position,
        neighbours=tuple(map(str, neighbours)) if isinstance(neighbours, list) else (),
        denied=_parse_patterns(facts, "denied"),
        allowed=_parse_patterns(facts, "allowed"),
        allowed_packages=frozenset(_parse_patterns(facts, "packages")),
        families=frozenset(_parse_patterns(facts, "families")),
        label=facts.get("kind") == "label",
        target=target,
    )


def _parse_patterns(facts: Mapping[str, Any], key: str) -> tuple[str, ...]:
    patterns = facts.get(key)
    if patterns is None:
        return ()
    if not isinstance(patterns, list) or not all(isinstance(pattern, str) for pattern in patterns):
        raise QueryError(f'"{key}" is not a list of texts')
    return tuple(patterns)


def _parse_text(value: Any) -> str:
    return value[:2_000] if isinstance(value, str) else ""
