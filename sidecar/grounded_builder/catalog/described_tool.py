"""Converts the description of one tool, with ports as plain lists, into a catalog line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from grounded_builder.catalog.catalog_file import CatalogError, Problem
from grounded_builder.diagnostics.json_kind import name_json_kind

_HELP = 'send {"id", "name", "description", "inputs", "outputs"}: see docs/tools.md'
_OF_VARIANT = ("inputs", "outputs", "parameters", "operations", "credentials")
_LISTS = ("aliases", "keywords", "capabilities", "equivalent_to", "replaced_by", "is_a", "part_of")
_MOST_PORTS = 1_000
# The catalog computes it from the tool itself.
_COMPUTED = "fingerprint"


def convert_described_tool(
    document: Mapping[str, Any], ports_as: Literal["connections", "counts"]
) -> dict[str, Any]:
    """Returns the catalog line of a description; ``null`` stands for a field that is left out.

    A port is ``{"main": 1}`` (that many ports of a kind), ``{"index", "type", "name"}``, or the
    name of a kind. ``connections`` stores the ports by kind, ``counts`` only their number. Raises
    CatalogError for ports that cannot be read.
    """
    problems: list[Problem] = []
    ports = {
        side: _read_ports(document.get(side), side, problems) for side in ("inputs", "outputs")
    }
    if problems:
        raise CatalogError(tuple(problems), _HELP)
    variant: dict[str, Any] = {"versions": [1], "parameters": [], **ports, "traits": {}}
    if ports_as == "counts":
        counts = {"in": len(ports["inputs"]), "out": len(ports["outputs"])}
        counts = {side: count for side, count in counts.items() if count}
        variant |= {"inputs": [], "outputs": [], "traits": {"domain": "signal", "ports": counts}}
    for key in ("parameters", "operations", "credentials"):
        if document.get(key) is not None:
            variant[key] = document[key]
    line = {
        key: value
        for key, value in document.items()
        if value is not None and key not in _OF_VARIANT and key != _COMPUTED
    }
    for key in _LISTS:
        if isinstance(line.get(key), str):
            line[key] = [line[key]]
    return {**line, "variants": [variant]}


def _read_ports(value: Any, side: str, problems: list[Problem]) -> list[dict[str, Any]]:
    """Returns the ports of one side, and appends what is wrong with them."""
    if value is None:
        problems.append(Problem(f"{side} is missing: give a list, [] for none"))
        return []
    if not isinstance(value, list):
        problems.append(Problem(f"{side} is {name_json_kind(value)}, not a list of ports"))
        return []
    ports: list[dict[str, Any]] = []
    for number, item in enumerate(value):
        read = _read_port(item)
        if isinstance(read, str):
            problems.append(Problem(f"{side}/{number}: {read}"))
            continue
        ports += read
        if len(ports) > _MOST_PORTS:
            problems.append(Problem(f"{side}: more than {_MOST_PORTS} ports"))
            break
    return ports


def _read_port(item: Any) -> list[dict[str, Any]] | str:
    """Returns the ports that one entry describes, or why it describes none."""
    if isinstance(item, str):
        return [{"kind": item}] if item else "a port without a kind"
    if not isinstance(item, dict):
        return f"{name_json_kind(item)}, not a port"
    if "kind" in item:
        return [item]
    if "index" in item or "type" in item:
        # The data type of a signal is no kind of port: it says nothing about what can be connected.
        unknown = sorted(item.keys() - {"index", "type", "name"})
        if unknown:
            return f"unknown key {unknown[0][:60]!r}"
        name = item.get("name")
        return [{"kind": "main", "name": name if isinstance(name, str) else ""}]
    if len(item) != 1:
        return 'neither {"main": 1} nor {"index", "type"}'
    ((kind, count),) = item.items()
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= _MOST_PORTS:
        return f"the number of {kind[:60]!r} ports is not a whole number up to {_MOST_PORTS}"
    return [{"kind": kind} for _ in range(count)]
