"""The ledger's rows are locks: one holder, taken over when the holder is gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import Engine

from grounded_builder.storage import imports
from grounded_builder.storage.database import open_database
from grounded_builder.storage.imports import ImportLedger, LostClaimError
from runtime.paths import ROOT
from tests.support.databases import url_of
from tests.support.time_bounds import PATIENCE_S

N8N = "http://127.0.0.1:5678"
SHA = "0" * 64


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return open_database(url_of(tmp_path), tmp_path)


def test_import_key_has_one_holder(engine: Engine) -> None:
    """While one import holds a key no other gets it, and afterwards the next one does."""
    first, second = ImportLedger(engine, N8N), ImportLedger(engine, N8N)
    assert first.claim("k", SHA, None) is not None
    assert second.claim("k", SHA, None) is None
    first.release("k")
    entry = second.claim("k", SHA, None)
    assert entry is not None
    assert not entry.is_interrupted


def test_keys_and_instances_are_apart(engine: Engine) -> None:
    """Another key, and the same key for another n8n, is another import."""
    assert ImportLedger(engine, N8N).claim("k", SHA, None) is not None
    assert ImportLedger(engine, N8N).claim("l", SHA, None) is not None
    assert ImportLedger(engine, "http://other").claim("k", SHA, None) is not None


def test_a_dead_holder_is_followed_at_once(engine: Engine, tmp_path: Path) -> None:
    """A row held by a program that has ended is taken over as it was left."""
    script = (
        "import sys; from pathlib import Path\n"
        "from grounded_builder.storage.database import open_database\n"
        "from grounded_builder.storage.imports import ImportLedger\n"
        "ledger = ImportLedger(open_database(sys.argv[1], Path(sys.argv[2])), sys.argv[3])\n"
        "ledger.claim('k', '0' * 64, None)\n"
        "ledger.before('k', ('a', 'b'), {'name': 'x'})\n"
        "ledger.record_progress('k', 'created', workflow_id='w', version_id='v')\n"
    )
    command = [sys.executable, "-c", script, url_of(tmp_path), str(tmp_path), N8N]
    subprocess.run(command, check=True, cwd=ROOT, timeout=PATIENCE_S)
    entry = ImportLedger(engine, N8N).claim("k", SHA, None)
    assert entry is not None
    assert entry.is_interrupted
    assert (entry.state, entry.workflow_id, entry.version_id) == ("created", "w", "v")
    assert (entry.earlier, entry.previous) == (("a", "b"), {"name": "x"})


def test_a_silent_holder_loses_its_claim(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A holder elsewhere that is silent too long is followed, and cannot write any more."""
    second = ImportLedger(engine, N8N)
    monkeypatch.setattr(imports, "process_id", lambda: f"other-host/boot/space/{os.getpid()}/1")
    first = ImportLedger(engine, N8N)
    monkeypatch.setattr(imports, "LEASE_S", -1.0)
    assert first.claim("k", SHA, None) is not None
    entry = second.claim("k", SHA, None)
    assert entry is not None
    assert entry.is_interrupted
    with pytest.raises(LostClaimError):
        first.record_progress("k", "created", workflow_id="w")
    first.release("k")
    second.record_progress("k", "created", workflow_id="w2")
    value = second.entry("k")
    assert value is not None
    assert value.workflow_id == "w2"


def test_a_living_holder_elsewhere_is_waited_for(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A holder of another machine cannot be looked at: its time has to run out."""
    monkeypatch.setattr(imports, "process_id", lambda: f"other-host/boot/space/{os.getpid()}/1")
    other = ImportLedger(engine, N8N)
    assert other.claim("k", SHA, None) is not None
    monkeypatch.undo()
    assert ImportLedger(engine, N8N).claim("k", SHA, None) is None


def test_a_restart_forgets(engine: Engine) -> None:
    """An import started again knows nothing of the attempt before."""
    ledger = ImportLedger(engine, N8N)
    ledger.claim("k", SHA, None)
    ledger.before("k", ("a",), None)
    ledger.record_progress("k", "failed", workflow_id="w", problem="x" * 5000)
    entry = ledger.restart("k", "1" * 64, "target")
    assert (entry.artifact, entry.state, entry.target) == ("1" * 64, "started", "target")
    assert (entry.workflow_id, entry.earlier, entry.problem) == (None, None, None)


def test_ledger_lists_workflows_of_other_keys(engine: Engine) -> None:
    """The ledger lists the workflows that other keys created in the same n8n."""
    ledger = ImportLedger(engine, N8N)
    for key, made in (("a", "1"), ("b", "2")):
        ledger.claim(key, SHA, None)
        ledger.record_progress(key, "created", workflow_id=made)
    assert ledger.others("a") == {"2"}
