"""Pictures of models: every part is drawn at its position."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from grounded_builder.domains.simulink.draw import draw
from grounded_builder.domains.simulink.draw.geometry import boxes, port
from grounded_builder.domains.simulink.read.model import open_model
from tests.support.program import run
from tests.support.simulink_files import CLASSIC, make_split_package, pack_files
from tests.support.simulink_models import block, model, system

SVG = "{http://www.w3.org/2000/svg}"


def _own() -> dict[str, Any]:
    document, _ = open_model(pack_files(make_split_package()), "servo")
    assert document is not None
    return document


def _texts(picture: str) -> list[str]:
    return ["".join(element.itertext()) for element in ET.fromstring(picture).iter(f"{SVG}text")]  # noqa: S314 - our own


def test_every_block_is_named_in_the_picture() -> None:
    """All blocks of all diagrams are drawn with their names, the parts of a name line by line."""
    texts = _texts(draw(_own()))
    for name in ("Sine", "Inner", "Scope", "End", "In", "a/b", '"c" ä', "Out"):
        assert name in texts
    assert {"servo", "servo/Inner"} <= set(texts)


def test_one_diagram_is_drawn_by_its_path() -> None:
    """A path chooses a subsystem; one that is not there is an error."""
    assert "Sine" not in _texts(draw(_own(), "Inner"))
    with pytest.raises(KeyError):
        draw(_own(), "Outer")


def test_lines_begin_and_end_at_ports() -> None:
    """The corners of a line follow the file, its ends lie at the ports."""
    document = _own()
    placed = boxes(document["system"])
    assert port(placed["1"], "out", 1) == (60, 45)
    assert port(placed["2"], "in", 1) == (110, 45)
    shown = re.findall(r'<polyline points="([^"]+)" class="signal"/>', draw(document, ""))
    assert "60,45 110,45" in shown
    assert "170,45 190,45" in shown
    assert "190,45 190,100 220,100" in shown


@pytest.mark.parametrize(
    ("way", "end"),
    [
        ({}, (60, 20)),
        ({"Orientation": "left"}, (0, 20)),
        ({"BlockRotation": "270"}, (30, 0)),
        ({"BlockMirror": "on"}, (0, 20)),
        ({"Orientation": "down"}, (30, 40)),
    ],
)
def test_a_turned_block_has_its_output_where_it_looks(
    way: dict[str, str], end: tuple[float, float]
) -> None:
    """Both spellings of a block's direction move its ports."""
    gain = block("g", "Gain") | {"position": [0, 0, 60, 40], "properties": way}
    placed = boxes(system([gain]))
    assert port(placed["g"], "out", 1) == end


def test_inputs_of_a_round_sum_lie_around_it() -> None:
    """A bar in the signs leaves a place free: the library's sum has inputs behind and below."""
    total = block("s", "Sum", Inputs="|++", IconShape="round") | {"position": [0, 0, 20, 20]}
    placed = boxes(system([total]))["s"]
    assert [tuple(map(round, port(placed, "in", n))) for n in (1, 2)] == [(0, 10), (10, 20)]


def test_hostile_names_stay_text() -> None:
    """Names and values are escaped: nothing in a model becomes markup."""
    nasty = block("g", "Gain", Gain="<script>") | {"name": '</text><script>alert("x")</script>\x00'}
    picture = draw(model([nasty]))
    assert "<script" not in picture
    ET.fromstring(picture)  # noqa: S314 - our own


def test_blocks_without_a_place_are_drawn() -> None:
    """A drafted model needs no positions."""
    blocks = [block(str(n), "Constant") for n in range(20)]
    assert {str(n) for n in range(20)} <= set(_texts(draw(model(blocks))))


def test_draw_on_the_command_line(tmp_path: Path) -> None:
    """The picture goes to a file or to standard output; a file that is no model is one line."""
    (tmp_path / "m.mdl").write_text(CLASSIC)
    (tmp_path / "no.mdl").write_text("hello")
    made = run(tmp_path, "draw", "m.mdl", "--output", "m.svg", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert (tmp_path / "m.svg").read_text("utf-8").startswith("<svg ")
    part = run(tmp_path, "draw", "m.mdl", "--system", "Inner", cwd=tmp_path)
    assert part.stdout.startswith(b"<svg ")
    for arguments in (("no.mdl",), ("gone.mdl",), ("m.mdl", "--system", "x")):
        failed = run(tmp_path, "draw", *arguments, cwd=tmp_path)
        assert failed.returncode == 2
        assert len(failed.stderr.splitlines()) == 1


@pytest.mark.parametrize("verb", ["draw", "plan"])
def test_draw_reports_fault_of_file(verb: str, tmp_path: Path) -> None:
    """The line names the fault of the file, not its corrections, and escapes control characters."""
    (tmp_path / "mended.json").write_text('{"simulink": 1, "system": NaN,}')
    (tmp_path / "bell.mdl").write_bytes(b"\x1b[31mred")
    mended = run(tmp_path, verb, "mended.json", cwd=tmp_path)
    assert b"no system" in mended.stderr
    bell = run(tmp_path, verb, "bell.mdl", cwd=tmp_path)
    assert (bell.returncode, bell.stderr.count(b"\n")) == (2, 1)
    assert b"\x1b" not in bell.stderr
    assert b"\\x1b[31mred" in bell.stderr


def test_the_picture_of_the_documentation_is_current() -> None:
    """docs/pictures holds what ``grounded draw`` makes of the example."""
    root = Path(__file__).parents[5]
    raw = (root / "examples" / "simulink" / "pi-loop.mdl").read_bytes()
    document, _ = open_model(raw, "pi-loop")
    assert document is not None
    assert (root / "docs" / "pictures" / "pi-loop.svg").read_text("utf-8") == draw(document)
