"""Links into libraries that lie as files beside the models."""

from __future__ import annotations

from pathlib import Path

import pytest

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.libraries import find_libraries_near
from grounded_builder.domains.simulink.read.model import open_model
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry
from tests.support.simulink_files import diagram, pack_files

_MASKED = """
    Block {
      BlockType SubSystem
      Name "Pump\\nCurve"
      Ports [2, 1]
      MaskType "Pump"
      MaskVariables "slope=@1;mode=@2;on=@3;label=&4;"
      MaskStyleString "edit,popup(linear|quadratic),checkbox,edit"
      MaskValueString "2|linear|off|a name"
      System {
        Name "Pump Curve"
        Block { BlockType Inport Name "speed" Port "1" }
        Block { BlockType Inport Name "head" Port "2" }
        Block { BlockType Gain Name "In\\nside" Gain "slope" }
        Block { BlockType Outport Name "flow" Port "1" }
        Line { SrcBlock "speed" SrcPort 1 DstBlock "In\\nside" DstPort 1 }
        Line { SrcBlock "In\\nside" SrcPort 1 DstBlock "flow" DstPort 1 }
      }
    }
"""


def _library(blocks: str, more: str = "") -> str:
    return f'Library {{ Name "x" Version 7.0 {more} System {{ Name "x" {blocks} }} }}'


def _link(source: str, more: str = "", lines: str = "") -> str:
    return f"""
Model {{ Name "m" Version 7.0 System {{ Name "m"
  Block {{ BlockType Constant Name "C" }}
  Block {{ BlockType Terminator Name "T" }}
  Block {{ BlockType Reference Name "R" SourceBlock "{source}" SourceType "Pump" {more} }}
  {lines}
}} }}
"""


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    """A folder with a library of pumps in a folder of its own."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "pumps.mdl").write_text(_library(_MASKED))
    return tmp_path


def _check_text(text: str, folder: Path) -> list[Diagnostic]:
    model, _ = open_model(text.encode(), "m")
    widen = find_libraries_near(folder.rglob("*.*"))
    assert widen is not None
    registry = widen(model, simulink_registry())
    return [
        diagnostic
        for diagnostic in compile_draft(model, SIMULINK, registry, CompileOptions()).diagnostics
        if diagnostic.rule.severity != "info" and diagnostic.node == "R"
    ]


def _codes(text: str, folder: Path) -> list[str]:
    return [diagnostic.code for diagnostic in _check_text(text, folder)]


_WIRED = """
  Line { SrcBlock "C" SrcPort 1
    Branch { DstBlock "R" DstPort 1 }
    Branch { DstBlock "R" DstPort 2 }
  }
  Line { SrcBlock "R" SrcPort 1 DstBlock "T" DstPort 1 }
"""


def test_a_block_of_a_library_beside_the_model_is_known(beside: Path) -> None:
    """A link into a library file is checked by that file, with any white space in its path."""
    assert _codes(_link("pumps/Pump\\nCurve", lines=_WIRED), beside) == []
    assert _codes(_link("pumps/Pump Curve/In\\nside"), beside) != ["GB206"]


def test_without_the_file_only_the_open_question_is_reported(tmp_path: Path) -> None:
    """A link into a library that is not there cannot be verified."""
    assert _codes(_link("pumps/Pump Curve"), tmp_path) == ["GB206"]


def test_link_to_missing_library_block_is_wrong(beside: Path) -> None:
    """A link to a block that a complete library lacks is unresolved, and a misspelling is
    corrected.
    """
    diagnostics = _check_text(_link("pumps/Turbine"), beside)
    assert [diagnostic.code for diagnostic in diagnostics] == ["GB201"]
    diagnostics = _check_text(_link("pumps/Pump Curv"), beside)
    assert [diagnostic.code for diagnostic in diagnostics] == ["GB203"]
    assert diagnostics[0].alternatives == ("pumps/Pump Curve",)


def test_ports_follow_from_the_diagram_of_the_library(beside: Path) -> None:
    """A line to a port that the linked subsystem lacks is wrong, an open port is reported."""
    bad = 'Line { SrcBlock "C" SrcPort 1 DstBlock "R" DstPort 3 }'
    assert "GB314" in _codes(_link("pumps/Pump Curve", lines=bad), beside)
    text = 'Line { SrcBlock "C" SrcPort 1 DstBlock "R" DstPort 1 }'
    assert "SLX321" in _codes(_link("pumps/Pump Curve", lines=text), beside)


def test_parameters_follow_from_the_mask(beside: Path) -> None:
    """Values at a link are held to the mask: its names, its menus, and what it evaluates."""

    def report(more: str) -> list[str]:
        return _codes(_link("pumps/Pump Curve", more, _WIRED), beside)

    assert report('slope "3" mode "quadratic" on "on" label "any, text ("') == []
    assert report('slope "[1 2"') == ["SLX335"]
    assert report('mode "quadrtaic"') == ["GB305"]
    assert report('on "yes"') == ["GB305"]
    assert report('slopes "3"') == ["GB302"]


def test_a_mask_that_changes_its_inside_leaves_its_ports_open(beside: Path) -> None:
    """If mask code may add ports, no number of ports is wrong."""
    text = _library(_MASKED.replace("Ports [2, 1]", "Ports [2, 1] MaskSelfModifiable on"))
    (beside / "lib" / "pumps.mdl").write_text(text)
    bad = 'Line { SrcBlock "C" SrcPort 1 DstBlock "R" DstPort 3 }'
    assert _codes(_link("pumps/Pump Curve", lines=bad), beside) == []
    assert _codes(_link("pumps/Turbine"), beside) == ["GB206"]


def test_renamed_blocks_are_found_under_their_old_names(beside: Path) -> None:
    """A library's forwarding table counts; one that is not understood leaves all else open."""
    table = "||__slOldName__||pumps/Old Pump||__slNewName__||pumps/Pump Curve"
    text = _library(_MASKED, f'ForwardingTableString "{table}"')
    (beside / "lib" / "pumps.mdl").write_text(text)
    assert _codes(_link("pumps/Old Pump", lines=_WIRED), beside) == []
    assert _codes(_link("pumps/Old Pump", 'slopes "3"', _WIRED), beside) == ["GB302"]
    assert _codes(_link("pumps/Turbine"), beside) == ["GB201"]
    (beside / "lib" / "pumps.mdl").write_text(_library(_MASKED, 'ForwardingTableString "odd"'))
    assert _codes(_link("pumps/Turbine"), beside) == ["GB206"]


