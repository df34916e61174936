"""Converts a block of a library file into a catalog line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from grounded_builder.domains.simulink.analysis.port_counts import INNER
from grounded_builder.domains.simulink.catalog.compile_tool import compile_tool
from grounded_builder.domains.simulink.catalog.ports.counts import ports_of
from grounded_builder.domains.simulink.read.document import BUILT_IN, PHYSICAL, tool_of

# Returns the catalog line of another block by its id.
Follow = Callable[[str], Mapping[str, Any] | None]

OWN = "own library"


def line_of(
    path: str,
    block: Mapping[str, Any],
    defaults: Mapping[str, Mapping[str, str]],
    follow: Follow,
) -> dict[str, Any]:
    """Returns the line of a block at a library path, as models link to it.

    Its base is followed: the target of its own link, or its BlockType.
    """
    kind = block["type"]
    linked = kind == "Reference"
    made_of = follow((tool_of(block) or "") if linked else f"{BUILT_IN}/{kind}")
    base = made_of["variants"][-1] if made_of is not None else {}
    value = base.get("traits", {})
    mask = block.get("mask") or {}
    given = {**defaults.get(kind, {}), **block.get("parameters", {})}
    traits: dict[str, Any] = {
        "block_type": value.get("block_type", "SubSystem") if linked else kind,
        "domain": value.get("domain", "signal") if linked else "signal",
        "linked": True,
    }
    if block["name"] != " ".join(block["name"].split()):
        traits["path"] = path.rpartition("/")[0] + "/" + block["name"].replace("/", "//")
    if mask_type := (mask.get("type") or (value.get("mask_type") if linked else None)):
        traits["mask_type"] = mask_type
    ports, sure = _ports(block, given, mask, made_of)
    if ports is not None:
        traits["ports" if sure else "usual"] = ports
        if PHYSICAL & ports.keys():
            traits["domain"] = "physical"
    return {
        "kind": "tool",
        "id": path,
        "name": " ".join(block["name"].split()),
        "category": "/".join(path.split("/")[1:-1]),
        "family": OWN,
        "package": path.partition("/")[0],
        "requires_license": None,
        "description": f"{traits['domain']} block of {path.partition('/')[0]}",
        "aliases": [],
        "variants": [
            {
                "versions": [1],
                "inputs": [],
                "outputs": [],
                "parameters": _parameters(base.get("parameters", ()), given, mask, linked=linked),
                "traits": traits,
            }
        ],
    }


def _parameters(
    base: Any, given: Mapping[str, str], mask: Mapping[str, Any], *, linked: bool
) -> list[dict[str, Any]]:
    """Returns the parameters of the mask and of the base, and those set at the block."""
    entries: dict[str, dict[str, Any]] = {}
    for name, value in mask.get("parameters", {}).items():
        results = {"name": name, "type": mask.get("kinds", {}).get(name, "value"), "default": value}
        if name in mask.get("options", {}):
            results["options"] = mask["options"][name]
        entries[name] = results
    for item in base:
        results = {key: value for key, value in item.items() if key not in ("default", "builtin")}
        left_out = item.get("default") if linked else item.get("builtin", item.get("default"))
        if (value := given.get(item["name"], left_out)) is not None:
            results["default"] = value
        entries.setdefault(item["name"], results)
    for name, value in given.items():
        entries.setdefault(name, {"name": name, "type": "text", "default": value, "seen": True})
    return [entry for entry in entries.values() if entry["name"]]


def _ports(
    block: Mapping[str, Any],
    given: Mapping[str, str],
    mask: Mapping[str, Any],
    made_of: Mapping[str, Any] | None,
) -> tuple[dict[str, int] | None, bool]:
    """Returns the ports of a block, and whether every link to it has the same.

    The code of a mask may add or remove ports, and a parameter of a link may determine them.
    """
    stated: dict[str, int] | None = block.get("ports")
    fixed = not mask.get("modifies") and not mask.get("initialization")
    if block["type"] == "SubSystem":
        if block.get("system") is None or block.get("opaque"):
            return stated, stated is not None and fixed and not block.get("opaque")
        counted = _count_ports(block["system"])
        return counted, fixed and given.get("Variant") != "on" and stated in (None, counted)
    if stated is not None:
        return stated, False
    spec = compile_tool(made_of, 1) if made_of is not None else None
    if block["type"] == "Reference":
        known = spec.ports or spec.usual if spec is not None else None
        return (dict(known), False) if known else (None, False)
    derived = ports_of(block["type"], None, given, spec)
    return (dict(derived), False) if derived is not None else (None, False)


def _count_ports(system: Mapping[str, Any]) -> dict[str, int]:
    """Returns the ports that the blocks of a diagram give to the subsystem around it."""
    entries = {
        kind: len(
            {
                block.get("parameters", {}).get("Port", "1")
                for block in system["blocks"]
                if block["type"] == type_
            }
        )
        for kind, type_ in INNER.items()
    }
    for block in system["blocks"]:
        value = block.get("parameters", {})
        if block["type"] == "TriggerPort" and value.get("IsSimulinkFunction") == "on":
            entries["trigger"] = 0
        if block["type"] == "PMIOPort":
            side = "rconn" if value.get("Side", "Left") == "Right" else "lconn"
            entries[side] = entries.get(side, 0) + 1
    return {kind: count for kind, count in entries.items() if count}
