"""A drafted model as Simulink would keep it: what a block means by its library path is said.

In a file a block of the base library is a BlockType, whose parameters that are left out have
built-in defaults, and a masked one is a link. A draft means the library block throughout, and
its lines get the corners that they lack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from grounded_builder.domains.simulink.build.script import UnsafeValueError
from grounded_builder.domains.simulink.catalog.common_properties import PROPERTIES
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.domains.simulink.catalog.ports.counts import ports_of
from grounded_builder.domains.simulink.check.parameters import find_side_effect
from grounded_builder.domains.simulink.draw.layout import laid
from grounded_builder.domains.simulink.draw.routing import routed
from grounded_builder.domains.simulink.matlab_expr.syntax_errors import broken
from grounded_builder.domains.simulink.read.document import BUILT_IN, PORT_KINDS

Specs = Callable[[str], BlockSpec | None]

# Properties that only show; those that run are never written.
_SHOWN = (
    "Orientation",
    "BlockMirror",
    "ShowName",
    "NamePlacement",
    "Commented",
    "Priority",
    "Description",
)
# Where a block lies and what it is called, which no parameter says, and what files keep of it.
_ELSEWHERE = frozenset({"Name", "SID", "Ports", "Position", "UserData", "RTWdata", "LinkData"})
# BlockTypes that are what they are by what they hold or run, not by their name.
_HOLLOW = frozenset({"SubSystem", "Reference", "S-Function", "M-S-Function"})
# Blocks that are numbered among those of their diagram.
_NUMBERED = ("Inport", "Outport", "PMIOPort")


def as_kept(artifact: Mapping[str, Any], specs: Specs) -> dict[str, Any]:
    """The model of an artifact of a draft, its blocks linked or spelled out, without any code.

    ``specs`` gives a block of the catalog by its path. UnsafeValueError for a value that is more.
    """
    model = artifact["model"]
    paths = {block["sid"]: block["path"] for block in artifact["blocks"]}
    entries = {key: model[key] for key in ("simulink", "kind", "name")}
    settings = {
        key: _plain(key, value)
        for key, value in (model.get("settings") or {}).items()
        if key.isidentifier() and not key.endswith("Fcn")
    }
    return {**entries, "settings": settings, "system": _system(model["system"], paths, specs)}


def _system(system: Mapping[str, Any], paths: Mapping[str, str], specs: Specs) -> dict[str, Any]:
    reached = _reached(system)
    numbers = {kind: _free(system, kind) for kind in _NUMBERED}
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
    return routed(laid({"blocks": blocks, "lines": system["lines"], "annotations": notes}))


def _block(
    block: Mapping[str, Any],
    spec: BlockSpec | None,
    reached: Mapping[str, int],
    specs: Specs,
) -> dict[str, Any]:
    stated = block.get("parameters") or {}
    own = {name: _plain(name, value) for name, value in stated.items()}
    if bad := next(filter(_is_running, own), None):
        raise UnsafeValueError(f"{bad} of {block['name']!r} is no parameter of a block")
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
        entries["parameters"] = {**_differing(spec, bare), **preset, **own}
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
    """Whether files hold the block as a link into its library, not as its BlockType.

    The block that a bare BlockType stands for is written as that, even if it shows a mask.
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


def _is_running(name: str) -> bool:
    """Whether a property of this name is code, or is said in another place."""
    masking = name.startswith("Mask") and name != "MaskHideContents"
    return name in PROPERTIES and (name.endswith("Fcn") or masking or name in _ELSEWHERE)


def _mask(mask: Mapping[str, Any]) -> dict[str, Any]:
    """What a mask declares; what it runs is left out."""
    parameters = mask.get("parameters") or {}
    plain = {name: _plain(name, value) for name, value in parameters.items()}
    return {"type": mask.get("type", ""), "parameters": plain}


def _differing(spec: BlockSpec | None, bare: BlockSpec | None) -> dict[str, str]:
    """What a block of the library has otherwise than a bare one of its type.

    A default that is no whole expression says nothing: it may be cut off where it was documented.
    Subsystems of several kinds are one type, whose ``bare`` one says what it is by itself.
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
    return not text.strip() or broken(text) is not None


def _ports(
    block: Mapping[str, Any],
    spec: BlockSpec | None,
    own: Mapping[str, str],
    reached: Mapping[str, int],
) -> dict[str, int]:
    """The counts by kind as drafted, as the catalog knows them, or as lines need them."""
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


def _reached(system: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """The highest port of each kind that lines reach, by block."""
    entries: dict[str, dict[str, int]] = {}
    waiting = list(system["lines"])
    while waiting:
        part = waiting.pop()
        waiting += part.get("branches") or ()
        for end in filter(None, (part.get("from"), part.get("to"))):
            counts = entries.setdefault(end["block"], {})
            counts[end["kind"]] = max(counts.get(end["kind"], 0), end["index"])
    return entries


def _free(system: Mapping[str, Any], kind: str) -> Iterator[str]:
    """Numbers for blocks of this type that none of its diagram has, from 1 up."""
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


def _plain(name: str, value: str) -> str:
    reason = find_side_effect(value)
    if reason:
        raise UnsafeValueError(f"{name} is {value[:60]!r}: {reason}")
    return value
