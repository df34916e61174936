"""Models that were read are written by the command line, from their files and from their plans."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from grounded_builder.domains.simulink.build.slx.package import package_of
from grounded_builder.domains.simulink.read.model import open_model
from tests.octave.models import MODELS
from tests.support.program import run
from tests.support.simulink_models import block, model
from tests.unit.domains.simulink.build.slx.compare_models import differences
from tests.unit.domains.simulink.build.slx.compare_plan import unlike


def _own() -> dict[str, Any]:
    """A model with a link into a library that no catalog has, and a callback."""
    theirs = block("theirs", "", source="their_lib/Zorblax", rate="speed(2)") | {
        "type": "Reference"
    }
    document = model(
        [block("c", "Constant", Value="2"), theirs, block("t", "Terminator")],
        "c -> theirs",
        "theirs -> t",
        name="plant",
    )
    return document | {"settings": {"StopTime": "9", "InitFcn": "x = 1"}}


def _build(folder: Path, *arguments: str) -> tuple[int, dict[str, Any], str]:
    made = run(folder / ".state", "build", "--domain", "simulink", *arguments, cwd=folder)
    value = json.loads(made.stdout) if made.stdout.startswith(b"{") else {}
    return made.returncode, value, made.stderr.decode()


def _read(file: Path) -> dict[str, Any]:
    document, _ = open_model(file.read_bytes(), "plant")
    assert document is not None
    return document


def test_a_model_becomes_a_plan_and_a_file_again(tmp_path: Path) -> None:
    """``grounded plan`` states what it leaves out; ``build --as-read`` makes the model of it.

    It is verified by nothing and gets no receipt; as a draft the same plan is wrong.
    """
    (tmp_path / "plant.slx").write_bytes(package_of(_own()).raw)
    planned = run(tmp_path / ".state", "plan", "plant.slx", cwd=tmp_path)
    assert planned.returncode == 0
    assert planned.stderr == b"grounded: not in the plan: 1 callbacks\n"
    (tmp_path / "plan.json").write_bytes(planned.stdout)
    status, entries, why = _build(tmp_path, "--as-read", "--slx", "again.slx", "plan.json")
    assert (status, why) == (0, "")
    assert entries["receipt"] is None
    assert "script" not in entries["artifact"]
    assert [diagnostic["code"] for diagnostic in entries["diagnostics"]] == ["GB206"]
    assert entries["slx"]["verified"] is False
    assert unlike(_read(tmp_path / "plant.slx"), _read(tmp_path / "again.slx")) == []
    status, entries, _ = _build(tmp_path, "--slx", "draft.slx", "plan.json")
    assert status == 1
    assert "GB201" in [diagnostic["code"] for diagnostic in entries["diagnostics"]]
    assert entries["slx"] is None
    assert not (tmp_path / "draft.slx").exists()


def test_a_model_is_written_anew_from_its_file(tmp_path: Path) -> None:
    """A model that was read is written as it is, its callbacks too; as JSON it is not."""
    (tmp_path / "plant.slx").write_bytes(package_of(_own()).raw)
    status, entries, why = _build(tmp_path, "--slx", "again.slx", "plant.slx")
    assert (status, why) == (0, "")
    assert entries["slx"]["lost"] == {}
    assert differences(_read(tmp_path / "plant.slx"), _read(tmp_path / "again.slx")) == []
    (tmp_path / "plant.json").write_text(json.dumps(_own() | {"layout": "slx"}))
    status, _, why = _build(tmp_path, "--slx", "json.slx", "plant.json")
    assert status == 2
    assert "only be written from that file" in why
    assert not (tmp_path / "json.slx").exists()


def test_only_the_plan_of_a_model_is_taken_to_the_letter(tmp_path: Path) -> None:
    """A draft, and lines of drafts, are refused, and no file is written; so is what is no model."""
    (tmp_path / "draft.json").write_text(json.dumps(MODELS[0]))
    status, entries, _ = _build(tmp_path, "--as-read", "--slx", "x.slx", "draft.json")
    assert status == 1
    assert [diagnostic["code"] for diagnostic in entries["diagnostics"]] == ["GB106"]
    assert entries["artifact"] is None
    assert entries["slx"] is None
    status, _, why = _build(tmp_path, "--as-read", "--format", "jsonl", "draft.json")
    assert status == 2
    assert "--format json" in why
    refused = run(tmp_path / ".state", "plan", "draft.json", cwd=tmp_path)
    assert refused.returncode == 2
    assert refused.stdout == b""
    assert not (tmp_path / "x.slx").exists()
