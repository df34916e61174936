"""Report reads of fields that a node certainly never outputs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.expressions.mask_literals import NAME_START, mask_literals
from grounded_builder.domains.n8n.expressions.texts import Text
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

MISSING_FIELD = Rule.advice(
    "N8N330", "missing-field", "ExpressionError", "A field is read that the node never outputs."
)

_SET = "n8n-nodes-base.set"
_DROPS_INPUT_SINCE = 3.3  # the version since which it keeps the fields of its input only on request
_QUOTED = r"'[^'\\\n]*'|\"[^\"\\\n]*\""
_READ = re.compile(
    rf"""{NAME_START}(?:(?P<own>\$json)
      | \$\(\s*(?P<asked>{_QUOTED})\s*\)\s*\.\s*(?:item|(?:first|last)\(\s*\))\s*\.\s*json
      | \$node\s*\[\s*(?P<node>{_QUOTED})\s*\]\s*\.\s*json)
    \s*\??(?:\.\s*(?P<name>[A-Za-z_$][\w$]*)|\.?\[\s*(?P<key>{_QUOTED})\s*\])(?![\w$]|\s*\()""",
    re.VERBOSE,
)

Fields = Mapping[str, frozenset[str]]


def find_known_fields(resolved: ResolvedGraph) -> Fields:
    """Returns the output fields of each node whose parameters determine them."""
    document = resolved.graph.document
    settings = document.get("settings")
    if isinstance(settings, Mapping) and settings.get("binaryMode") == "combined":
        return {}
    pinned = document.get("pinData") or ()
    known = {
        name: _output_fields(bound)
        for name, bound in resolved.by_name.items()
        if bound.node.tool == _SET and name not in pinned
    }
    return {name: fields for name, fields in known.items() if fields is not None}


def report_missing_fields(
    text: Text, code: str, sources: Sequence[str], fields: Fields
) -> Iterator[Diagnostic]:
    """Reports each field that code reads and that none of its source nodes outputs.

    ``sources`` are the nodes that provide the data, empty if that is uncertain.
    """
    outline = None
    reported: set[tuple[str, str]] = set()
    for match in _READ.finditer(code):
        node_name = match["asked"] or match["node"]
        givers = (node_name[1:-1],) if node_name else sources
        name = match["name"] or match["key"][1:-1]
        if not givers or any(giver not in fields or name in fields[giver] for giver in givers):
            continue
        outline = mask_literals(code) if outline is None else outline
        if not outline.startswith("$", match.start()) or (name, givers[0]) in reported:
            continue
        reported.add((name, givers[0]))
        given = sorted(frozenset[str]().union(*(fields[giver] for giver in givers)))
        shown = " or ".join(f'"{giver}"' for giver in givers[:3])
        yield new_diagnostic(
            MISSING_FIELD,
            text.at,
            f'"{text.node}" reads the field {name}, which {shown} never outputs',
            help=f"read one of {', '.join(given[:12])}, or let the node keep other fields"
            if given
            else "add the field to the node",
            node=text.node,
            token=name,
            alternatives=find_nearest(name, given),
        )


def _output_fields(bound: ResolvedNode) -> frozenset[str] | None:
    """Returns the fields that a Set node outputs, None if they depend on its input or a value."""
    source = bound.node.source
    version = bound.version or 0
    if (
        not isinstance(bound.spec, NodeSpec)
        or bound.node.disabled
        or 3 <= version < _DROPS_INPUT_SINCE
    ):
        return None
    if source.get("onError") or source.get("continueOnFail"):
        return None
    given = filled_parameters(bound).full
    options = given.get("options")
    if not isinstance(options, Mapping):
        return None
    names = _legacy_names(given) if version < 3 else _assigned_names(given)
    if names is None or not all(
        isinstance(name, str) and name[:1] not in ("", "=") for name in names
    ):
        return None
    if options.get("dotNotation") is False or given.get("mode") == "raw":
        return frozenset(names)
    return frozenset(re.split(r"[.\[]", name, maxsplit=1)[0] for name in names)


def _assigned_names(given: Mapping[str, Any]) -> list[Any] | None:
    if given.get("includeOtherFields") is not False:
        return None
    if given.get("mode") == "raw":
        try:
            written = json.loads(str(given.get("jsonOutput")))
        except ValueError:
            return None
        return list(written) if isinstance(written, dict) else None
    assignments = given.get("assignments")
    items = assignments.get("assignments") if isinstance(assignments, Mapping) else None
    return _entry_names(items) if given.get("mode") == "manual" else None


def _legacy_names(given: Mapping[str, Any]) -> list[Any] | None:
    values = given.get("values")
    if given.get("keepOnlySet") is not True or not isinstance(values, Mapping):
        return None
    names: list[Any] = []
    for items in values.values():
        names_of_type = _entry_names(items)
        if names_of_type is None:
            return None
        names += names_of_type
    return names


def _entry_names(items: Any) -> list[Any] | None:
    if not isinstance(items, list):
        return None
    return [item.get("name") if isinstance(item, Mapping) else None for item in items]
