"""Every layout of a model file is read into the same model."""

from __future__ import annotations

import io
import random
import zipfile
from typing import Any

import pytest

from grounded_builder.domains.simulink.read.document import systems
from grounded_builder.domains.simulink.read.model import open_model
from grounded_builder.domains.simulink.read.release import release_of_version
from tests.support.simulink_files import (
    CLASSIC,
    INNER,
    ROOT,
    diagram,
    make_single_file_package,
    make_split_package,
    pack_as_text,
    pack_files,
)

NAME = 'a/b\n"c" ä'
LAYOUTS = {
    "one file": pack_files(make_single_file_package()),
    "a file each": pack_files(make_split_package()),
    "text package": pack_as_text(make_split_package()),
    "classic": CLASSIC.encode(),
}


def _read(raw: bytes) -> dict[str, Any]:
    model, diagnostics = open_model(raw, "servo")
    assert model is not None, diagnostics
    return model


def _codes(raw: bytes) -> list[str]:
    model, diagnostics = open_model(raw)
    assert model is None or all(d.rule.kind == "advice" for d in diagnostics) or diagnostics
    return [d.code for d in diagnostics]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_layouts_give_the_same_diagrams(layout: str) -> None:
    """Blocks, parameters, lines, branches and hierarchy do not depend on the layout."""
    first = _read(LAYOUTS["one file"])["system"]
    assert _read(LAYOUTS[layout])["system"]["blocks"] == first["blocks"] or layout == "classic"
    read = _read(LAYOUTS[layout])
    assert read["name"] == "servo"
    root = read["system"]
    assert [block["name"] for block in root["blocks"]] == ["Sine", "Inner", "Scope", "End"]
    inner = root["blocks"][1]["system"]
    assert inner["blocks"][1]["name"] == NAME
    assert inner["blocks"][1]["parameters"] == {"Gain": "2"}
    assert inner["lines"][0]["to"] == {"block": "4", "kind": "in", "index": 1}
    assert root["blocks"][1]["ports"] == {"in": 1, "out": 1}
    assert root["lines"] == first["lines"]
    assert root["lines"][1]["branches"][1] == {
        "points": [[0.0, 55.0]],
        "to": {"block": "7", "kind": "in", "index": 1},
    }


def test_the_release_of_a_file_is_read() -> None:
    """The release is read from the metadata, or follows from the version of classic text."""
    assert _read(LAYOUTS["one file"])["release"] == "R2014a"
    assert _read(LAYOUTS["a file each"])["release"] == "R2026a"
    assert _read(LAYOUTS["classic"])["release"] == "R2014b"


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("6.3", "R14SP3"),
        ("7.0", "R2007b"),
        ("7.4", "R2009b"),
        ("8.0", "R2012b"),
        ("8.9", "R2017a"),
        ("9.3", "R2019a"),
        ("10.4", "R2021b"),
        ("24.1", "R2024a"),
        ("99", None),
        ("4.7.1", None),
    ],
)
def test_a_version_is_of_one_release(version: str, release: str | None) -> None:
    """The versions that real files state are of the releases that wrote them."""
    assert release_of_version(version) == release


def test_classic_text_keeps_defaults_and_settings() -> None:
    """Defaults that a file states for all blocks of a type stay separate from the blocks."""
    read = _read(LAYOUTS["classic"])
    assert read["defaults"] == {"Gain": {"Gain": "1"}}
    assert read["settings"]["Solver"] == "ode45"


def test_a_configuration_does_not_name_the_model() -> None:
    """The name of a configuration set that stands in the diagram's file is not the model's."""
    files = make_single_file_package()
    named = (
        '<Array PropName="ConfigurationSets"><Object ClassName="Simulink.ConfigSet">'
        '<P Name="Name">Configuration</P><P Name="StopTime">7</P></Object></Array><System>'
    )
    diagram_file = "simulink/blockdiagram.xml"
    files[diagram_file] = files[diagram_file].replace("<System>", named, 1)
    read = _read(pack_files(files))
    assert read["name"] == "servo"
    assert read["settings"] == {"StopTime": "7"}


def test_unknown_elements_are_counted() -> None:
    """An element of an unknown kind is reported, and the rest is read."""
    files = make_single_file_package()
    files["simulink/blockdiagram.xml"] = files["simulink/blockdiagram.xml"].replace(
        "<Line>", "<Wormhole/><Line>", 1
    )
    model, diagnostics = open_model(pack_files(files))
    assert model is not None
    assert [d.code for d in diagnostics] == ["SLX103"]
    assert "1 System/Wormhole" in diagnostics[0].message


def test_a_value_in_a_part_of_its_own_is_counted() -> None:
    """A value that the file keeps in binary elsewhere is reported by its name."""
    files = make_single_file_package()
    files["simulink/blockdiagram.xml"] = files["simulink/blockdiagram.xml"].replace(
        "</Block>", '<P Name="CanvasColor" Ref="bdmxdata:CanvasColor_4"/></Block>', 1
    )
    model, diagnostics = open_model(pack_files(files))
    assert model is not None
    assert "1 Block/CanvasColor in a separate part" in diagnostics[0].message


