"""Converts a drafted model into the form in which Simulink stores it.

In a file a block of the base library is a BlockType, whose omitted parameters have built-in
defaults, and a masked block is a link. A draft refers to the library block throughout, so its
defaults are written out, and lines without corners are routed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from grounded_builder.domains.simulink.build.script import UnsafeValueError
from grounded_builder.domains.simulink.catalog.common_properties import PROPERTIES
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.domains.simulink.catalog.ports.counts import ports_of
from grounded_builder.domains.simulink.check.parameters import find_side_effect
from grounded_builder.domains.simulink.draw.layout import lay_out
from grounded_builder.domains.simulink.draw.routing import route_lines
from grounded_builder.domains.simulink.matlab_expr.syntax_errors import find_syntax_error
from grounded_builder.domains.simulink.read.document import BUILT_IN, PORT_KINDS

Specs = Callable[[str], BlockSpec | None]

# Properties that only affect the appearance; callbacks are never written.
_SHOWN = (
    "Orientation",
    "BlockMirror",
    "ShowName",
    "NamePlacement",
    "Commented",
    "Priority",
    "Description",
)
# The position and the name of a block, which are not parameters, and internal properties.
_ELSEWHERE = frozenset({"Name", "SID", "Ports", "Position", "UserData", "RTWdata", "LinkData"})
# BlockTypes that are defined by their content or code, not by their name.
_HOLLOW = frozenset({"SubSystem", "Reference", "S-Function", "M-S-Function"})
# Blocks that are numbered within their diagram.
_NUMBERED = ("Inport", "Outport", "PMIOPort")


def normalize_model(artifact: Mapping[str, Any], specs: Specs) -> dict[str, Any]:
    """Returns the model of a drafted artifact, its blocks linked or written out, and without code.

    ``specs`` returns the catalog entry of a path. Raises UnsafeValueError for a value with side
    effects.
    """
    model = artifact["model"]
    paths = {block["sid"]: block["path"] for block in artifact["blocks"]}
    entries = {key: model[key] for key in ("simulink", "kind", "name")}
    settings = {
        key: _require_plain(key, value)
        for key, value in (model.get("settings") or {}).items()
        if key.isidentifier() and not key.endswith("Fcn")
    }
    return {**entries, "settings": settings, "system": _system(model["system"], paths, specs)}


def _system(system: Mapping[str, Any], paths: Mapping[str, str], specs: Specs) -> dict[str, Any]:
    reached = _find_highest_ports(system)
    numbers = {kind: _list_free_numbers(system, kind) for kind in _NUMBERED}
    blocks = []
    for block in system["blocks"]:
        spec = specs(paths[block["sid"]]) if block["sid"] in paths else None
        entries = _block(block, spec, reached.get(block["sid"], {}), specs)
        if entries["type"] in _NUMBERED and "Port" not in entries["parameters"]:
            entries["parameters"]["Port"] = next(numbers[entries["type"]])
        if block.get("system") is not None:
            entries["system"] = _system(block["system"], paths, specs)
        blocks.append(entries)
    notes = [
        {key: note[key] for key in ("text", "position") if key in note}
        for note in system.get("annotations", ())
    ]
    return route_lines(lay_out({"blocks": blocks, "lines": system["lines"], "annotations": notes}))


def _block(
    block: Mapping[str, Any],
    spec: BlockSpec | None,
    reached: Mapping[str, int],
    specs: Specs,
) -> dict[str, Any]:
    stated = block.get("parameters") or {}
    own = {name: _require_plain(name, value) for name, value in stated.items()}
    if bad := next(filter(_is_code_property, own), None):
        raise UnsafeValueError(f"{bad} of {block['name']!r} is not a parameter of a block")
    entries: dict[str, Any] = {"sid": block["sid"], "name": block["name"], "type": block["type"]}
    shown = block.get("properties") or {}
    properties = {name: shown[name] for name in _SHOWN if name in shown}
    properties |= {name: own.pop(name) for name in list(own) if name in PROPERTIES}
    preset = dict(spec.preset) if spec is not None else {}
    if _is_linked(block, spec, specs):
        master = (specs(spec.base) if spec is not None and spec.base else None) or spec
        source = master.path if master is not None else block["source"]
        entries |= {"type": "Reference", "source": source, "linked": True}
        if master is not None and master.mask_type:
            properties["SourceType"] = master.mask_type
        entries["parameters"] = preset | own
    else:
        if spec is not None and block.get("system") is None:
            entries["type"] = spec.block_type
        bare = specs(f"{BUILT_IN}/{entries['type']}") if block.get("system") is not None else None
        entries["parameters"] = {**_list_differences(spec, bare), **preset, **own}
        if block.get("mask"):
            entries["mask"] = _mask(block["mask"])
    entries["properties"] = properties
    entries["ports"] = _ports(block, spec, own, reached)
    if block.get("position"):
        entries["position"] = block["position"]
    if block.get("signals"):
        entries["signals"] = block["signals"]
    return entries


def _is_linked(block: Mapping[str, Any], spec: BlockSpec | None, specs: Specs) -> bool:
    """Returns whether files store the block as a link to its library instead of its BlockType.

    The block that a bare BlockType represents is written as the BlockType, even if it is masked.
    """
    referring = (block.get("parameters") or {}).get("ReferencedSubsystem")
    if block.get("system") is not None or referring:
        return False
    if spec is None:
        source = block.get("source") or ""
        return bool(source) and not source.startswith(f"{BUILT_IN}/")
    bare = specs(f"{BUILT_IN}/{spec.block_type}")
    own = bare is not None and bare.base == (spec.base or spec.id)
    if spec.bare or (own and spec.block_type != "SubSystem"):
        return False
    return bool(spec.mask_type) or spec.block_type in _HOLLOW


def _is_code_property(name: str) -> bool:
    """Returns whether a property of this name is code, or is stored elsewhere."""
    masking = name.startswith("Mask") and name != "MaskHideContents"
    return name in PROPERTIES and (name.endswith("Fcn") or masking or name in _ELSEWHERE)


def _mask(mask: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the declarations of a mask without its code."""
    parameters = mask.get("parameters") or {}
    plain = {name: _require_plain(name, value) for name, value in parameters.items()}
    return {"type": mask.get("type", ""), "parameters": plain}


