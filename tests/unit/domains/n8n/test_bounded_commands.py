"""What the command line compiles for n8n is bounded as a server's drafts are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import catalogs
from tests.support.program import run

_BOUNDED = {
    "GROUNDED_DEADLINE_SECONDS": "1",
    "GROUNDED_N8N_URL": "http://127.0.0.1:1",
    "GROUNDED_N8N_API_KEY": "key",
}


@pytest.mark.parametrize("command", ["import", "try"])
def test_a_draft_that_takes_too_long_is_given_up(tmp_path: Path, command: str) -> None:
    """The program ends after its deadline and names the file and the bound, in one line."""
    catalog = tmp_path / "acme.jsonl"
    catalog.write_bytes(catalogs.acme_bytes())
    assert run(tmp_path, "catalog", "load", str(catalog)).returncode == 0
    draft = tmp_path / "wide.json"
    draft.write_bytes(b'{"nodes": [' + b"[]," * 190_000 + b"[]]}")
    made = run(tmp_path, command, str(draft), env=_BOUNDED)
    assert made.returncode == 2
    assert made.stderr.count(b"\n") == 1
    assert b"wide.json: the draft was not compiled within 1 s" in made.stderr
