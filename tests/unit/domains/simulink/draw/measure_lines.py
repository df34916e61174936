"""How the lines of drafts lie: ``python -m tests.unit.domains.simulink.draw.measure_lines
[FOLDER]``.

Over the forty drafts and thirty loops made by a seed. With FOLDER their pictures are kept there.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from typing import Any

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.draw import draw
from grounded_builder.domains.simulink.draw.geometry import Box, boxes
from grounded_builder.domains.simulink.draw.lines import draw_line
from grounded_builder.domains.simulink.read.document import ends, systems
from grounded_builder.ir.options import CompileOptions
from tests.octave.models import MODELS
from tests.support.simulink import simulink_registry

Segment = tuple[float, float, float, float]
_POLYLINE = re.compile(r'<polyline points="([^"]+)" class="(?:signal|physical)')
# A port of a round block lies within its square, and files round corners to pixels.
_WITHIN, _ROUND, _NEAR = 1.5, 0.2, 0.6


def count_bad_lines(system: Mapping[str, Any]) -> Counter[str]:
    """How many parts of lines lie badly in a diagram as it is drawn."""
    placed = boxes(system)
    nets = [_segments(line, placed) for line in system["lines"]]
    count = Counter(lines=len(nets), parts=sum(map(len, nets)))
    for net in nets:
        count["slanted"] += sum(abs(x - u) > _NEAR and abs(y - v) > _NEAR for x, y, u, v in net)
        count["through a block"] += sum(
            any(_crosses(item, box) for box in placed.values()) for item in net
        )
    ports = [_ports(line) for line in system["lines"]]
    for (items, here), (other, there) in combinations(zip(nets, ports, strict=True), 2):
        if here & there:
            continue
        for first in items:
            for second in other:
                if _lie_together(first, second):
                    count["upon another signal"] += 1
                elif _cross(first, second):
                    count["crossings"] += 1
    return count


def _ports(line: Mapping[str, Any]) -> set[tuple[str, str, int]]:
    """The ports that a line joins: physical lines that share one are of one network."""
    every = (line.get("from"), *(end for _, end in ends(line, ())))
    return {(end["block"], end["kind"], end["index"]) for end in every if end is not None}


def _segments(line: Mapping[str, Any], placed: Mapping[str, Box]) -> set[Segment]:
    entries = set()
    for shown in _POLYLINE.findall("\n".join(draw_line(line, placed))):
        points = [tuple(map(float, point.split(","))) for point in shown.split()]
        for (x, y), (u, v) in pairwise(points):
            if (x, y) != (u, v):
                entries.add((min(x, u), min(y, v), max(x, u), max(y, v)))
    return entries


def _crosses(part: Segment, box: Box) -> bool:
    margin = _WITHIN + (_ROUND * box.width if box.round else 0.0)
    left, top, right, bottom = part
    return (
        left < box.right - margin
        and right > box.left + margin
        and top < box.bottom - margin
        and bottom > box.top + margin
    )


def _lie_together(segment: Segment, other: Segment) -> bool:
    """Whether two parts share more than a point."""
    for low in (0, 1):
        across = 1 - low
        level = all(abs(part[across] - part[across + 2]) < _NEAR for part in (segment, other))
        if level and abs(segment[across] - other[across]) < 2 * _NEAR:
            return min(segment[low + 2], other[low + 2]) - max(segment[low], other[low]) > 1
    return False


def _cross(segment: Segment, other: Segment) -> bool:
    return (segment[0] < other[0] < segment[2] and other[1] < segment[1] < other[3]) or (
        other[0] < segment[0] < other[2] and segment[1] < other[1] < segment[3]
    )


def loops(number: int = 30, seed: int = 7) -> list[dict[str, Any]]:
    """Drafts of loops: chains with feedback around some of their blocks, some through a block."""
    return [_loop(Random(seed + at), at) for at in range(number)]


def _loop(random: Random, at: int) -> dict[str, Any]:
    length = random.randint(3, 9)
    steps: list[dict[str, Any]] = [{"id": "ref", "tool": "Step", "params": {}}]
    before, chain = "ref", []
    feedbacks: list[tuple[str, int]] = []
    for place in range(length):
        if random.random() < 0.4 or place == 0:
            feedbacks.append((f"sum{place}", place))
            sign = "|+-" if random.random() < 0.7 else random.choice(("+-", "|++-", "-+|"))
            steps.append(
                {"id": f"sum{place}", "tool": "Sum", "params": {"Inputs": sign}, "inputs": [before]}
            )
            before = f"sum{place}"
        tool, params = random.choice(
            (
                ("Gain", {"Gain": "2"}),
                ("Integrator", {}),
                ("Transfer Fcn", {"Denominator": "[1 2]"}),
                ("Saturation", {}),
                ("Unit Delay", {}),
            )
        )
        steps.append({"id": f"b{place}", "tool": tool, "params": params, "inputs": [before]})
        before = f"b{place}"
        chain.append(before)
    steps.append({"id": "view", "tool": "Scope", "params": {}, "inputs": [before]})
    by_id = {step["id"]: step for step in steps}
    for sum_, place in feedbacks:
        wanted = len(by_id[sum_]["params"]["Inputs"].replace("|", "")) - 1
        for _ in range(wanted):
            end = random.choice(chain[place:])
            if random.random() < 0.4:
                name = f"f{len(steps)}"
                steps.append(
                    {"id": name, "tool": "Gain", "params": {"Gain": "0.5"}, "inputs": [end]}
                )
                end = name
            by_id[sum_]["inputs"].append({"from": end, "back": True})
    if random.random() < 0.5:
        many = random.randint(2, min(4, length))
        picked = random.sample(chain, many)
        steps.append(
            {"id": "mux", "tool": "Mux", "params": {"Inputs": str(many)}, "inputs": picked}
        )
        steps.append({"id": "all", "tool": "Scope", "params": {}, "inputs": ["mux"]})
    return {"version": 1, "goal": f"loop {at}", "steps": steps}


def total(models: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """The counts of all diagrams of models."""
    whole: Counter[str] = Counter()
    for model in models:
        for _, _, system in systems(model):
            whole.update(count_bad_lines(_route(system)))
    return whole


def _route(system: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        from grounded_builder.domains.simulink.draw.routing import route_lines
    except ImportError:
        return system
    return route_lines(system)


def compile_plans(plans: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The models of drafts."""
    registry = simulink_registry()
    made = [compile_draft(plan, SIMULINK, registry, CompileOptions()) for plan in plans]
    for plan, compilation in zip(plans, made, strict=True):
        assert compilation.artifact is not None, (
            plan["goal"],
            [d.message for d in compilation.diagnostics],
        )
    return [item.artifact["model"] for item in made if item.artifact is not None]


def main(folder: Path | None) -> None:
    """Print the counts, and keep the pictures."""
    for name, plans in (("forty drafts", MODELS), ("thirty loops", loops())):
        models = compile_plans(plans)
        sys.stdout.write(f"{name}: {dict(sorted(total(models).items()))}\n")
        for at, model in enumerate(models if folder is not None else ()):
            assert folder is not None
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name.split()[0]}-{at:02}.svg").write_text(draw(model), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
