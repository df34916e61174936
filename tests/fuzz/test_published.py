"""Requests made out of the published interface, to a running sidecar, with every scope."""

from __future__ import annotations

from pathlib import Path

from grounded_builder.storage.tokens import SCOPES
from tests.fuzz.published import ask_all, run_server


def test_every_operation_answers_every_scope_as_published(tmp_path: Path) -> None:
    """No answer is a server fault or deviates from its shape, and each scope passes for some."""
    with run_server(tmp_path) as (replica, tokens):
        counts = ask_all(replica, tokens, examples=1, start=1)
    for scope in SCOPES:
        assert counts[f"{scope} 200"] > 0, counts
    assert counts["validate 403"] > counts["admin 403"], counts
