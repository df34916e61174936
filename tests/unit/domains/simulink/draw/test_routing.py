"""The ways of lines that state none, and the places of blocks that have none."""

from __future__ import annotations

import hashlib
import math
import os
import re
import subprocess
import sys
import time
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.simulink.build.slx.verify import write_checked_package
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.draw import draw
from grounded_builder.domains.simulink.draw.geometry import boxes, port
from grounded_builder.domains.simulink.draw.layout import place_blocks
from grounded_builder.domains.simulink.draw.routing import route_lines
from grounded_builder.domains.simulink.read.document import ends, systems
from grounded_builder.domains.simulink.read.model import open_model
from grounded_builder.ir.options import CompileOptions
from tests.octave.models import MODELS, steps
from tests.support.simulink import simulink_registry
from tests.support.simulink_models import block
from tests.support.time_bounds import limit_cpu_time
from tests.unit.domains.simulink.draw.measure_lines import compile_plans, loops, total

LOOP = steps(
    "loop",
    ("r", "Step"),
    ("s", "Sum", {"Inputs": "|+-"}, ["r", {"from": "p", "back": True}]),
    ("c", "PID Controller", {}, ["s"]),
    ("p", "Transfer Fcn", {}, ["c"]),
    ("v", "Scope", {}, ["p"]),
)
_SHOWN = re.compile(r'<polyline points="[^"]+" class="(?:signal|physical)"/>')


def _line(start: str, *targets: tuple[str, int]) -> dict[str, Any]:
    arrivals = [{"to": {"block": item, "kind": "in", "index": index}} for item, index in targets]
    line: dict[str, Any] = {"from": {"block": start, "kind": "out", "index": 1}}
    return line | (arrivals[0] if len(arrivals) == 1 else {"branches": arrivals})


def _system(blocks: list[dict[str, Any]], lines: list[dict[str, Any]]) -> dict[str, Any]:
    return {"blocks": blocks, "lines": lines}


def _at(sid: str, left: float, top: float, kind: str = "Gain") -> dict[str, Any]:
    return block(sid, kind) | {"position": [left, top, left + 40, top + 40]}


def _corners(line: dict[str, Any], start: tuple[float, float]) -> list[tuple[float, float]]:
    results = [start]
    for dx, dy in line.get("points", ()):
        results.append((results[-1][0] + dx, results[-1][1] + dy))
    return results


def test_lines_go_around_blocks_and_beside_each_other() -> None:
    """In forty drafts and thirty loops no line crosses a block, is slanted or covers another."""
    for plans in (MODELS, loops()):
        count = total(compile_plans(plans))
        assert count["lines"] > 100
        assert count["through a block"] == 0
        assert count["slanted"] == 0
        assert count["upon another signal"] == 0


def test_feedback_line_runs_below_and_enters_from_below() -> None:
    """The feedback signal runs below the blocks that it passes and enters the sum from below."""
    model = compile_plans([LOOP])[0]
    shown = route_lines(model["system"])
    by_name = {item["name"]: item for item in shown["blocks"]}
    shapes = boxes(shown)
    plant, total_ = by_name["Transfer Fcn"]["sid"], by_name["Sum"]["sid"]
    line = next(item for item in shown["lines"] if item["from"]["block"] == plant)
    trunk = _corners(line, port(shapes[plant], "out", 1))
    back = next(branch for branch in line["branches"] if branch["to"]["block"] == total_)
    corners = _corners(back, trunk[-1])
    arrives = port(shapes[total_], "in", 2)
    assert corners[-1][0] == arrives[0]
    assert corners[-1][1] > max(item["position"][3] for item in by_name.values())
    assert arrives[1] == shapes[total_].bottom


def test_a_signal_forks_from_one_trunk() -> None:
    """Branches to ports above each other share the way to the last fork."""
    there = [("a", 0.0), ("b", 100.0), ("c", 200.0)]
    blocks = [_at("s", 0, 100), *(_at(sid, 200, top) for sid, top in there)]
    line = route_lines(_system(blocks, [_line("s", *((sid, 1) for sid, _ in there))]))["lines"][0]
    assert len(line["points"]) == 1
    assert len(line["branches"]) == 3
    assert sum(bool(branch.get("points")) for branch in line["branches"]) == 2


