"""Determines which subsystems may hold steps, and which control blocks each kind must contain.

Facts of the library: https://www.mathworks.com/help/simulink/ports-subsystems.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec

LIBRARY = "simulink/Ports & Subsystems/"


@dataclass(frozen=True, slots=True)
class Part:
    """A block inside a subsystem that determines how the subsystem runs."""

    kind: str
    name: str
    source: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)


_ENABLE = Part("EnablePort", "Enable", LIBRARY + "Enable")
_TRIGGER = Part("TriggerPort", "Trigger", LIBRARY + "Trigger")
_CALL = Part("TriggerPort", "function", LIBRARY + "Trigger", {"TriggerType": "function-call"})
_ACTION = Part("ActionPort", "Action Port")
_RESET = Part("ResetPort", "Reset")
# The block that gives a subsystem a control port, by the kind of port.
CONTROLS: Mapping[str, Part] = {
    "enable": _ENABLE,
    "trigger": _TRIGGER,
    "ifaction": _ACTION,
    "reset": _RESET,
}
# The parts in addition to an input that leads to an output.
_PARTS: Mapping[str, tuple[Part, ...]] = {
    "Subsystem": (),
    "Atomic Subsystem": (),
    "CodeReuseSubsystem": (),
    "Enabled Subsystem": (_ENABLE,),
    "Triggered Subsystem": (_TRIGGER,),
    "Enabled and Triggered Subsystem": (_ENABLE, _TRIGGER),
    "Function-Call Subsystem": (_CALL,),
    "If Action Subsystem": (_ACTION,),
    "Switch Case Action Subsystem": (_ACTION,),
    "Resettable Subsystem": (_RESET,),
    "For Each Subsystem": (Part("ForEach", "For Each"),),
}
# The block that repeats its subsystem; the other contents in the library are not known.
_REPEATED: Mapping[str, tuple[Part, ...]] = {
    "For Iterator Subsystem": (Part("ForIterator", "For Iterator"),),
    "While Iterator Subsystem": (Part("WhileIterator", "While Iterator"),),
}
# The contents of a subsystem with one of these are stored elsewhere.
_ELSEWHERE = ("ReferencedSubsystem", "SFBlockType")


def is_plain(spec: BlockSpec | None) -> bool:
    """Returns whether a block is a subsystem that steps may be in; masks hide their contents.

    An element of a physical network is not one, with any mask.
    """
    if spec is None or spec.block_type != "SubSystem" or spec.domain == "physical":
        return False
    return spec.mask_type is None or spec.id.startswith(LIBRARY)


def parts_of(spec: BlockSpec | None) -> tuple[Part, ...]:
    """Returns the parts that a subsystem must contain in addition to its other contents."""
    name = spec.id.removeprefix(LIBRARY) if spec is not None else ""
    return _PARTS.get(name) or _REPEATED.get(name, ())


def is_filled(spec: BlockSpec | None, parameters: Mapping[str, str]) -> bool:
    """Returns whether the library contents of a subsystem are known: an input to an output."""
    if spec is None or any(parameters.get(name) not in (None, "", "NONE") for name in _ELSEWHERE):
        return False
    return spec.id.startswith(LIBRARY) and spec.id.removeprefix(LIBRARY) in _PARTS
