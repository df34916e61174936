"""Computes a node's shape in n8n's editor: its size, its port positions, its label areas.

The sizes are those of ``n8n-editor-ui`` (2.41.1): the function of the node size in
``workflows.store``, the ports and edges in ``useWorkflowDocumentRenderData``, the words in the
style sheet of the same name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from grounded_builder.domains.n8n.analysis.ports import MAIN, Port, Ports

GRID = 16
NODE, SUB_NODE = 96, 80
_TALLER = 32
_SLOT, _FIRST_SLOT, _SLOTS = 48, 40, 4
# A name has up to two lines of 20 under its node, 8 below it, and a subtitle of 21.
NAME_DEPTH = 69
_CHAR = 7
_LABEL_GAP, _LABEL_WIDTH, _INPUT_GAP, _LOWER_GAP = 20, 96, 12, 17
# The line and the plus of an output without an edge, by the longest label of the outputs.
_PLUS = 8 + 24
_LINES = ((0, 46), (6, 66))
_LONGEST_LINE = 80
# The size of a note that states none, and the greatest one that is laid out.
NOTE_WIDTH, NOTE_HEIGHT = 240, 160
_LARGEST_NOTE = 20_000


@dataclass(frozen=True, slots=True)
class Rect:
    """An area of the canvas: a node, or the words around it."""

    left: int
    top: int
    right: int
    bottom: int
    is_text: bool = False

    def move_by(self, x: int, y: int) -> Rect:
        """Returns the area moved by a distance."""
        return Rect(self.left + x, self.top + y, self.right + x, self.bottom + y, self.is_text)


@dataclass(frozen=True, slots=True)
class NodeShape:
    """The size of a node and of what the editor draws around it, from its upper left corner.

    ``words`` holds its name and the labels of its main ports, ``behind`` is the width of its
    outputs without an edge, ``slots`` the places of its inputs for sub-nodes by kind.
    """

    width: int
    height: int
    inputs: int
    outputs: int
    words: tuple[Rect, ...]
    behind: int
    slots: Mapping[str, int]

    def input_at(self, index: int) -> int:
        """Returns the height at which a main input lies."""
        return _port_at(self.height, self.inputs, index)

    def output_at(self, index: int) -> int:
        """Returns the height at which a main output lies."""
        return _port_at(self.height, self.outputs, index)

    @property
    def is_note(self) -> bool:
        """Returns whether it has neither ports nor words around it."""
        return not (self.inputs or self.outputs or self.slots or self.words)

    def areas(self) -> list[Rect]:
        """Returns what edges and other nodes must not cover."""
        return [Rect(0, 0, self.width, self.height), *self.words]


def shape_of(ports: Ports, inputs: int, linked: frozenset[int], *, serves: bool) -> NodeShape:
    """Returns the shape of a node.

    ``inputs`` is the number of main inputs that edges use, ``linked`` holds the main outputs that
    edges leave, ``serves`` tells whether the node is a sub-node.
    """
    main_inputs, main_outputs = _main(ports.inputs), _main(ports.outputs)
    lower = _others(ports.inputs)
    is_sub_node = serves or bool(_others(ports.outputs))
    taken = max(len(main_inputs), inputs)
    given = max(len(main_outputs), max(linked, default=-1) + 1)
    height = NODE + _TALLER * max(0, max(taken, given, 1) - 2)
    width = SUB_NODE if is_sub_node else NODE
    if is_sub_node:
        height = SUB_NODE
    words = [Rect(-(width // 2), height, width + width // 2, height + NAME_DEPTH, is_text=True)]
    if lower:
        # A node with inputs for sub-nodes holds its name inside.
        width = SUB_NODE + GRID * (is_sub_node + 3 * (max(_SLOTS, len(lower)) - 1))
        words = list(_lower_labels(lower, height))
    for index, port in enumerate(main_inputs):
        words += _label(port, -_INPUT_GAP, _port_at(height, taken, index), -1)
    for index, port in enumerate(main_outputs):
        words += _label(port, width + _LABEL_GAP, _port_at(height, given, index), 1)
    return NodeShape(
        width, height, taken, given, tuple(words), _behind(main_outputs, linked), _slots(lower)
    )


def shape_of_note(parameters: Mapping[str, Any]) -> NodeShape:
    """Returns the shape of a sticky note, whose size is in its parameters."""
    width = _size(parameters.get("width"), NOTE_WIDTH)
    return NodeShape(width, _size(parameters.get("height"), NOTE_HEIGHT), 0, 0, (), 0, {})


def _size(value: Any, default: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        return default
    return int(min(value, _LARGEST_NOTE))


def _label(port: Port, x: int, y: int, side: int) -> list[Rect]:
    """Returns the area of a port's label, which grows from x to the given side."""
    length = _CHAR * len(port.name)
    end = x + side * (min(_LABEL_WIDTH, length) if side > 0 else length)
    return [Rect(min(x, end), y - _CHAR, max(x, end), y + _CHAR, is_text=True)] if length else []


def _lower_labels(ports: list[Port], height: int) -> Iterator[Rect]:
    """Yields the areas of the labels under the inputs for sub-nodes."""
    slots = _slots(ports)
    for port in ports:
        x, half = slots[port.kind], _CHAR * len(port.name) // 2
        if half:
            top = height + _LOWER_GAP
            yield Rect(x - half, top, x + half, top + 2 * _CHAR, is_text=True)


def _behind(outputs: list[Port], linked: frozenset[int]) -> int:
    if all(index in linked for index in range(len(outputs))):
        return 0
    longest = max((len(port.name) for port in outputs), default=0)
    return _PLUS + next((line for most, line in _LINES if longest <= most), _LONGEST_LINE)


def _slots(ports: list[Port]) -> dict[str, int]:
    """Returns the places of inputs: required ones at the left, free slots, then the others."""
    required = [port for port in ports if port.required]
    optional = [port for port in ports if not port.required]
    free = max(0, _SLOTS - len(ports))
    slots: dict[str, int] = {}
    for index, port in enumerate(chain(required, optional)):
        slot = index + (free if index >= len(required) else 0)
        slots.setdefault(port.kind, _FIRST_SLOT + _SLOT * slot)
    return slots


def _port_at(height: int, count: int, index: int) -> int:
    return height * (index + 1) // (max(count, index + 1) + 1)


def _main(side: Mapping[str, tuple[Port, ...]] | None) -> list[Port]:
    return list((side or {}).get(MAIN, ()))


def _others(side: Mapping[str, tuple[Port, ...]] | None) -> list[Port]:
    return [port for kind, ports in (side or {}).items() if kind != MAIN for port in ports]