def test_corners_are_whole_pixels_at_right_angles() -> None:
    """Every step is level or upright, the last one straight before the port."""
    for model in compile_plans(loops(6)):
        shown = route_lines(model["system"])
        shapes = boxes(shown)
        for line in shown["lines"]:
            end = line["from"]
            waiting = [(line, port(shapes[end["block"]], end["kind"], end["index"]))]
            while waiting:
                part, start = waiting.pop()
                corners = _corners(part, start)
                for item, other in pairwise(corners):
                    assert 0.0 in (item[0] - other[0], item[1] - other[1])
                    assert item != other
                assert all(step == round(step) for dot in part.get("points", ()) for step in dot)
                if "to" in part:
                    to = part["to"]
                    arrives = port(shapes[to["block"]], to["kind"], to["index"])
                    off = [abs(a - b) for a, b in zip(corners[-1], arrives, strict=True)]
                    assert min(off) < 1
                waiting += [(branch, corners[-1]) for branch in part.get("branches", ())]


def test_line_with_corners_is_unchanged() -> None:
    """Lines with a corner, without an end, or to a missing block stay unchanged."""
    blocks = [_at("a", 0, 0), _at("b", 200, 100)]
    stated = _line("a", ("b", 1)) | {"points": [[30, 0], [0, 100]]}
    loose = {"from": {"block": "a", "kind": "out", "index": 1}}
    line = _line("a", ("x", 1))
    assert route_lines(_system(blocks, [stated, loose, line]))["lines"] == [stated, loose, line]


def test_names_of_lines_and_branches_stay() -> None:
    """Other properties of a line and of the end of a branch are preserved."""
    blocks = [_at("s", 0, 0), _at("a", 200, 0), _at("b", 200, 100)]
    line = _line("s", ("a", 1), ("b", 1)) | {"name": "u"}
    line["branches"][1]["name"] = "v"
    made = route_lines(_system(blocks, [line]))["lines"][0]
    assert made["name"] == "u"
    assert [branch.get("name") for branch in made["branches"]] == [None, "v"]


@pytest.mark.parametrize("far", [math.inf, math.nan, -1e300, 1e12])
def test_places_that_are_none_are_borne(far: float) -> None:
    """A diagram that reaches beyond any sheet keeps its lines without ways, at once."""
    blocks = [_at("a", 0, 0), _at("b", far, 0)]
    lines = [_line("a", ("b", 1))]
    assert route_lines(_system(blocks, lines))["lines"] == lines


def test_vast_blocks_are_borne() -> None:
    """A block as large as a sheet can be costs no more than another."""
    blocks = [_at("a", 0, 0), _at("b", 900_000, 0)]
    blocks.append(block("c", "Gain") | {"position": [100, -900_000, 800_000, 900_000]})
    started = time.perf_counter()
    route_lines(_system(blocks, [_line("a", ("b", 1)), _line("c", ("a", 1))]))
    assert time.perf_counter() - started < 5


def test_the_main_way_is_straight() -> None:
    """All lines from the reference to the scope of a loop run at one height."""
    shapes = boxes(compile_plans([LOOP])[0]["system"])
    heights = {port(shape, "out", 1)[1] for shape in shapes.values() if shape.counts.get("out")}
    assert len(heights) == 1


def test_a_block_on_the_way_back_looks_left_and_stands_below() -> None:
    """A sensor between the output and the sum is turned, and lies under the forward path."""
    plan = steps(
        "sensor",
        ("r", "Step"),
        ("s", "Sum", {"Inputs": "|+-"}, ["r", {"from": "h", "back": True}]),
        ("p", "Transfer Fcn", {}, ["s"]),
        ("h", "Gain", {}, ["p"]),
        ("v", "Scope", {}, ["p"]),
    )
    by_name = {item["name"]: item for item in compile_plans([plan])[0]["system"]["blocks"]}
    assert by_name["Gain"]["properties"]["Orientation"] == "left"
    assert by_name["Gain"]["position"][1] > by_name["Transfer Fcn"]["position"][3]
    assert "Orientation" not in by_name["Transfer Fcn"].get("properties", {})


