"""Places the blocks of a diagram: signals run from left to right, and feedback is below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx

from grounded_builder.domains.simulink.draw.geometry import Box, boxes, outward, port
from grounded_builder.domains.simulink.draw.layout.columns import Flow, flow_of
from grounded_builder.domains.simulink.draw.layout.feedback_blocks import below, chains
from grounded_builder.domains.simulink.draw.layout.links import Link, links_of
from grounded_builder.domains.simulink.draw.layout.rows import Joint, tops
from grounded_builder.domains.simulink.draw.names import LINE, name_lines, name_rectangle
from grounded_builder.domains.simulink.read.document import PHYSICAL, ends

_LEFT, _TOP = 40.0, 40.0
# The gap between columns, the additional gap for each line that turns there, and between rows.
_CHANNEL, _TRACK, _FEW, _WIDEST = 60.0, 10.0, 3, 120.0
_GAP = 25.0
_WIDTH, _HEIGHT, _PORT = 50, 40, 20
_LONGEST_NAME = 130.0
_APART, _ABREAST = 30.0, 8
_SLIM = frozenset({"Mux", "Demux", "BusCreator", "BusSelector"})
_ROUND = frozenset({"Sum"})
_PORTS = frozenset({"Inport", "Outport", "PMIOPort"})


def place_blocks(
    blocks: Sequence[Mapping[str, Any]],
    lines: Sequence[Mapping[str, Any]],
    declared_loops: frozenset[tuple[str, str]] = frozenset(),
) -> list[dict[str, Any]]:
    """Returns the blocks of a diagram with positions; feedback blocks point left.

    A round block whose lower port is in use has its name above. ``declared_loops`` are the pairs of
    blocks whose lines are declared to close a loop.
    """
    links = links_of(lines)
    sized = _add_sizes(blocks, lines)
    flow = _flow(blocks, links, declared_loops)
    backwards = _backwards(links, flow)
    turned = [_turn_block(block, backwards) for block in sized]
    shapes = boxes({"blocks": turned, "lines": lines})
    turned = [_place_name(block, shapes[block["sid"]], links) for block in turned]
    places = _places(turned, links, shapes, flow)
    for block in turned:
        left, top = places[block["sid"]]
        shape = shapes[block["sid"]]
        block["position"] = [left, top, left + shape.width, top + shape.height]
    return turned


def lay_out(system: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a diagram with positions for its blocks, if none of them has one."""
    if any(block.get("position") for block in system["blocks"]):
        return system
    return {**system, "blocks": place_blocks(system["blocks"], _list_inner_lines(system))}


