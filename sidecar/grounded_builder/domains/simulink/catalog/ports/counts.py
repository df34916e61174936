"""Counts the ports of a block by rules that derive the numbers from its parameters.

The rules are facts of Simulink's blocks, checked against the port counts that real files state.
Where a number is a variable, the ports are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.domains.simulink.catalog.ports.block_rules import RULES
from grounded_builder.domains.simulink.catalog.ports.mask_rules import MASKED
from grounded_builder.domains.simulink.catalog.ports.parameter_texts import Shape, UnknownError

_MOST = 100_000
_PHASES = "three_phase"
# The files of three-phase Simscape components with one port for each phase.
_APART = re.compile(r"\.X\w+$")


def ports_of(
    kind: str | None,
    source: str | None,
    parameters: Mapping[str, str],
    spec: BlockSpec | None = None,
) -> Shape | None:
    """Returns the ports of a block by kind, without zeros; None where they are not known.

    ``kind`` is the BlockType. Parameters that are left out have the value of the library where the
    block has a ``source`` in it, and the built-in value otherwise.
    """
    rule = (
        RULES.get(kind or "")
        if _is_plain(source, kind, spec)
        else MASKED.get(" ".join((source or "").split()))
    )
    if rule is None:
        if kind in _OPEN and _is_plain(source, kind, spec):
            return None
        return _fixed_ports(parameters, spec) if spec is not None else None

    def get(name: str, default: str) -> str:
        known = spec.value(name, parameters) if spec is not None else parameters.get(name)
        return default if known is None else known

    try:
        shape = rule(get)
    except UnknownError:
        return None
    if any(number > _MOST for number in shape.values()):
        return None
    return {port: number for port, number in shape.items() if number}


def usual_ports_of(
    kind: str | None,
    source: str | None,
    parameters: Mapping[str, str],
    spec: BlockSpec | None = None,
) -> Shape | None:
    """Returns the ports of a block, or the most frequent ones; None where both are unknown."""
    known = ports_of(kind, source, parameters, spec)
    return dict(spec.usual) if known is None and spec is not None and spec.usual else known


def _fixed_ports(parameters: Mapping[str, str], spec: BlockSpec) -> Shape | None:
    """Returns the fixed ports of a block; expanded three-phase ports count as three."""
    component = parameters.get("ComponentPath") or parameters.get("SourceFile") or ""
    apart = _APART.search(component) or "expanded" in parameters.get("port_option", "")
    if apart and any(connection.domain == _PHASES for connection in spec.physical):
        shape: Shape = {}
        for connection in spec.physical:
            shape[connection.kind] = shape.get(connection.kind, 0) + (
                3 if connection.domain == _PHASES else 1
            )
        return shape
    return dict(spec.ports) if spec.ports is not None else None


def _is_plain(source: str | None, kind: str | None, spec: BlockSpec | None) -> bool:
    """Returns whether a block is a bare BlockType, not a mask over other blocks."""
    if kind in (None, "SubSystem", "Reference", "S-Function", "M-S-Function"):
        return kind in _OPEN and not source
    return source is None or spec is None or spec.mask_type is None or spec.block_type == kind


# Blocks whose ports follow from their inside or from another file.
_OPEN = frozenset(
    """
    SubSystem ModelReference S-Function M-S-Function MATLABSystem Reference SimscapeBlock
    SimscapeComponentBlock SimscapeBus SimscapeProbe FunctionCaller CCaller CFunction
    VariantSource VariantSink Record Playback PMIOPort BusAssignment WhileIterator ForIterator
    ArgIn ArgOut ConnectionLabel TwoWayConnection
    """.split()
)
