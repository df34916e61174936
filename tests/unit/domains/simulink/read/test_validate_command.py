"""``grounded validate --domain simulink`` on model files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.program import run
from tests.support.simulink_files import (
    CLASSIC,
    make_single_file_package,
    make_split_package,
    pack_files,
)

BROKEN = CLASSIC.replace('DstBlock    "Scope"', 'DstBlock    "Scoop"')


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    (folder / "good.slx").write_bytes(pack_files(make_split_package()))
    (folder / "bad.mdl").write_text(BROKEN)
    (folder / "quake.mdl").write_bytes(b"IDPO\x06\x00\x00\x00")
    (folder / "settings.json").write_text("{}")
    (folder / "cut.slx").write_bytes(pack_files(make_single_file_package())[:200])
    return folder


def validate(folder: Path, *arguments: str) -> tuple[int, str]:
    made = run(folder / ".state", "validate", "--domain", "simulink", *arguments, cwd=folder)
    assert b"Traceback" not in made.stderr, made.stderr
    return made.returncode, made.stdout.decode()


def test_a_folder_of_models_is_judged(folder: Path) -> None:
    """Model files are found by their endings; those of other programs are passed by."""
    status, text = validate(folder, ".")
    assert status == 1
    assert "bad.mdl: error GB313 dangling-edge [Inner]" in text
    assert "cut.slx: error SLX101 unreadable-model" in text
    assert "good.slx" not in text
    assert "1 ok, 0 incomplete, 2 wrong; 2 files left out: no model" in text


def test_a_file_of_another_kind_is_reported_when_it_is_named(folder: Path) -> None:
    """A file that is asked for by name and is no model is a finding."""
    status, text = validate(folder, "quake.mdl", "good.slx")
    assert status == 1
    assert "quake.mdl: error GB106" in text


@pytest.mark.parametrize("form", ["sarif", "json", "jsonl", "github"])
def test_findings_lie_at_blocks_in_every_form(folder: Path, form: str) -> None:
    """A model has no lines of text: every form names the block instead."""
    status, text = validate(folder, "--format", form, "bad.mdl")
    assert status == 1
    if form == "github":
        assert "::error file=bad.mdl,title=GB313 dangling-edge::" in text
        return
    value: Any = json.loads(text)
    if form == "sarif":
        results = {result["ruleId"]: result for result in value["runs"][0]["results"]}
        location = results["GB313"]["locations"][0]
        assert location["logicalLocations"][0]["fullyQualifiedName"] == "Inner"
        assert "region" not in location["physicalLocation"]
        return
    record = value[0] if form == "json" else value
    assert record["verdict"] == "wrong"
    assert {"GB313": "Inner"}.items() <= {
        d["code"]: d["node"] for d in record["diagnostics"]
    }.items()


def test_json_lines_name_model_files(folder: Path) -> None:
    """A line may name the file of a model, and a file that is not there is reported on its line."""
    lines = [{"id": 1, "model": "good.slx"}, {"id": 2, "model": "gone.slx"}]
    (folder / "lines.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    _, text = validate(folder, "--format", "jsonl", "lines.jsonl")
    first, second = (json.loads(line) for line in text.splitlines())
    assert (first["id"], first["verdict"]) == (1, "ok")
    assert (second["id"], "gone.slx" in second["error"]) == (2, True)


def test_a_note_in_a_model_hides_findings(folder: Path, tmp_path: Path) -> None:
    """A person accepts a finding with a note in the diagram."""
    note = '    Annotation {\n      Name "grounded: ignore-file dangling-edge"\n    }\n'
    before, first, after = BROKEN.partition("    Block {\n      BlockType          Sin")
    assert first
    (folder / "hidden.mdl").write_text(before + note + first + after)
    status, text = validate(folder, "--ignore", "advice", "hidden.mdl")
    (folder / "hidden.mdl").unlink()
    assert (status, "findings ignored" in text) == (0, True), text


def test_libraries_are_found_beside_the_models_and_where_they_are_named(tmp_path: Path) -> None:
    """A folder's own libraries are known to its models; others are named, or configured."""
    own = 'Library { Version 7.0 System { Name "x" Block { BlockType Ground Name "Well" } } }'
    link = 'Block { BlockType Reference Name "R" SourceBlock "wells/Well" }'
    models, shared = tmp_path / "models", tmp_path / "shared"
    models.mkdir()
    shared.mkdir()
    (models / "m.mdl").write_text(f'Model {{ Version 7.0 System {{ Name "m" {link} }} }}')
    library = shared / "wells.mdl"
    library.write_text(own)
    assert "GB206" in validate(tmp_path, "models")[1]
    assert "GB206" not in validate(tmp_path, ".")[1]
    assert "GB206" not in validate(tmp_path, "models", "--library", "shared")[1]
    assert "GB206" not in validate(tmp_path, "models", "--library", "shared/wells.mdl")[1]
    (tmp_path / "grounded.toml").write_text('libraries = ["shared"]\n')
    assert "GB206" not in validate(tmp_path, "models")[1]
    (tmp_path / "grounded.toml").write_text("")
    (models / "wells.mdl").write_text(own.replace("Well", "Pit"))
    assert "GB201" in validate(tmp_path, "models/m.mdl")[1]
