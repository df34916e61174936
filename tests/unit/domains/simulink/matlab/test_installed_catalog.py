"""Custom libraries become a part of the catalog."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.support.program import run

_LIBRARY = """
Library { Version 7.0 System { Name "x"
  Block { BlockType SubSystem Name "Pump\\nCurve" Ports [1, 1]
    MaskType "Pump" MaskVariables "slope=@1;mode=@2;"
    MaskStyleString "edit,popup(linear|quadratic)" MaskValueString "2|linear"
    System { Name "Pump Curve"
      Block { BlockType Inport Name "speed" Port "1" }
      Block { BlockType Outport Name "flow" Port "1" }
    }
  }
  Block { BlockType SubSystem Name "More" Ports []
    System { Name "More" Block { BlockType Gain Name "Twice" Gain "2" } }
  }
} }
"""


@pytest.fixture(scope="module")
def extended_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a library, which its catalog has too."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "pumps.mdl").write_text(_LIBRARY)
    status, text = _run_command(folder, "catalog", "add", "pumps.mdl")
    assert status == 0
    assert text.splitlines()[1:] == ["+ pumps/More/Twice", "+ pumps/Pump Curve"]
    return folder


@pytest.fixture
def folder(extended_folder: Path, tmp_path: Path) -> Path:
    """A folder of the test's own in the same state."""
    return Path(shutil.copytree(extended_folder, tmp_path / "own"))


def _run_command(folder: Path, *arguments: str) -> tuple[int, str]:
    made = run(folder / ".state", *arguments, cwd=folder)
    assert b"Traceback" not in made.stderr, made.stderr
    return made.returncode, made.stdout.decode() + made.stderr.decode()


def test_drafts_use_blocks_of_the_library(folder: Path) -> None:
    """A block is named, set and wired as those of products are, and written with its own path."""
    steps = [
        {"id": "a", "tool": "Constant"},
        {"id": "p", "tool": "Pump Curve", "params": {"mode": "Quadratic"}, "inputs": ["a"]},
        {"id": "s", "tool": "Scope", "inputs": ["p"]},
    ]
    (folder / "plan.json").write_text(json.dumps({"steps": steps}))
    status, text = _run_command(folder, "build", "--domain", "simulink", "plan.json")
    assert status == 0
    artifact = json.loads(text)["artifact"]
    pump = next(
        block for block in artifact["model"]["system"]["blocks"] if block["name"] == "Pump Curve"
    )
    assert pump["source"] == "pumps/Pump\nCurve"
    assert pump["parameters"] == {"mode": "quadratic"}


def test_models_are_checked_without_the_file(folder: Path) -> None:
    """Added libraries count without their file, and blocks of products stay known."""
    link = 'Block { BlockType Reference Name "R" SourceBlock "pumps/Pump Curve" mode "quadrtaic" }'
    elsewhere = folder / "models"
    elsewhere.mkdir()
    (elsewhere / "m.mdl").write_text(f'Model {{ Version 7.0 System {{ Name "m" {link} }} }}')
    status, text = _run_command(folder, "validate", "--domain", "simulink", "models")
    assert status == 1
    assert "GB305" in text
    assert "GB206" not in text
    assert "Sine Wave" in _run_command(folder, "resolve", "--domain", "simulink", "Sine Wave")[1]


def test_a_library_that_is_added_again_replaces_what_it_was(folder: Path) -> None:
    """Its blocks of before are gone, changed ones are changed, and nothing else is touched."""
    (folder / "pumps.mdl").write_text(_LIBRARY.replace('"Twice"', '"Thrice"'))
    _, text = _run_command(folder, "catalog", "add", "pumps.mdl")
    assert text.splitlines()[1:] == ["+ pumps/More/Thrice", "- pumps/More/Twice"]


def _make_library(name: str, source: str) -> str:
    link = f'Block {{ BlockType Reference Name "R" SourceBlock "{source}" SourceType "" }}'
    inside = f'System {{ Name "{name}" Block {{ BlockType Inport Name "in" }} {link} }}'
    held = f'Block {{ BlockType SubSystem Name "{name}" {inside} }}'
    return f'Library {{ Version 7.0 System {{ Name "x" {held} }} }}'


