"""Converts loosely written connections to n8n's shape, as targets or as fixes."""

from __future__ import annotations

from typing import Any

from grounded_builder.diagnostics import Edit, Fix, Route

_MAIN = "main"
_SUB = "ai_"
_ONE_TARGET = ("node", "type", "index")
_FROM = ("source", "from", "sourceNode")
_TO = ("target", "to", "targetNode")
# No node has as many outputs; a larger index is a mistake.
_MOST = 100
_TOLD = 6


def as_target(value: Any, kind: str) -> dict[str, Any] | None:
    """Returns a target written as a name, or without its type; None for anything else."""
    if isinstance(value, str) and value:
        return {"node": value, "type": kind, "index": 0}
    if not isinstance(value, dict) or not isinstance(value.get("node"), str):
        return None
    type_, index = value.get("type", kind), value.get("index", 0)
    if isinstance(index, str) and index.isdecimal():
        index = int(index)
    if not isinstance(type_, str) or isinstance(index, bool) or not isinstance(index, int):
        return None
    return {"node": value["node"], "type": type_, "index": max(index, 0)}


def as_targets(value: Any, kind: str) -> list[dict[str, Any]] | None:
    """Returns a list of targets from one target, from a name, kind and index, or from loose
    targets.
    """
    loose = value if isinstance(value, list) else [value]
    if len(loose) == len(_ONE_TARGET) and loose[1] == kind and isinstance(loose[2], int):
        loose = [dict(zip(_ONE_TARGET, loose, strict=True))]
    targets = [as_target(target, kind) for target in loose]
    return None if None in targets else [target for target in targets if target is not None]


def fix_targets(value: Any, kind: str, at: Route) -> Fix | None:
    """Returns a fix that writes the targets of one output in n8n's shape."""
    targets = as_targets(value, kind)
    return None if targets is None else Fix(True, (Edit("set", at, targets),), _reason(targets))


def fix_outputs(value: Any, kind: str, at: Route) -> Fix | None:
    """Returns a fix that writes the outputs of a kind as lists; safe only with at most
    one target.
    """
    if value == {}:
        return Fix(True, (Edit("remove", at),), f'"{kind}" connects nothing')
    flat = value if isinstance(value, list) else [value]
    targets = as_targets(flat, kind)
    if targets is None:
        return None
    return Fix(len(targets) == 1, (Edit("set", at, [targets]),), _reason(targets))


def fix_kinds(value: Any, at: Route) -> Fix | None:
    """Returns a fix that writes connections without a kind as data connections."""
    outputs = value if isinstance(value, list) and value and isinstance(value[0], list) else [value]
    lists = [as_targets(output, _MAIN) for output in outputs]
    if any(entries is None for entries in lists):
        return None
    targets = [item for each in lists for item in each or ()]
    return Fix(True, (Edit("set", at, {_MAIN: lists}),), _reason(targets))


def fix_connections(value: Any, at: Route) -> Fix | None:
    """Returns a fix that writes a list of edges, each with both ends, keyed by their sources."""
    if not isinstance(value, list):
        return None
    written: dict[str, dict[str, list[list[dict[str, Any]]]]] = {}
    targets: list[dict[str, Any]] = []
    for edge in value:
        ends = _ends(edge)
        if ends is None:
            return None
        source, kind, output, target = ends
        outputs = written.setdefault(source, {}).setdefault(kind, [])
        outputs.extend([] for _ in range(output + 1 - len(outputs)))
        outputs[output].append(target)
        targets.append(target)
    reason = _reason(targets) or "write no connections as an empty object"
    return Fix(True, (Edit("set", at, written),), reason)


def _ends(value: Any) -> tuple[str, str, int, dict[str, Any]] | None:
    """Returns source, kind, output index and target of an edge that names both ends."""
    if not isinstance(value, dict):
        return None
    source = next((value[key] for key in _FROM if isinstance(value.get(key), str)), None)
    target = next((value[key] for key in _TO if isinstance(value.get(key), str)), None)
    type_ = value.get("type")
    # Drawing programs write the line style there.
    kind = type_ if isinstance(type_, str) and type_.startswith(_SUB) else _MAIN
    output = _index(value.get("sourceIndex", value.get("output", 0)))
    input_ = _index(value.get("targetIndex", value.get("input", 0)))
    if source is None or target is None or output is None or input_ is None:
        return None
    return source, kind, output, {"node": target, "type": kind, "index": input_}


def _index(value: Any) -> int | None:
    """Returns a small whole number, None for anything else."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value < _MOST else None


def _reason(targets: list[dict[str, Any]]) -> str:
    named = ", ".join(
        f'"{target["node"]}" is connected at {target["type"]} input {target["index"]}'
        for target in targets[:_TOLD]
    )
    more = len(targets) - _TOLD
    return f"{named} and {more} more" if more > 0 else named
