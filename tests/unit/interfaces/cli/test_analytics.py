"""Names from the command line are counted, and ``grounded analytics`` reports them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import catalogs
from tests.unit.interfaces.cli.test_aliases import output_of, read, run


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state with the invented catalog, and nothing counted."""
    (tmp_path / "acme.jsonl").write_bytes(catalogs.acme_bytes())
    output_of(tmp_path, "catalog", "load", str(tmp_path / "acme.jsonl"))
    return tmp_path


def plan(tool: str) -> dict[str, Any]:
    steps = [
        {"id": "start", "tool": catalogs.HOOK, "params": {"path": "greet"}},
        {"id": "post", "tool": tool, "params": {}},
    ]
    return {"steps": steps}


def count_names(state: Path) -> dict[str, tuple[str, int]]:
    value = read(state, "analytics")
    return {
        item["name"]: (item["kind"], item["count"])
        for item in (*value["unresolved"], *value["corrected"])
    }


def test_every_command_that_meets_names_counts_them(state: Path) -> None:
    """Resolve, validate and repair count unknown and corrected names, as documents and lines."""
    run(state, "resolve", "ice maker", "acme.mail", catalogs.MAIL)
    line = json.dumps({"id": 1, "text": "ice maker"}).encode()
    run(state, "resolve", "--format", "jsonl", given=line)
    assert count_names(state) == {"ice maker": ("unknown", 2), "acme.mail": ("corrected", 1)}
    (state / "draft.json").write_text(json.dumps(plan("ice maker")))
    entry = json.dumps({"id": 1, "plan": plan("ice maker")}).encode()
    for command in ("validate", "repair"):
        run(state, command, str(state / "draft.json"))
        run(state, command, "--format", "jsonl", given=entry)
    assert count_names(state)["ice maker"] == ("unknown", 6)


def test_an_empty_state_is_reported(state: Path) -> None:
    """No names are reported as none, as text and as JSON."""
    assert "names without exactly one tool: none" in output_of(state, "analytics")
    assert read(state, "analytics", "--days", "7")["days"] == []
