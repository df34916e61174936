"""Release and products as the command line, a configuration and the environment state them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grounded_builder.domains.known import read_settings
from grounded_builder.interfaces.cli.context import UnusableError
from grounded_builder.interfaces.cli.main import app
from grounded_builder.ir.target import Target
from grounded_builder.settings import SettingsError

PLAYBACK, SINE = "simulink/Sources/Playback", "dspsrcs4/Sine Wave"
PLAN = {"steps": [{"tool": "Playback"}, {"tool": SINE}, {"tool": "Scope"}]}


@pytest.fixture(name="plan")
def _plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GROUNDED_STATE", str(tmp_path / "state"))
    for name in ("GROUNDED_RELEASE", "GROUNDED_PRODUCTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(PLAN))
    return file


def list_refused_tools(plan: Path, *arguments: str) -> list[str]:
    """The tools that are not available."""
    words = ["validate", "--domain", "simulink", "--format", "json", *arguments, str(plan)]
    ran = CliRunner().invoke(app, words)
    assert ran.exit_code in (0, 1), ran.exception
    (report,) = json.loads(ran.stdout)
    diagnostics = [
        diagnostic["message"]
        for diagnostic in report["diagnostics"]
        if diagnostic["code"] == "GB204"
    ]
    return [item.partition(" is not available")[0] for item in diagnostics]


def test_unstated_environment_refuses_no_block(plan: Path) -> None:
    """Without a stated release and products the whole catalog is available."""
    assert list_refused_tools(plan) == []


def test_the_command_line_states_an_installation(plan: Path) -> None:
    """Its release and its products, which may be several."""
    assert list_refused_tools(plan, "--release", "R2019b") == [PLAYBACK]
    assert list_refused_tools(plan, "--products", "Stateflow, Simscape") == [SINE]
    both = ("--release", "2024a", "--products", "Stateflow,DSP System Toolbox")
    assert list_refused_tools(plan, *both) == []
    with pytest.raises(UnusableError, match='--release is "newest"'):
        CliRunner().invoke(
            app, ["validate", "--release", "newest", str(plan)], catch_exceptions=False
        )


def test_a_configuration_states_an_installation(plan: Path, tmp_path: Path) -> None:
    """The command line comes before it."""
    own = tmp_path / "grounded.toml"
    own.write_text('release = "R2019b"\nproducts = ["Simscape"]\n')
    assert list_refused_tools(plan) == [PLAYBACK, SINE]
    assert list_refused_tools(plan, "--release", "R2024b") == [SINE]
    own.write_text('release = "2019"\n')
    with pytest.raises(UnusableError, match='release is "2019"'):
        CliRunner().invoke(app, ["validate", str(plan)], catch_exceptions=False)


def test_the_environment_states_an_installation(
    plan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For every command and for the server; a release that is none is no silent wish."""
    monkeypatch.setenv("GROUNDED_RELEASE", "R2019b")
    monkeypatch.setenv("GROUNDED_PRODUCTS", "DSP System Toolbox, Stateflow")
    assert list_refused_tools(plan) == [PLAYBACK]
    policy = read_settings().policy
    stated = {"release": "R2019b", "products": ("DSP System Toolbox", "Stateflow")}
    assert policy.target == Target.of(stated)
    with pytest.raises(SettingsError, match="GROUNDED_RELEASE"):
        read_settings({"GROUNDED_RELEASE": "24.2"})