def _list_differences(spec: BlockSpec | None, bare: BlockSpec | None) -> dict[str, str]:
    """Returns the values in which a library block differs from a bare block of its type.

    A default that is not a complete expression is ignored, since its documentation may be cut off.
    One BlockType stands for several kinds of subsystem, and the ``bare`` one gives its own
    defaults.
    """
    if spec is None or spec.bare:
        return {}
    built_in = {name: parameter.builtin for name, parameter in spec.parameters.items()}
    if bare is not None:
        built_in |= {
            name: parameter.builtin
            for name, parameter in bare.parameters.items()
            if parameter.builtin is not None
        }
    return {
        name: parameter.default
        for name, parameter in spec.parameters.items()
        if parameter.default is not None
        and parameter.default != built_in[name]
        and name not in PROPERTIES
        and not (parameter.kind == "value" and _is_cut_off(parameter.default))
    }


def _is_cut_off(text: str) -> bool:
    return not text.strip() or find_syntax_error(text) is not None


def _ports(
    block: Mapping[str, Any],
    spec: BlockSpec | None,
    own: Mapping[str, str],
    reached: Mapping[str, int],
) -> dict[str, int]:
    """Returns the port counts as drafted, as the catalog knows them, or as lines require them."""
    if block.get("ports"):
        return dict(block["ports"])
    known = ports_of(block["type"], block.get("source"), own, spec)
    if known is None:
        known = dict(spec.usual or {}) if spec is not None else {}
        known = {kind: max(known.get(kind, 0), reached.get(kind, 0)) for kind in PORT_KINDS}
    for kind in ("lconn", "rconn"):
        there = (
            sum(connection.kind == kind for connection in spec.physical) if spec is not None else 0
        )
        known[kind] = max(known.get(kind, 0), there)
    return {kind: count for kind, count in known.items() if count}


def _find_highest_ports(system: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Returns the highest port of each kind at which lines end, by block."""
    entries: dict[str, dict[str, int]] = {}
    waiting = list(system["lines"])
    while waiting:
        part = waiting.pop()
        waiting += part.get("branches") or ()
        for end in filter(None, (part.get("from"), part.get("to"))):
            counts = entries.setdefault(end["block"], {})
            counts[end["kind"]] = max(counts.get(end["kind"], 0), end["index"])
    return entries


def _list_free_numbers(system: Mapping[str, Any], kind: str) -> Iterator[str]:
    """Yields numbers from 1 that no block of this type in the diagram has."""
    taken = {
        (block.get("parameters") or {}).get("Port")
        for block in system["blocks"]
        if block["type"] == kind
    }
    number = 0
    while True:
        number += 1
        if str(number) not in taken:
            yield str(number)


def _require_plain(name: str, value: str) -> str:
    reason = find_side_effect(value)
    if reason:
        raise UnsafeValueError(f"{name} is {value[:60]!r}: {reason}")
    return value
