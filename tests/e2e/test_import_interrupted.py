"""Imports that are killed, and imports that meet: a key makes one workflow."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.domains.n8n.deploy.readback_diff import differences
from grounded_builder.services.import_workflow import WorkflowImport, run_import
from runtime.n8n_server import N8nServer
from runtime.paths import ROOT
from tests.support.import_desk import Desk, codes_of
from tests.support.n8n_workflows import Workflow, hook, node, workflow
from tests.support.time_bounds import PATIENCE_S


def sound() -> Workflow:
    """Without ids of its own: they come from the key."""
    start, end = hook(), node("Set", "set", 3.4)
    del start["id"], end["id"]
    return workflow(start, end)


@pytest.fixture
def import_and_kill(desk: Desk, n8n: N8nServer, catalog_file: Path, tmp_path: Path) -> Any:
    """Imports in another program, which dies of SIGKILL after a step."""

    def run(content: Workflow, step: str, **options: Any) -> None:
        draft, server = tmp_path / "draft.json", tmp_path / "n8n.json"
        draft.write_text(json.dumps({"content": content, "options": options}))
        n8n.write(server)
        command = [sys.executable, "-m", "tests.support.killed_import"]
        places = [str(place) for place in (desk.settings.state, server, catalog_file, draft)]
        done = subprocess.run(
            [*command, *places, step],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        assert done.returncode == -signal.SIGKILL, done.stderr[-2000:]

    return run


@pytest.mark.parametrize("step", ["claim", "before", "create", "record_progress"])
def test_killed_import_continues(
    step: str, import_and_kill: Any, desk: Desk, client: N8nClient
) -> None:
    """After a kill at any point the next import with the key ends with one workflow."""
    document = sound()
    import_and_kill(document, step)
    assert len(list(client.workflows_named(document["name"]))) == (
        step in ("create", "record_progress")
    )
    result = desk.draft(document)
    assert result.outcome == "imported"
    stored = list(client.workflows_named(document["name"]))
    assert [item["id"] for item in stored] == [result.workflow_id]
    assert not differences(document, client.get(result.workflow_id or ""))


def test_a_copy_of_a_stored_workflow_is_not_taken_for_it(
    import_and_kill: Any, desk: Desk, client: N8nClient
) -> None:
    """A draft with the ids and the name of a workflow that was there before becomes a new one."""
    original = client.create(workflow(hook(), node("Set", "set", 3.4)))
    copy = {key: original[key] for key in ("name", "nodes", "connections", "settings")}
    import_and_kill(copy, "create")
    result = desk.draft(copy)
    assert result.workflow_id not in (None, original["id"])
    assert len(list(client.workflows_named(original["name"]))) == 2


def test_a_killed_update_goes_on(import_and_kill: Any, desk: Desk, client: N8nClient) -> None:
    """An update killed between writing and noting ends as asked, and could still be put back."""
    target = desk.draft(sound()).workflow_id or ""
    after = sound()
    import_and_kill(after, "update", workflow_id=target)
    result = desk.draft(after, workflow_id=target)
    assert (result.outcome, result.workflow_id) == ("imported", target)
    assert not differences(after, client.get(target))


def test_a_publication_killed_halfway_goes_on(
    import_and_kill: Any, desk: Desk, client: N8nClient
) -> None:
    """An import killed after n8n took the publication is found published."""
    document = sound()
    import_and_kill(document, "activate", publish=True)
    result = desk.draft(document, publish=True)
    assert (result.outcome, result.published) == ("imported", True)
    assert len(list(client.workflows_named(document["name"]))) == 1


def test_imports_at_once_make_one_workflow(desk: Desk, client: N8nClient) -> None:
    """Of several simultaneous imports with one key one creates the workflow, and all name it."""
    document = sound()

    def once(_: int) -> str | None:
        return run_import(WorkflowImport(document), desk.store, desk.registry, tuple).workflow_id

    with ThreadPoolExecutor(6) as pool:
        made = set(pool.map(once, range(6)))
    assert len(made) == 1
    assert [item["id"] for item in client.workflows_named(document["name"])] == list(made)


def test_waiting_for_another_import_has_an_end(desk: Desk, client: N8nClient) -> None:
    """While another program holds the key, an import waits for its time limit, then reports it."""
    document = sound()
    assert desk.ledger().claim("held", "0" * 64, None) is not None
    result = desk.draft(document, key="held", patience_s=0.3)
    assert result.outcome == "refused"
    assert codes_of(result) == {"N8N510"}
    assert list(client.workflows_named(document["name"])) == []
