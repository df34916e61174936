"""Trials of real workflows: each compiled one is run, reported and deleted."""

from __future__ import annotations

import gzip
import json
import random
import time
from collections import Counter
from typing import Any

import pytest

from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.services.trial_run import Trial, run_trial
from runtime.paths import ROOT
from tests.support.import_desk import Desk
from tests.support.n8n_workflows import list_workflows

SHARED = ROOT.parent / "shared" / "data" / "n8n" / "workflows.jsonl.gz"
SEED, COUNT = 20_261_122, 30


@pytest.mark.skipif(not SHARED.exists(), reason=f"needs {SHARED.relative_to(ROOT.parent)}")
@pytest.mark.timeout(1_200)
def test_real_workflows_are_tried(desk: Desk, client: N8nClient) -> None:
    """n8n runs every workflow that compiles, with stand-ins, in bounded time."""
    with gzip.open(SHARED, "rt", encoding="utf-8") as lines:
        documents = [json.loads(line)["workflow"] for line in lines]
    random.Random(SEED).shuffle(documents)
    outcomes: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    shares: list[float] = []
    times: list[float] = []
    for document in documents:
        began = time.monotonic()
        result = run_trial(Trial(document), desk.store, desk.registry, tuple)
        outcomes[result.outcome] += 1
        if result.outcome == "refused":
            continue
        times.append(time.monotonic() - began)
        counts.update(
            diagnostic.code for diagnostic in result.diagnostics if diagnostic.rule.stage == "run"
        )
        ran = {item.node for run in result.reports for item in run.ran}
        stood_in = {item["node"] for item in result.stood_in}
        shares.append(len(ran - stood_in) / max(1, len(ran)))
        _sensible(result.diagnostics)
        if len(times) == COUNT:
            break
    left = [
        item["name"] for item in list_workflows(client) if item["name"].startswith("Grounded trial")
    ]
    assert left == []
    print(f"\n{dict(outcomes)} {dict(counts)}")
    print(f"run for real {sum(shares) / COUNT:.0%} of the nodes that a run came to")
    print(f"seconds: median {sorted(times)[COUNT // 2]:.1f}, most {max(times):.1f}")
    assert sum(outcomes.values()) - outcomes["refused"] == COUNT
    assert max(times) < 120


def _sensible(diagnostics: Any) -> None:
    """A stand-in never fails, and n8n publishes every copy."""
    for diagnostic in diagnostics:
        assert diagnostic.code != "N8N505", diagnostic.message
        assert not (diagnostic.code == "N8N604" and "stand-in" in diagnostic.message), (
            diagnostic.message
        )
