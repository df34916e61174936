"""Compiles on the command line have the limits of the server."""

from __future__ import annotations

import json
import time
from functools import partial
from pathlib import Path

import pytest

from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.interfaces.cli.context import cli_context
from grounded_builder.interfaces.cli.isolated_compile import compiling_apart
from grounded_builder.services.isolation.bounds import CompileLimitError
from grounded_builder.services.trial_run import trial_runner
from tests.support import catalogs
from tests.support.program import make_acme_state, run

_BOUNDED = {
    "GROUNDED_DEADLINE_SECONDS": "1",
    "GROUNDED_N8N_URL": "http://127.0.0.1:1",
    "GROUNDED_N8N_API_KEY": "key",
}


def _many_nodes() -> bytes:
    """A workflow within the limits that takes several seconds to compile."""
    nodes = [
        {
            "name": f"a{number}",
            "type": "acme.mail",
            "typeVersion": 1,
            "parameters": {"text": "={{ $json.a }}", f"x{number}": 1},
        }
        for number in range(18_000)
    ]
    return json.dumps({"nodes": nodes, "connections": {}}).encode()


@pytest.mark.parametrize("command", ["import", "try"])
def test_a_draft_that_takes_too_long_is_given_up(tmp_path: Path, command: str) -> None:
    """The program ends after its deadline and names the file and the bound, in one line."""
    catalog = tmp_path / "acme.jsonl"
    catalog.write_bytes(catalogs.acme_bytes())
    assert run(tmp_path, "catalog", "load", str(catalog)).returncode == 0
    draft = tmp_path / "wide.json"
    draft.write_bytes(_many_nodes())
    made = run(tmp_path, command, str(draft), env=_BOUNDED)
    assert made.returncode == 2
    assert made.stderr.count(b"\n") == 1
    assert b"wide.json: the draft was not compiled within 1 s" in made.stderr


def test_an_edit_of_a_hostile_file_is_given_up(tmp_path: Path) -> None:
    """A workflow that takes too long to change ends the program after its deadline, in one line."""
    state = make_acme_state(tmp_path)
    draft = tmp_path / "wide.json"
    draft.write_bytes(_many_nodes())
    made = run(state, "edit", str(draft), 'rename "a1" to "b1"', "--planner", env=_BOUNDED)
    assert made.returncode == 2
    assert made.stderr.count(b"\n") == 1
    assert b"wide.json: the draft was not compiled within 1 s" in made.stderr


def test_generate_ends_at_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that `grounded generate` compiles for a request ends at the deadline."""
    monkeypatch.setenv("GROUNDED_STATE", str(make_acme_state(tmp_path)))
    monkeypatch.setenv("GROUNDED_DEADLINE_SECONDS", "1")
    compiling = compiling_apart(cli_context("n8n", ""))
    assert compiling(partial(len, "abc"), 3) == 3
    with pytest.raises(CompileLimitError, match="not compiled within 1 s"):
        compiling(partial(time.sleep, 20), 3)


@pytest.mark.parametrize("command", ["draw", "plan"])
def test_a_hostile_model_is_given_up(tmp_path: Path, command: str) -> None:
    """A model file that takes too long ends the program after its deadline, in one line."""
    blocks = "".join(
        f'Block {{\nBlockType Gain\nName "g{n}"\nPosition [1, 1, 9, 9]\n}}\n' for n in range(60_000)
    )
    model = tmp_path / "wide.mdl"
    model.write_text('Model {\nName "a"\nSystem {\nName "a"\n' + blocks + "}\n}\n")
    made = run(tmp_path, command, str(model), env=_BOUNDED)
    assert made.returncode == 2
    assert made.stderr.count(b"\n") == 1
    assert b"wide.mdl: the draft was not compiled within 1 s" in made.stderr


@pytest.mark.long
def test_a_trial_that_takes_too_long_to_prepare_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work that a trial derives from an artifact ends at the deadline, which is reported."""
    monkeypatch.setenv("GROUNDED_STATE", str(make_acme_state(tmp_path)))
    for name, value in _BOUNDED.items():
        monkeypatch.setenv(name, value)
    context = cli_context("n8n", "")
    facts = (context.store, context.registry, context.references)
    artifact = json.loads(_many_nodes())
    made = Compilation("ok", (), artifact, artifact, context.registry.fingerprint)
    (finding,) = trial_runner(*facts, compiling_apart(context))(made)
    assert "could not be tried: the draft was not compiled within 1 s" in finding.message