def test_a_missing_diagram_is_wrong_and_the_rest_is_read() -> None:
    """A block whose diagram is not in the package is reported at the block."""
    files = make_split_package()
    del files["simulink/systems/system_2.xml"]
    model, diagnostics = open_model(pack_files(files))
    assert model is not None
    assert [(d.code, d.at) for d in diagnostics] == [("SLX102", ("system", "blocks", 1))]
    assert len(list(systems(model))) == 2


def test_a_diagram_inside_of_itself_ends() -> None:
    """A package whose diagrams refer to each other in a circle is read once around."""
    files = make_split_package()
    files["simulink/systems/system_2.xml"] = files["simulink/systems/system_root.xml"]
    model, diagnostics = open_model(pack_files(files))
    assert model is not None
    assert "SLX102" in [d.code for d in diagnostics]


def test_a_line_to_no_block_is_preserved() -> None:
    """A line of classic text that names no block of its diagram keeps the name that it wrote."""
    text = CLASSIC.replace('DstBlock    "Scope"', 'DstBlock    "Scoop"')
    line = _read(text.encode())["system"]["lines"][1]
    assert line["branches"][0]["to"]["block"] == "Scoop"


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_truncated_file_is_refused(layout: str, cut: float) -> None:
    """A file that is cut off is never read as a smaller model."""
    raw = LAYOUTS[layout].rstrip()
    model, diagnostics = open_model(raw[: int(len(raw) * cut)])
    assert model is None
    assert [d.code for d in diagnostics] in (["SLX101"], ["GB106"])


def test_a_bomb_is_refused() -> None:
    """A package that unpacks to far more than a model is not unpacked to its end."""
    target = io.BytesIO()
    with (
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("simulink/blockdiagram.xml", "w", force_zip64=True) as stream,
    ):
        for _ in range(200):
            stream.write(b" " * 1_000_000)
    assert _codes(target.getvalue()) == ["GB104"]


@pytest.mark.parametrize("mark", [b"PK", b"Model {", b"# MathWorks OPC Text Package"])
def test_a_file_of_a_hundred_megabytes_is_refused(mark: bytes) -> None:
    """A file that is larger than any model is refused before it is read."""
    assert _codes(mark + b" " * 100_000_000) == ["GB104"]


def test_entities_are_refused() -> None:
    """XML that declares entities is not expanded."""
    bomb = (
        '<?xml version="1.0"?><!DOCTYPE z [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
        "<ModelInformation>&b;</ModelInformation>"
    )
    assert _codes(pack_files({"simulink/blockdiagram.xml": bomb})) == ["SLX101"]


@pytest.mark.parametrize(
    "raw",
    [
        pack_files({"simulink/blockdiagram.xml": diagram("<a>" * 5000 + "</a>" * 5000)}),
        b"Model {" + b"System {" * 5000 + b"}" * 5001,
    ],
    ids=["xml", "text"],
)
def test_deep_nesting_is_refused(raw: bytes) -> None:
    """A file that is nested deeper than any model is refused without exhausting the stack."""
    assert _codes(raw) == ["GB105"]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"hello",
        b"\x00\x01\x02",
        pack_files({"word/document.xml": "<w/>"}),
        pack_files({"simulink/blockdiagram.xml": "<ModelInformation/>"}),
        pack_files({"simulink/blockdiagram.xml": "<Model><System/></Model>"}),
        b"Modelica {",
        b"Model { Name x }",
    ],
)
def test_other_file_is_no_model(raw: bytes) -> None:
    """Files of another kind are not recognized as models."""
    assert _codes(raw) == ["GB106"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_damaged_bytes_never_break_the_reader(layout: str) -> None:
    """Bytes changed at random give a model or a finding, never an exception."""
    chance = random.Random(7)
    for _ in range(150):
        raw = bytearray(LAYOUTS[layout])
        for _ in range(chance.randrange(1, 6)):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        model, diagnostics = open_model(bytes(raw))
        assert model is not None or diagnostics


def test_a_text_in_the_code_page_of_a_machine_is_read() -> None:
    """Classic text says its encoding, and old files say none."""
    text = CLASSIC.replace('  SavedCharacterEncoding  "UTF-8"\n', "")
    assert (
        _read(text.encode("cp1252"))["system"]["blocks"][1]["system"]["blocks"][1]["name"] == NAME
    )


def test_masks_are_read_in_three_spellings() -> None:
    """A mask's parameters do not depend on how the file writes the mask."""
    element = (
        "<Mask><Type>Servo</Type><MaskParameter Name='k' Type='edit'><Value>3</Value>"
        "</MaskParameter></Mask>"
    )
    handle = (
        '<Object PropName="MaskObject" ClassName="Simulink.Mask"><P Name="Type">Servo</P>'
        '<Object PropName="Parameters" ClassName="Simulink.MaskParameter"><P Name="Name">k</P>'
        '<P Name="Value">3</P></Object></Object>'
    )
    classic = (
        '<P Name="MaskType">Servo</P><P Name="MaskVariables">k=@1;</P>'
        '<P Name="MaskValueString">3</P>'
    )
    for mask in (element, handle, classic):
        files = make_single_file_package()
        files["simulink/blockdiagram.xml"] = diagram(
            ROOT.format(inner=f"{mask}<System>{INNER}</System>")
        )
        block = _read(pack_files(files))["system"]["blocks"][1]
        assert block["mask"] == {"type": "Servo", "parameters": {"k": "3"}}
