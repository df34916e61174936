"""An n8n that is killed in mid-import; ``python -m evals.bench.kills`` kills at random moments."""

from __future__ import annotations

from pathlib import Path

import pytest

from grounded_builder.domains.n8n.deploy.client import N8nClient
from tests.support.import_desk import Desk, codes_of
from tests.support.n8n_workflows import client_of, hook, node, workflow
from tests.support.queue_mode import Queue
from tests.support.random_kills import kill, restart_n8n
from tests.support.registries import registry_from


def test_n8n_is_killed_between_creating_and_reading_back(
    tmp_path: Path, queue: Queue, catalog_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The import fails with what to do, and the same call finds what was made once n8n is back."""
    create = N8nClient.create

    def last(self: N8nClient, *arguments: object) -> object:
        made = create(self, *arguments)  # type: ignore[arg-type]  # handed on as they are
        kill(queue.main)
        return made

    start, end = hook(), node("Set", "set", 3.4)
    del start["id"], end["id"]
    draft = workflow(start, end)
    desk = Desk(tmp_path, queue.main, registry_from(catalog_file.read_bytes()))
    with monkeypatch.context() as patch:
        patch.setattr(N8nClient, "create", last)
        failed = desk.draft(draft)
    assert failed.outcome == "failed"
    assert {"N8N501", "N8N512"} <= codes_of(failed)
    assert all(
        diagnostic.help
        for diagnostic in failed.diagnostics
        if diagnostic.code in ("N8N501", "N8N512")
    )
    queue.main = restart_n8n(queue.main, queue.state, **queue.facts)
    done = desk.draft(draft)
    assert done.outcome == "imported"
    with client_of(queue.main) as client:
        assert [item["id"] for item in client.workflows_named(draft["name"])] == [done.workflow_id]
        client.delete(done.workflow_id or "")
    desk.store.close()