def test_libraries_that_link_in_a_circle_are_refused(folder: Path) -> None:
    """A circle is named and nothing is added, whether its libraries come together or in turn."""
    for name, text in {
        "itself": _make_library("A", "itself/A"),
        "one": _make_library("A", "two/B"),
        "two": _make_library("B", "one/A"),
    }.items():
        (folder / f"{name}.mdl").write_text(text)
    for names, circle in (
        (["itself.mdl"], "itself/A -> itself/A"),
        (["one.mdl", "two.mdl"], "one/A -> two/B -> one/A"),
    ):
        status, text = _run_command(folder, "catalog", "add", *names)
        assert status == 2
        assert f"{circle}: library blocks link to each other in a cycle" in text
    # Nothing of the refused ones was kept.
    assert _run_command(folder, "catalog", "add", "one.mdl")[1].splitlines()[1:] == ["+ one/A"]
    status, text = _run_command(folder, "catalog", "add", "two.mdl")
    assert (status, "two/B -> one/A -> two/B: " in text) == (2, True)
    (folder / "two.mdl").write_text(_make_library("B", "pumps/Pump Curve"))
    assert _run_command(folder, "catalog", "add", "two.mdl")[0] == 0


def test_a_file_beside_that_closes_a_circle_with_the_catalog_is_reported(folder: Path) -> None:
    """Added blocks keep their links, so a file that links back to them is wrong."""
    models = folder / "models"
    models.mkdir()
    (folder / "one.mdl").write_text(_make_library("A", "two/B"))
    (models / "two.mdl").write_text(_make_library("B", "one/A"))
    link = 'Block { BlockType Reference Name "R" SourceBlock "two/B" }'
    (models / "m.mdl").write_text(f'Model {{ Version 7.0 System {{ Name "m" {link} }} }}')
    assert _run_command(folder, "catalog", "add", "one.mdl")[0] == 0
    status, text = _run_command(folder, "validate", "--domain", "simulink", "models")
    assert (status, "two/B -> one/A -> two/B" in text) == (1, True)


def test_catalog_add_refuses_other_files(folder: Path) -> None:
    """Models, other files, names that MATLAB cannot have and product libraries are refused."""
    (folder / "model.mdl").write_text('Model { Version 7.0 System { Name "m" } }')
    (folder / "a-b.mdl").write_text(_LIBRARY)
    (folder / "simulink.mdl").write_text(_LIBRARY)
    for name, item in (
        ("model.mdl", "not a readable library"),
        ("none.mdl", "no such file"),
        ("a-b.mdl", "is named like"),
        ("simulink.mdl", "already has from a product"),
    ):
        status, text = _run_command(folder, "catalog", "add", name)
        assert status == 2, name
        assert item in text


def test_models_named_on_lines_have_their_libraries_beside(folder: Path) -> None:
    """A line's model is checked by the libraries of its folder, and by those that are named."""
    for place in ("beside", "apart", "shared"):
        (folder / place).mkdir()
    link = 'Block { BlockType Reference Name "R" SourceBlock "valves/Turbine" }'
    model = f'Model {{ Version 7.0 System {{ Name "m" {link} }} }}'
    (folder / "beside" / "m.mdl").write_text(model)
    (folder / "apart" / "m.mdl").write_text(model)
    (folder / "beside" / "valves.mdl").write_text(_LIBRARY)
    (folder / "shared" / "valves.mdl").write_text(_LIBRARY)
    lines = [json.dumps({"id": item, "model": f"{item}/m.mdl"}) for item in ("beside", "apart")]
    (folder / "lines.jsonl").write_text("\n".join(lines))

    def codes(*more: str) -> list[str]:
        asked = ("--domain", "simulink", "--format", "jsonl", "lines.jsonl")
        _, text = _run_command(folder, "validate", *asked, *more)
        results = [json.loads(line) for line in text.splitlines()]
        return [item["diagnostics"][0]["code"] for item in results]

    assert codes() == ["GB201", "GB206"]
    assert codes("--library", "shared")[1] == "GB201"


def test_files_tell_their_domain(folder: Path) -> None:
    """Model files alone need no word of their domain; beside others it has to be said."""
    link = 'Block { BlockType Reference Name "R" SourceBlock "pumps/Pump Curve" mode "quadrtaic" }'
    (folder / "m.mdl").write_text(f'Model {{ Version 7.0 System {{ Name "m" {link} }} }}')
    assert "GB305" in _run_command(folder, "validate", "m.mdl")[1]
    assert "domain n8n" in _run_command(folder, "validate", "m.mdl", "plan.json")[1]
