"""A written ``.slx`` file is read back as the same model."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.domains.simulink.build.slx.element import UnwritableError
from grounded_builder.domains.simulink.build.slx.package import package_of
from grounded_builder.domains.simulink.read.document import SHAPE
from grounded_builder.domains.simulink.read.model import open_model
from tests.support.simulink_files import (
    CLASSIC,
    make_single_file_package,
    make_split_package,
    pack_as_text,
    pack_files,
)
from tests.unit.domains.simulink.build.slx.compare_models import differences

REAL = Path(__file__).parents[7] / "shared" / "data" / "simulink" / "models_dev"


def _model(*blocks: dict[str, Any], lines: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    system = {"blocks": list(blocks), "lines": list(lines)}
    return {"simulink": SHAPE, "kind": "model", "name": "m", "system": system}


def _again(model: dict[str, Any]) -> dict[str, Any]:
    again, diagnostics = open_model(package_of(model).raw, model["name"])
    assert again is not None
    assert not diagnostics
    return again


def _port(block: str, kind: str, index: int = 1) -> dict[str, Any]:
    return {"block": block, "kind": kind, "index": index}


@pytest.mark.parametrize(
    "raw",
    [
        pack_files(make_single_file_package()),
        pack_files(make_split_package()),
        pack_as_text(make_split_package()),
        CLASSIC.encode(),
    ],
    ids=["one file", "a file each", "text package", "classic"],
)
def test_every_layout_becomes_the_one_that_is_written(raw: bytes) -> None:
    """A model is the same after it was written, whatever it was read from."""
    model, _ = open_model(raw, "servo")
    assert model is not None
    assert differences(model, _again(model)) == []


def test_every_part_of_a_block_is_written() -> None:
    """Links, masks, ports, signals, parts of buses and hostile texts survive a round trip."""
    text = 'a <b> & "c"\r\n\tä \U0001f600 ]]>'
    block: dict[str, Any] = {
        "sid": "7",
        "name": f"n\n{text}",
        "type": "SubSystem",
        "parameters": {"Opaque": text, "Name": "a name like a property's", "Empty": ""},
        "properties": {"Description": text, "OpenFcn": "open(1)"},
        "position": [1.5, 2.0, 30.0, 40.0],
        "ports": {"in": 1, "enable": 1, "rconn": 2},
        "signals": {"1": "speed & way"},
        "element": {"bus": "b", "path": "x.y"},
        "mask": {
            "type": "M",
            "parameters": {"p": text, "q": "", "r": "on", "s": "a, b"},
            "kinds": {"q": "text", "r": "switch", "s": "choice"},
            "options": {"s": ["a, b", text]},
            "modifies": True,
            "initialization": "p = 1;",
        },
    }
    entries = {
        "sid": "8",
        "name": "one",
        "type": "Gain",
        "mask": {
            "type": "",
            "parameters": {"a": "1"},
            "kinds": {"a": "choice"},
            "options": {"a": ["1", "2"]},
        },
    }
    link = {"sid": "9", "name": "l", "type": "Reference", "source": "a lib/b\nc", "linked": True}
    inner = {"blocks": [{"sid": "x", "name": "", "type": "Inport", "ports": {}}], "lines": []}
    model = _model(
        block, entries, link, {"sid": "y", "name": "s", "type": "SubSystem", "system": inner}
    )
    model["system"]["annotations"] = [{"text": text, "position": [1.0, 2.0], "interpreter": "tex"}]
    model["settings"] = {"Solver": "ode4", "Description": text}
    model["defaults"] = {"Gain": {"Gain": "1"}}
    assert differences(model, _again(model)) == []


def test_every_line_is_written() -> None:
    """Branches, corners, physical lines from either end, control ports and loose ends survive."""
    blocks = [{"sid": str(n), "name": f"b{n}", "type": "SubSystem"} for n in range(1, 5)]
    physical = {
        "from": _port("1", "lconn"),
        "physical": True,
        "branches": [
            {
                "backwards": True,
                "points": [[5.0, -2.5]],
                "branches": [
                    {"backwards": True, "to": _port("3", "rconn")},
                    {"to": _port("4", "rconn", 2)},
                ],
            },
            {"to": _port("2", "lconn")},
        ],
    }
    reversed_ = {
        "physical": True,
        "to": _port("2", "rconn", 3),
        "branches": [{"backwards": True, "to": _port("1", "lconn", 2)}],
    }
    signal = {
        "from": _port("1", "out", 2),
        "name": "v",
        "points": [[10.0, 0.0], [0.0, 3.0]],
        "branches": [{"to": _port("2", "enable"), "name": "w"}, {"to": _port("3", "in", 4)}],
    }
    kinds = ("trigger", "ifaction", "reset", "event")
    controls = [{"from": _port("4", "state"), "to": _port("3", kind)} for kind in kinds]
    loose: list[dict[str, Any]] = [{"from": _port("1", "out")}, {"to": _port("2", "in")}, {}]
    model = _model(*blocks, lines=(physical, reversed_, signal, *controls, *loose))
    assert differences(model, _again(model)) == []


def test_a_line_to_no_block_is_counted() -> None:
    """An end that names no block cannot be written, is counted, and the rest stands."""
    line = {"from": _port("1", "out"), "to": _port("gone", "in")}
    package = package_of(_model({"sid": "1", "name": "a", "type": "Gain"}, lines=(line,)))
    assert package.lost == {"line ends at missing blocks": 1}


def test_every_sid_is_one_number() -> None:
    """Ids that no file writes become numbers that neither block nor note has."""
    sids = ["#1", "2", "gain", "3::4", "1"]
    model = _model(*({"sid": sid, "name": sid, "type": "Gain"} for sid in sids))
    model["system"]["annotations"] = [{"text": "a"}, {"text": "b"}]
    again = _again(model)["system"]
    assert [block["sid"] for block in again["blocks"]] == ["4", "2", "5", "3::4", "1"]
    assert again["properties"]["SIDHighWatermark"] == "7"


def test_the_same_model_gives_the_same_bytes() -> None:
    """A file depends on neither clock nor machine, and its parts are those of every ``.slx``."""
    model, _ = open_model(pack_files(make_single_file_package()), "servo")
    assert model is not None
    raw = package_of(model).raw
    assert package_of(model).raw == raw
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        entries = archive.infolist()
        assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
        assert [entry.filename for entry in entries] == [
            "[Content_Types].xml",
            "_rels/.rels",
            "metadata/coreProperties.xml",
            "simulink/blockdiagram.xml",
        ]
        assert b'<ModelInformation Version="0.9">' in archive.read("simulink/blockdiagram.xml")


@pytest.mark.parametrize("mark", ["\0", "\x1b", "\ud800", "\uffff"])
def test_a_character_that_xml_has_not_is_refused(mark: str) -> None:
    """Characters that the file layout cannot hold are refused, not changed."""
    with pytest.raises(UnwritableError, match="XML cannot contain"):
        package_of(_model({"sid": "1", "name": f"a{mark}", "type": "Gain"}))


@pytest.mark.skipif(not REAL.is_dir(), reason="the shared models are not on this machine")
def test_real_models_survive() -> None:
    """A sample of real models of every layout is the same after it was written."""
    files = sorted(file for file in REAL.iterdir() if file.suffix in (".slx", ".mdl"))
    for file in random.Random(5).sample(files, 24):
        model, _ = open_model(file.read_bytes(), file.stem)
        assert model is not None, file.name
        again, _ = open_model(package_of(model).raw, model["name"])
        assert again is not None, file.name
        assert differences(model, again) == [], file.name
