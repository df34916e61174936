"""Corrects the filters of a drafted workflow: loosely written conditions, and missing options."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Route, new_diagnostic
from grounded_builder.domains.n8n.javascript.evaluate import evaluate
from grounded_builder.domains.n8n.javascript.v8_isolate import UnknownAnswerError
from grounded_builder.domains.n8n.lower.conditions import as_filter, is_old_shape
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.filter_conditions import check_filter
from grounded_builder.domains.n8n.parameters.properties import Property
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.rules.reading import LOOSE_SHAPE

_HOLDERS = ("filter", "fixedCollection")
# What n8n takes for options that a filter lacks (``NodeHelpers.getNodeParameters``).
_PLAIN = {"caseSensitive": True, "typeValidation": "strict"}


def check_conditions(
    resolved: ResolvedGraph, registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    """Yields a note, with its correction, for each filter in another shape that is read surely, and
    for each that ignores the node's settings for case and types.
    """
    del registry, options
    for bound in resolved.nodes:
        spec = bound.spec
        if not isinstance(spec, NodeSpec):
            continue
        for at, prop, value in _filters(bound, spec):
            is_sound = not any(check_filter(prop, value))
            missing = _find_missing_options(bound, spec, prop, value) if is_sound else {}
            if missing:
                reason = f'"{at[-1]}" of "{bound.node.name}" follows the settings of the node'
                fix = Fix(True, (Edit("set", (*at, "options"), missing),), reason)
                yield new_diagnostic(LOOSE_SHAPE, at, reason, node=bound.node.name, fix=fix)
            # Conditions of version 1 compare loosely or not: the draft does not tell.
            if isinstance(value, str) or is_sound or is_old_shape(value):
                continue
            conditions = as_filter(value)
            if conditions is not value and not any(check_filter(prop, conditions)):
                reason = f'"{at[-1]}" of "{bound.node.name}" was read as conditions'
                yield new_diagnostic(
                    LOOSE_SHAPE,
                    at,
                    reason,
                    node=bound.node.name,
                    fix=Fix(True, (Edit("set", at, conditions),), reason),
                )


def _find_missing_options(
    bound: ResolvedNode, spec: NodeSpec, prop: Property, value: object
) -> dict[str, Any]:
    """Returns the options that n8n's editor writes into a filter, empty where nothing is lost.

    The editor evaluates them from the node's settings (``typeOptions.filter``); n8n itself takes
    case and types strictly in a filter without options.
    """
    declared = prop.options.get("filter")
    if not isinstance(value, dict) or "conditions" not in value or not isinstance(declared, dict):
        return {}
    given = value.get("options")
    given = given if isinstance(given, dict) else {}
    if given.keys() >= _PLAIN.keys():
        return {}
    params = bound.node.params
    settings = params.get("options")
    known = {**params, "options": settings if isinstance(settings, dict) else {}}
    options: dict[str, Any] = {"leftValue": ""}
    for key, option in declared.items():
        is_computed = isinstance(option, str) and option.startswith("={{")
        try:
            code = str(option)[3:].strip().removesuffix("}}")
            options[key] = evaluate(code, known, spec.version) if is_computed else option
        except UnknownAnswerError:
            return {}
    is_lost = any(key not in given and options.get(key) != _PLAIN[key] for key in _PLAIN)
    return {**options, **given} if is_lost else {}


def _filters(bound: ResolvedNode, spec: NodeSpec) -> Iterator[tuple[Route, Property, object]]:
    """Yields the filters of a node, also those of the rules in its fixed collections."""
    declarations, params = spec.declarations, bound.node.params
    start: Route = (*bound.node.at, "parameters")
    candidates = [prop for prop in declarations.root.properties if prop.type in _HOLDERS]
    filled = filled_parameters(bound).full if candidates else {}
    for prop in candidates:
        value = params.get(prop.name)
        if value is None or not prop.is_shown(filled, filled):
            continue
        if prop.type == "filter":
            yield (*start, prop.name), prop, value
        elif prop.type == "fixedCollection" and isinstance(value, dict):
            for group, entries in value.items():
                level = declarations.group(prop, group)
                inner = [p for p in level.properties if p.type == "filter"] if level else []
                for index, entry in enumerate(entries if isinstance(entries, list) else ()):
                    for part in inner if isinstance(entry, dict) else ():
                        if part.name in entry:
                            at = (*start, prop.name, group, index, part.name)
                            yield at, part, entry[part.name]
