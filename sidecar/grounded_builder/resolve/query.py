"""A question about a name as JSON, and its answer: what both edges take and give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, get_args

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics.json_kind import kind_in_words
from grounded_builder.ir.domain import ResolvingPart
from grounded_builder.ir.resolution import Candidate, NameContext, Place, Resolution
from grounded_builder.ir.target import Target, TargetError, TargetOption
from grounded_builder.resolve.operation import resolve_operation
from grounded_builder.resolve.parameter import resolve_parameter, resolve_version
from grounded_builder.resolve.resolver import resolve_name
from grounded_builder.resolve.spelling_match import allowed

KINDS = ("tool", "label", "operation", "parameter", "version")


class QuestionError(ValueError):
    """A context that cannot be used; the message names the part."""


def answer_query(
    text: str,
    context: Any,
    registry: Registry,
    fallback: str = "",
    resolving: ResolvingPart | None = None,
) -> Resolution:
    """Resolve a name in a context: its kind, tool, action, params, goal, position, neighbours,
    and the constraints denied, allowed (patterns of ids), packages and families.

    ``None`` for no context. ``fallback`` is the tool offered last for a name of no tool,
    ``resolving`` how the domain resolves names; its target options are constraints too.
    QuestionError names what is not in shape.
    """
    resolve = resolve_name if resolving is None else resolving.resolve
    if context is None:
        return _with_fallback(resolve(text, registry, NameContext()), fallback, registry)
    if not isinstance(context, Mapping):
        raise QuestionError(f'"context" is {kind_in_words(context)}, not an object')
    kind = context.get("kind", "tool")
    if kind not in KINDS:
        raise QuestionError(f"kind {str(kind)[:40]!r} is not resolved; known: {', '.join(KINDS)}")
    if kind not in ("tool", "label"):
        return _of_tool(text, kind, context, registry)
    known = _context(context, () if resolving is None else resolving.target_options)
    return _with_fallback(resolve(text, registry, known), fallback, registry, known)


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


def _with_fallback(
    resolution: Resolution, fallback: str, registry: Registry, context: NameContext | None = None
) -> Resolution:
    """A name of no tool, with what can do the work of any service as a last, marked candidate."""
    tool = registry.tools.get(fallback)
    if resolution.status != "unknown" or tool is None or tool.availability != "installed":
        return resolution
    if not allowed(fallback, registry, context):
        return resolution
    others = (candidate for candidate in resolution.candidates if candidate.tool != fallback)
    last = Candidate(fallback, {}, 0.0, fallback=True)
    return replace(resolution, candidates=(*others, last))


def as_json(resolution: Resolution, registry: Registry) -> dict[str, Any]:
    """A resolution as plain JSON; of a tool that cannot be used as it is, why."""
    return {
        "status": resolution.status,
        "tool": resolution.tool,
        "params": dict(resolution.params),
        "confidence": resolution.confidence,
        "method": resolution.method,
        "candidates": [_candidate(candidate, registry) for candidate in resolution.candidates],
    }


def _candidate(candidate: Candidate, registry: Registry) -> dict[str, Any]:
    entries = {
        "tool": candidate.tool,
        "params": dict(candidate.params),
        "confidence": candidate.confidence,
    }
    if candidate.fallback:
        entries["fallback"] = True
    row = registry.tools.get(candidate.tool)
    if row is not None and row.availability != "installed":
        entries["availability"] = row.availability
    if row is not None and row.superseded:
        entries["replaced_by"] = list(row.replaced_by)
    if row is not None and row.requires_license:
        entries["requires_license"] = row.requires_license
    return entries


def _context(facts: Mapping[str, Any], options: Iterable[TargetOption]) -> NameContext:
    position = facts.get("position")
    if position is not None and position not in get_args(Place):
        raise QuestionError(f'"position" is one of {", ".join(get_args(Place))}')
    params = facts.get("params")
    names = tuple(str(name) for name in params) if isinstance(params, Mapping | list) else ()
    neighbours = facts.get("neighbours")
    try:
        target = Target.of(
            {option.name: option.read(facts.get(option.name), option.name) for option in options}
        )
    except TargetError as error:
        raise QuestionError(str(error)) from error
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
        label=facts.get("kind") == "label",
        target=target,
    )


def _patterns(facts: Mapping[str, Any], key: str) -> tuple[str, ...]:
    given = facts.get(key)
    if given is None:
        return ()
    if not isinstance(given, list) or not all(isinstance(item, str) for item in given):
        raise QuestionError(f'"{key}" is not a list of texts')
    return tuple(given)


def _text(value: Any) -> str:
    return value[:2_000] if isinstance(value, str) else ""