def test_a_forwarding_table_in_a_file_of_its_own_leaves_the_rest_open(beside: Path) -> None:
    """An unread forwarding table may rename any block, so no block is reported as missing."""
    block_ = '<Block BlockType="Ground" Name="Well" SID="1"/>'
    files = {"simulink/blockdiagram.xml": diagram(block_, "0.9", "Library")}
    (beside / "wells.slx").write_bytes(pack_files(files))
    assert _codes(_link("wells/Pit"), beside) == ["GB201"]
    (beside / "wells.slx").write_bytes(
        pack_files({**files, "simulink/forwardingTable.xml": "<F/>"})
    )
    assert _codes(_link("wells/Pit"), beside) == ["GB206"]
    assert _codes(_link("wells/Well"), beside) != ["GB206"]


def test_links_from_library_to_library_are_followed(beside: Path) -> None:
    """A library's block may be a link itself."""
    again = 'Block { BlockType Reference Name "P" SourceBlock "pumps/Pump Curve" slope "7" }'
    (beside / "outer.mdl").write_text(_library(again))
    assert _codes(_link("outer/P", 'slopes "3"', _WIRED), beside) == ["GB302"]


def test_two_libraries_of_one_name_are_not_taken_for_a_whole_one(beside: Path) -> None:
    """Which of two files Simulink would load is not known: a block that one has is known."""
    other = _library('Block { BlockType Gain Name "Turbine" }')
    (beside / "pumps.mdl").write_text(other)
    assert _codes(_link("pumps/Turbine", lines=_WIRED), beside) == []
    assert _codes(_link("pumps/Valve"), beside) == ["GB206"]


def test_models_and_broken_files_are_no_libraries(beside: Path) -> None:
    """Only readable libraries are linked."""
    (beside / "lib" / "pumps.mdl").write_text(_link("pumps/x"))
    assert _codes(_link("pumps/Pump Curve"), beside) == ["GB206"]
    (beside / "lib" / "pumps.mdl").write_bytes(b"PK\3\4 cut off")
    assert _codes(_link("pumps/Pump Curve"), beside) == ["GB206"]


def test_a_file_does_not_overrule_a_product(beside: Path) -> None:
    """A file with the name of a product's library adds blocks and takes none away."""
    (beside / "simulink.mdl").write_text(_library('Block { BlockType Gain Name "Mine" }'))
    gain = "simulink/Math Operations/Gain"
    assert "GB201" not in _codes(_link(gain), beside)
    assert _codes(_link("simulink/Mine"), beside) == []
    assert _codes(_link("simulink/Theirs"), beside) == ["GB206"]


def test_libraries_that_link_to_each_other_in_a_circle_are_reported(beside: Path) -> None:
    """A link into libraries that lead back to themselves is wrong, in models and libraries."""

    def make_library(name: str, source: str) -> str:
        link = f'Block {{ BlockType Reference Name "R" SourceBlock "{source}" SourceType "" }}'
        inside = f'System {{ Name "{name}" {link} }}'
        return _library(f'Block {{ BlockType SubSystem Name "{name}" {inside} }}')

    files = {"one": make_library("A", "two/B"), "two": make_library("B", "one/A")}
    for name, text in files.items():
        (beside / "lib" / f"{name}.mdl").write_text(text)
    diagnostics = [
        diagnostic
        for diagnostic in _check_text(_link("one/A"), beside)
        if diagnostic.code == "SLX334"
    ]
    assert [diagnostic.message.partition(": ")[2] for diagnostic in diagnostics] == [
        "one/A -> two/B -> one/A"
    ]
    model, _ = open_model(files["one"].encode(), "one")
    widen = find_libraries_near(beside.rglob("*.*"))
    assert widen is not None
    results = compile_draft(
        model, SIMULINK, widen(model, simulink_registry()), CompileOptions()
    ).diagnostics
    matches = [
        (diagnostic.code, diagnostic.node) for diagnostic in results if diagnostic.code == "SLX334"
    ]
    assert matches == [("SLX334", "A/R")]
    (beside / "lib" / "two.mdl").write_text(make_library("B", "pumps/Pump Curve"))
    assert "SLX334" not in _codes(_link("one/A"), beside)
    for name, source in (("a", "b/B"), ("b", "a/A")):
        link = f'Block {{ BlockType Reference Name "{name.upper()}" SourceBlock "{source}" }}'
        (beside / f"{name}.mdl").write_text(_library(link))
    assert _codes(_link("a/A"), beside) == ["SLX334"]
