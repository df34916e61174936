"""Traces signals to their source blocks, across subsystem borders and Goto and From tags."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.domains.simulink.analysis.model_view import BlockView, ModelView, Net
from grounded_builder.domains.simulink.analysis.port_counts import number
from grounded_builder.domains.simulink.analysis.tags import Tags

# An output of a block, by its index from 1.
Output = tuple[BlockView, int]
_FAR = 10_000


class Flow:
    """The signals of a model as if it had no subsystems."""

    def __init__(self, view: ModelView) -> None:
        self.view = view
        self.tags = Tags(view)
        self._into: dict[tuple[int, str, int], tuple[Net, BlockView | None]] = {}
        self._origins: dict[tuple[int, str, int], Output | None] = {}
        self._carried: dict[tuple[int, int], Output | None] = {}
        self._ports: dict[tuple[int, str, str], BlockView] = {}
        for diagram in view.diagrams:
            for kind in ("Inport", "Outport"):
                for item in diagram.of(kind):
                    self._ports.setdefault((id(diagram), kind, number(item)), item)
            for net in diagram.nets:
                if net.physical or net.start is None:
                    continue
                for arrival in net.arrivals:
                    if arrival.end is not None and arrival.item is not None:
                        key = (id(arrival.item), arrival.end["kind"], arrival.end["index"])
                        self._into.setdefault(key, (net, net.source))

    def line_into(self, item: BlockView, index: int) -> Net | None:
        """Returns the line that ends at an input."""
        results = self._into.get((id(item), "in", index))
        return results[0] if results is not None else None

    def before(self, item: BlockView, index: int, kind: str = "in") -> Output | None:
        """Returns the output from which a line leads to an input in the same diagram.

        State ports are left out: they carry the state of the previous step.
        """
        results = self._into.get((id(item), kind, index))
        if results is None or results[1] is None or results[0].start is None:
            return None
        return (
            (results[1], results[0].start["index"]) if results[0].start["kind"] == "out" else None
        )

    def origin(self, item: BlockView, index: int, kind: str = "in") -> Output | None:
        """Returns the output that produces the signal at an input; None where that is not known.

        Plain subsystems, their ports and tags are passed through.
        """
        key = (id(item), kind, index)
        if key not in self._origins:
            self._origins[key] = self._way(item, index, kind, [])
        return self._origins[key]

    def find_carrier(self, item: BlockView, index: int) -> Output | None:
        """Returns the output that produces the signal at an input with the same dimensions.

        Subsystems that run once for each part of a signal are not passed through.
        """
        key = (id(item), index)
        if key not in self._carried:
            self._carried[key] = self._way(item, index, "in", [], parts=False)
        return self._carried[key]

    def way(self, item: BlockView, index: int, kind: str = "in") -> tuple[Output | None, list[Net]]:
        """Returns the origin of the signal at an input and the lines on the way, nearest first."""
        nets: list[Net] = []
        return self._way(item, index, kind, nets), nets

    def across(self, item: BlockView, index: int, kind: str = "in") -> Output | None:
        """Returns the output that leads to an input across subsystem borders, not through tags."""
        return self._way(item, index, kind, [], tags=False)

    def _way(
        self,
        item: BlockView,
        index: int,
        kind: str,
        nets: list[Net],
        *,
        tags: bool = True,
        parts: bool = True,
    ) -> Output | None:
        output = self._step(item, index, kind, nets)
        for _ in range(_FAR):
            if output is None:
                return None
            source, port = output
            if source.block.get("element") is not None:
                return None  # an element of a bus, not the signal itself
            if source.type == "Inport" and source.diagram.owner is not None:
                owner = source.diagram.owner
                place = number(source)
                if not source.diagram.judged or not place.isdigit():
                    return None
                if not parts and source.diagram.of(*_PARTING):
                    return None
                output = self._step(owner, int(place), "in", nets)
            elif source.type == "InportShadow":
                main = self._ports.get((id(source.diagram), "Inport", number(source)))
                if main is None or main.diagram.owner is None:
                    return output
                output = (main, 1)
            elif source.type == "From" and tags:
                goto = self.tags.goto_of(source)
                output = self._step(goto, 1, "in", nets) if goto is not None else None
            elif source.inner is not None and source.inner.judged:
                inside = self._ports.get((id(source.inner), "Outport", str(port)))
                if inside is None or inside.block.get("element") is not None:
                    return None
                if not parts and source.inner.of(*_PARTING):
                    return None
                output = self._step(inside, 1, "in", nets)
            else:
                return output
        return None

    def _step(self, item: BlockView, index: int, kind: str, nets: list[Net]) -> Output | None:
        """Returns the output at the other end of a line, and adds the line to the way."""
        output = self.before(item, index, kind)
        if output is not None:
            nets.append(self._into[id(item), kind, index][0])
        return output

    def blocks(self) -> Iterator[BlockView]:
        """Yields the blocks that produce or consume signals, without subsystems, ports and tags."""
        for diagram in self.view.checked_diagrams():
            for item in diagram.items:
                if item.type not in _PASSED and (item.inner is None or not item.inner.judged):
                    yield item


# A diagram with one of these splits its inputs into parts and concatenates its outputs.
_PARTING = ("ForEach", "Neighborhood")
_PASSED = frozenset({"From", "Goto", "InportShadow"})