def test_blocks_do_not_overlap() -> None:
    """The blocks of drafts have room to themselves."""
    for model in compile_plans([*MODELS, *loops()]):
        for _, _, inner in systems(model):
            for box, other in combinations(boxes(inner).values(), 2):
                beside = box.right <= other.left or other.right <= box.left
                assert beside or box.bottom <= other.top or other.bottom <= box.top


def test_the_file_of_a_draft_shows_what_its_picture_shows() -> None:
    """A draft's file, read and drawn, has the lines of the draft's picture."""
    registry = simulink_registry()
    for plan in (LOOP, MODELS[1]):
        artifact = compile_draft(plan, SIMULINK, registry, CompileOptions()).artifact
        assert artifact is not None
        package = write_checked_package(artifact, "x.slx", SIMULINK, registry, CompileOptions())
        again, _ = open_model(package.raw, artifact["model"]["name"])
        assert again is not None
        drawn = draw(artifact["model"])
        assert _SHOWN.findall(drawn)
        assert sorted(_SHOWN.findall(draw(again))) == sorted(_SHOWN.findall(drawn))


def test_a_draft_without_places_gets_some() -> None:
    """Blocks of a document that says nothing of places are set along their signals."""
    blocks = [block(str(n), "Gain") for n in range(4)]
    shown = place_blocks(blocks, [_line(str(n), (str(n + 1), 1)) for n in range(3)])
    lefts = [item["position"][0] for item in shown]
    assert lefts == sorted(lefts)
    assert len(set(lefts)) == 4


def test_large_diagrams_are_routed_in_bounded_time() -> None:
    """Two thousand blocks with loops, and a signal to hundreds of inputs, take seconds."""
    count = 2_000
    blocks = [
        block(str(n), "Sum", Inputs="|+-", IconShape="round")
        if n % 5 == 0
        else block(str(n), "Gain")
        for n in range(count)
    ]
    lines = [
        _line(str(n), (str(n + 1), 1), *([(str(n - 4), 2)] if n % 5 == 4 else []))
        for n in range(count - 1)
    ]
    with limit_cpu_time(30):
        shown = route_lines({"blocks": place_blocks(blocks, lines), "lines": lines})
    assert sum(1 for line in shown["lines"] for _ in ends(line, ())) == count - 1 + count // 5 - 1
    many = [block(str(n), "Gain") for n in range(300)]
    star = [_line("0", *((str(n), 1) for n in range(1, 300)))]
    with limit_cpu_time(30):
        value = route_lines({"blocks": place_blocks(many, star), "lines": star})["lines"][0]
    assert len([end for _, end in ends(value, ()) if end is not None]) == 299


@pytest.mark.long
def test_the_same_draft_gives_the_same_bytes() -> None:
    """Picture and file do not depend on how a process hashes texts."""
    code = (
        "import hashlib\n"
        "from tests.unit.domains.simulink.draw.test_routing import fingerprint\n"
        "print(fingerprint())\n"
    )
    root = Path(__file__).parents[5]
    results = {fingerprint()}
    for seed in ("1", "2"):
        environment = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        made = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            cwd=root,
            env=environment,
            text=True,
        )
        results.add(made.stdout.strip())
    assert len(results) == 1


def fingerprint() -> str:
    """The hash of pictures and files of some drafts."""
    registry = simulink_registry()
    whole = hashlib.sha256()
    for plan in (LOOP, MODELS[1], MODELS[34], *loops(4)):
        artifact = compile_draft(plan, SIMULINK, registry, CompileOptions()).artifact
        assert artifact is not None
        whole.update(draw(artifact["model"]).encode())
        whole.update(
            write_checked_package(artifact, "x.slx", SIMULINK, registry, CompileOptions()).raw
        )
    return whole.hexdigest()
