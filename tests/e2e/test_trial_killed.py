"""Killed trials: the next trial deletes their copies in n8n."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.services.trial_run import Trial, run_trial
from runtime import n8n_server
from runtime.n8n_server import N8nServer
from runtime.paths import ROOT
from tests.support.import_desk import Desk
from tests.support.n8n_workflows import client_of, list_workflows, workflow
from tests.support.time_bounds import PATIENCE_S
from tests.support.trials import code, fields, go, list_copies, run_trial_cleanly


@pytest.mark.parametrize("step", ["create", "activate", "begin"])
def test_a_killed_trial_is_tidied_by_the_next(
    step: str, desk: Desk, client: N8nClient, n8n: N8nServer, catalog_file: Path, tmp_path: Path
) -> None:
    """After a kill at any point the next trial deletes the copy and nothing else."""
    draft, server = tmp_path / "draft.json", tmp_path / "n8n.json"
    draft.write_text(json.dumps(workflow(go(), fields("A", a="1"))))
    n8n.write(server)
    mine = client.create({**workflow(go()), "name": "Grounded trial of mine"})
    places = [str(place) for place in (desk.settings.state, server, catalog_file, draft)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.killed_trial", *places, step],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr[-2000:]
    assert len(list_copies(desk)) == 2
    result = run_trial(Trial(workflow(go(), fields("A", a="1"))), desk.store, desk.registry, tuple)
    assert result.outcome == "passed"
    assert list_copies(desk) == ["Grounded trial of mine"]
    client.delete(mine["id"])


def test_n8n_killed_in_mid_trial(registry: Registry, tmp_path: Path) -> None:
    """A trial whose n8n is killed reports it, keeps its record, and the next deletes the rest."""
    state = tmp_path / "n8n-state"
    server = n8n_server.start(state)
    try:
        desk = Desk(tmp_path / "state", server, registry)
        slow = code("Slow", "await new Promise(r => setTimeout(r, 15000));\nreturn [];")
        killer = threading.Thread(target=_kill_when_running, args=(server, desk))
        killer.start()
        result = run_trial(Trial(workflow(go(), slow)), desk.store, registry, tuple)
        killer.join()
        assert (result.outcome, {"N8N501", "N8N605"} - {d.code for d in result.diagnostics}) == (
            "untried",
            set(),
        )
        n8n_server.stop(state)
        server = n8n_server.start(state, port=int(server.url.rpartition(":")[2]))
        assert len(list_copies(desk)) == 1
        assert run_trial_cleanly(desk, workflow(go(), fields("A", a="1"))).outcome == "passed"
        desk.store.close()
    finally:
        n8n_server.stop(state)


def _kill_when_running(server: N8nServer, desk: Desk) -> None:
    with client_of(server) as client:
        while not any(client.list_unfinished_runs(item["id"]) for item in list_workflows(client)):
            time.sleep(0.05)
    os.kill(server.pid, signal.SIGKILL)