def _list_inner_lines(system: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns the lines whose ends are all at blocks of the diagram."""
    here = {block["sid"] for block in system["blocks"]}
    return [
        line
        for line in system["lines"]
        if all(
            end is None or end["block"] in here
            for end in (line.get("from"), *(end for _, end in ends(line, ())))
        )
    ]


def _add_sizes(
    blocks: Sequence[Mapping[str, Any]], lines: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    shapes = boxes({"blocks": blocks, "lines": lines})
    made = []
    for block in blocks:
        counts = shapes[block["sid"]].counts
        left = counts.get("in", 0) + counts.get("lconn", 0)
        right = counts.get("out", 0) + counts.get("rconn", 0)
        width, height = _size(block["type"], max(left, right, 1))
        made.append({**block, "position": [0.0, 0.0, float(width), float(height)]})
    return made


def _size(kind: str, ports: int) -> tuple[int, int]:
    if kind in _SLIM:
        return 5, max(_HEIGHT, _PORT * ports)
    if kind in _ROUND:
        side = 20 if ports < 4 else 10 * ports
        return side, side
    if kind in _PORTS:
        return 30, 14
    return _WIDTH, max(_HEIGHT, _PORT * ports)


def _flow(
    blocks: Sequence[Mapping[str, Any]],
    links: Sequence[Link],
    declared_loops: frozenset[tuple[str, str]],
) -> Flow:
    fixed = {
        end["block"]
        for link in links
        for end in (link.start, link.end)
        if end["kind"] in PHYSICAL or end["kind"] not in ("in", "out")
    }
    return flow_of(
        [block["sid"] for block in blocks],
        ((link.start["block"], link.end["block"]) for link in links),
        declared_loops,
        frozenset(fixed),
        frozenset(block["sid"] for block in blocks if block["type"] == "Inport"),
    )


def _backwards(links: Sequence[Link], flow: Flow) -> frozenset[str]:
    """Returns the blocks that point left: feedback, and physical blocks connected at the back."""
    sides: dict[str, set[tuple[str, bool]]] = {}
    for link in links:
        for item, other in ((link.start, link.end), (link.end, link.start)):
            ahead = flow.columns[other["block"]] > flow.columns[item["block"]]
            sides.setdefault(item["block"], set()).add((item["kind"], ahead))
    wrong = {
        sid for sid, there in sides.items() if there in ({("lconn", True)}, {("rconn", False)})
    }
    return frozenset({*flow.returning, *wrong})


def _turn_block(block: dict[str, Any], backwards: frozenset[str]) -> dict[str, Any]:
    if block["sid"] not in backwards:
        return block
    return {**block, "properties": {**(block.get("properties") or {}), "Orientation": "left"}}


def _place_name(block: dict[str, Any], box: Box, links: Sequence[Link]) -> dict[str, Any]:
    if not box.round:
        return block
    sides = {
        outward(box, end["kind"], end["index"])[1]
        for link in links
        for end in (link.start, link.end)
        if end["block"] == block["sid"]
    }
    if not any(side > 0.5 for side in sides) or any(side < -0.5 for side in sides):
        return block
    return {
        **block,
        "properties": {**(block.get("properties") or {}), "NamePlacement": "alternate"},
    }


def _places(
    blocks: Sequence[Mapping[str, Any]],
    links: Sequence[Link],
    shapes: Mapping[str, Box],
    flow: Flow,
) -> dict[str, tuple[float, float]]:
    order = {block["sid"]: at for at, block in enumerate(blocks)}
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(order)
    graph.add_edges_from((link.start["block"], link.end["block"]) for link in links)
    parts = [sorted(part, key=order.__getitem__) for part in nx.connected_components(graph)]
    parts.sort(key=lambda part: order[part[0]])
    room = {block["sid"]: _room(block, shapes[block["sid"]]) for block in blocks}
    lefts = _lefts(blocks, links, shapes, flow)
    by_part: dict[str, int] = {sid: at for at, part in enumerate(parts) for sid in part}
    joints: dict[int, list[Joint]] = {}
    for link in links:
        joint = _joint(link, shapes, flow)
        if joint is not None:
            joints.setdefault(by_part[joint.start], []).append(joint)
    entries: dict[str, tuple[float, float]] = {}
    top = _TOP
    alone = [part[0] for part in parts if len(part) == 1]
    for at, sid in enumerate(alone):
        row, column = divmod(at, _ABREAST)
        left = _LEFT + column * (_WIDTH + _CHANNEL + _APART)
        entries[sid] = (left, top + row * (_HEIGHT + _GAP + _APART))
    if alone:
        rows = -(-len(alone) // _ABREAST)
        top += (rows - 1) * (_HEIGHT + _GAP + _APART) + max(map(room.__getitem__, alone)) + _APART
    for number, part in enumerate(parts):
        if len(part) == 1:
            continue
        ahead = [sid for sid in part if sid not in flow.returning]
        back = [sid for sid in part if sid in flow.returning]
        columns: list[list[str]] = [[] for _ in range(max(flow.columns[s] for s in ahead) + 1)]
        for sid in ahead:
            columns[flow.columns[sid]].append(sid)
        high = tops(columns, room, joints.get(number, []))
        high |= below(chains(back, links, shapes, flow), links, flow, room, high)
        for sid in part:
            column = flow.columns[sid]
            left, width = lefts[column]
            shift = round((width - shapes[sid].width) / 2)
            entries[sid] = (left + shift, top + high[sid])
        top += max(high[sid] + room[sid] for sid in part) + _APART
    return entries


def _room(block: Mapping[str, Any], box: Box) -> float:
    """Returns the height of a block with its name and the free space below."""
    return box.height + LINE * max(len(name_lines(block)), 1) + _GAP + 4


def _joint(link: Link, shapes: Mapping[str, Box], flow: Flow) -> Joint | None:
    """Returns a forward line between columns, with the heights at which it should be straight."""
    start, end = link.start["block"], link.end["block"]
    if (start, end) in flow.closing or start == end:
        return None
    if start in flow.returning or end in flow.returning:
        return None
    if flow.columns[start] >= flow.columns[end]:
        return None
    box, other = shapes[start], shapes[end]
    leaves = port(box, link.start["kind"], link.start["index"])[1]
    arrives = port(other, link.end["kind"], link.end["index"])[1]
    down = outward(other, link.end["kind"], link.end["index"])[1]
    weak = abs(down) > 0.8
    if weak:
        arrives += 30.0 if down > 0 else -30.0
    return Joint(start, leaves, end, arrives, weak)


def _lefts(
    blocks: Sequence[Mapping[str, Any]],
    links: Sequence[Link],
    shapes: Mapping[str, Box],
    flow: Flow,
) -> list[tuple[float, float]]:
    """Returns the position and width of each column; lines need space to turn between columns."""
    count = max(flow.columns.values(), default=0) + 1
    widths = [0.0] * count
    for block in blocks:
        box = shapes[block["sid"]]
        wide = box.width
        if lines := name_lines(block):
            left, _, right, _ = name_rectangle(block, box, lines)
            wide = max(wide, min(right - left, _LONGEST_NAME))
        column = flow.columns[block["sid"]]
        widths[column] = max(widths[column], float(round(wide / 10) * 10))
    turning = [set[tuple[str, str, int]]() for _ in range(count)]
    for link in links:
        start = link.start
        turning[flow.columns[start["block"]]].add((start["block"], start["kind"], start["index"]))
    results = []
    left = _LEFT
    for width, nets in zip(widths, turning, strict=True):
        results.append((left, width))
        left += width + _CHANNEL + min(max(len(nets) - _FEW, 0) * _TRACK, _WIDEST)
    return results
