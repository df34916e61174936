"""Propagates signal properties forward until nothing more becomes known."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grounded_builder.domains.simulink.analysis.bus_signals import find_selected_outputs
from grounded_builder.domains.simulink.analysis.model_view import BlockView
from grounded_builder.domains.simulink.analysis.port_counts import count_ports
from grounded_builder.domains.simulink.analysis.propagation import rates, routing, sizes, types
from grounded_builder.domains.simulink.analysis.propagation.mask_overrides import MaskOverrides
from grounded_builder.domains.simulink.analysis.propagation.signal import (
    UNKNOWN,
    Rate,
    Shape,
    Signal,
)
from grounded_builder.domains.simulink.analysis.signal_sources import Flow, Output

_LOGICAL = {"on": "boolean", "off": "double"}
_LOCAL = ("UseLocalSettings", "Off", "ForceOff", "off")


@dataclass(frozen=True, slots=True)
class Signals:
    """The known properties of outputs, and the outputs that feed the inputs of each block."""

    known: Mapping[Output, Signal]
    sources: Mapping[BlockView, Sequence[Output | None]]

    def into(self, item: BlockView) -> list[Signal]:
        """Returns the signals at the inputs of a block, in the order of the inputs."""
        return [self.of(source) for source in self.sources.get(item, ())]

    def of(self, source: Output | None) -> Signal:
        """Returns the known properties of an output."""
        return self.known.get(source, UNKNOWN) if source is not None else UNKNOWN


def propagate_signals(flow: Flow) -> Signals:
    """Returns the properties of all signals that blocks and parameters prove.

    Blocks are evaluated after those that feed them, and blocks in loops until nothing changes. A
    property is unknown first and never changes once it is known, so that the order makes no
    difference and each block is evaluated a few times at most.
    """
    spread = _Propagation(flow)
    return Signals(spread.run(), spread.sources)


class _Propagation:
    """Evaluates the blocks of a model and stores the signals known so far."""

    def __init__(self, flow: Flow) -> None:
        model = flow.view.model
        settings: Mapping[str, str] = model.get("settings", {})
        self.logical = _LOGICAL.get(settings.get("BooleanDataType", ""))
        self.overridden = _has_type_overrides(flow)
        self.free = rates.free_diagrams(flow.view)
        self.sources: dict[BlockView, list[Output | None]] = {}
        self.readers: dict[BlockView, list[BlockView]] = {}
        self.missing: dict[BlockView, int] = {}
        self.signals: dict[Output, Signal] = {}
        rewriting = MaskOverrides(flow.view)
        for item in flow.blocks():
            if not item.active or item.opaque is not None or rewriting.may_set(item):
                continue
            feeding = [
                source if source is not None and source[0].active else None
                for source in _list_sources(item, flow)
            ]
            self.sources[item] = feeding
            behind = {source[0]: None for source in feeding if source is not None}
            self.missing[item] = len(behind)
            for block_view in behind:
                self.readers.setdefault(block_view, []).append(item)

    def run(self) -> Mapping[Output, Signal]:
        """Evaluates every block, then the blocks of loops again until nothing changes."""
        ready = deque(item for item, count in self.missing.items() if not count)
        taken: dict[BlockView, None] = {}
        foreign = [item for item in self.readers if item not in self.sources]
        ready.extend(foreign)  # nothing is known of their signals
        while ready:
            item = ready.popleft()
            taken[item] = None
            self._take(item)
            for reader in self.readers.get(item, ()):
                self.missing[reader] -= 1
                if not self.missing[reader]:
                    ready.append(reader)
        circling = deque(item for item in self.sources if item not in taken)
        waiting = dict.fromkeys(circling)
        while circling:
            item = circling.popleft()
            waiting.pop(item, None)
            if self._take(item):
                for reader in self.readers.get(item, ()):
                    if reader not in waiting:
                        waiting[reader] = None
                        circling.append(reader)
        return self.signals

    def _take(self, item: BlockView) -> bool:
        """Computes the outputs of a block; returns whether more is known than before."""
        if item not in self.sources:
            return False
        inputs = [
            self.signals.get(source, UNKNOWN) if source is not None else UNKNOWN
            for source in self.sources[item]
        ]
        changed = False
        for index, made in enumerate(self._output_signals(item, inputs), 1):
            before = self.signals.get((item, index), UNKNOWN)
            after = before.fill_unknown(made)
            if after != before:
                self.signals[item, index] = after
                changed = True
        return changed

    def _output_signals(self, item: BlockView, inputs: list[Signal]) -> list[Signal]:
        if item.type == "BusSelector":
            return inputs  # each is the selected bus element
        rule = sizes.RULES.get(item.type)
        shapes: routing.Shapes = rule(item, [input_.shape for input_ in inputs]) if rule else ()
        type_ = types.type_of(item, [input_.type for input_ in inputs], logical=self.logical)
        if self.overridden and type_ != "boolean":
            type_ = None
        free = self.free.get(id(item.diagram), False)
        rate: Rate | None = rates.rate_of(item, [input_.rate for input_ in inputs], free=free)
        count = max(len(shapes), _outputs(item))
        filled: list[Shape | None] = [*shapes, *[None] * (count - len(shapes))]
        return [Signal(entry, type_, rate) for entry in filled]


def _list_sources(item: BlockView, flow: Flow) -> list[Output | None]:
    if item.type == "BusSelector":
        return find_selected_outputs(item, flow)
    return [flow.find_carrier(item, index) for index in range(1, _inputs(item) + 1)]


def _inputs(item: BlockView) -> int:
    return (count_ports(item) or {}).get("in", 0)


def _outputs(item: BlockView) -> int:
    return (count_ports(item) or {}).get("out", 0)


def _has_type_overrides(flow: Flow) -> bool:
    """Returns whether the model or a subsystem may override the data types of its blocks.

    Logical signals keep their type (documentation of data type override).
    """
    settings: Mapping[str, str] = flow.view.model.get("settings", {})
    if settings.get("DataTypeOverride", "UseLocalSettings") not in _LOCAL:
        return True
    return any(
        item.given.get("DataTypeOverride", "UseLocalSettings") not in _LOCAL
        for diagram in flow.view.diagrams
        for item in diagram.of("SubSystem")
    )
