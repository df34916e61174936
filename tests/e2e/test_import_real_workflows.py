"""Two hundred real workflows: checked, imported when not wrong, read back equal, deleted again."""

from __future__ import annotations

import gzip
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.domains.n8n.deploy.import_run import discard
from grounded_builder.domains.n8n.deploy.import_workflow import ImportResult
from grounded_builder.domains.n8n.deploy.readback_diff import differences
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from runtime.paths import ROOT
from tests.support.import_desk import Desk, codes_of
from tests.support.n8n_workflows import list_workflows

SHARED = ROOT.parent / "shared" / "data" / "n8n" / "workflows.jsonl.gz"
SEED, COUNT = 20_260, 200


def pick_workflows() -> Iterator[tuple[str, Any]]:
    """The same workflows each time."""
    with gzip.open(SHARED, "rt", encoding="utf-8") as lines:
        entries = [json.loads(line) for line in lines]
    for entry in random.Random(SEED).sample(entries, COUNT):
        yield f"{entry['source_repo']}/{entry['path']}", entry["workflow"]


def judged_ms(desk: Desk, document: Any) -> float:
    """What judging alone takes, without import."""
    began = time.perf_counter()
    compile_draft(document, N8N, desk.registry, CompileOptions(purpose="import"))
    return (time.perf_counter() - began) * 1000


@pytest.mark.skipif(not SHARED.exists(), reason=f"needs {SHARED.relative_to(ROOT.parent)}")
def test_real_workflows_come_back_as_they_were_sent(
    desk: Desk, client: N8nClient, capsys: pytest.CaptureFixture[str]
) -> None:
    """n8n accepts, returns unchanged and deletes every workflow that is not wrong."""
    began = time.monotonic()
    before = {item["id"] for item in list_workflows(client)}
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    failures: list[str] = []
    times: list[float] = []
    for name, document in pick_workflows():
        times.append(judged_ms(desk, document))
        result = desk.draft(document)
        outcomes[_outcome(result)] += 1
        wrong = {f"{d.code} {d.rule.name}" for d in result.diagnostics if d.rule.kind == "wrong"}
        reasons.update(wrong)
        if result.outcome == "failed":
            diagnostics = [d.message for d in result.diagnostics if d.code.startswith("N8N5")]
            failures.append(f"{name}: {diagnostics}")
        if result.workflow_id is not None:
            stored = client.get(result.workflow_id)
            if "GB402" in codes_of(result):
                outcomes["of these, corrected on the way"] += 1
            else:
                assert differences(_as_draft(document), stored) == (), name
            discard(client, result.workflow_id)
    took = time.monotonic() - began
    with capsys.disabled():
        print(f"\n{COUNT} real workflows, seed {SEED}, {took:.0f} s")
        for what, count in outcomes.most_common():
            print(f"  {count:4} {what}")
        print("  reasons for wrong, by workflows:")
        for what, count in reasons.most_common():
            print(f"  {count:4} {what}")
        median, high = sorted(times)[len(times) // 2], sorted(times)[int(len(times) * 0.95)]
        print(f"  judging alone: p50 {median:.1f} ms, p95 {high:.1f} ms")
    assert failures == []
    assert outcomes["imported, ok"] + outcomes["imported, incomplete"] > 0
    assert {item["id"] for item in list_workflows(client)} == before


def _outcome(result: ImportResult) -> str:
    if result.outcome != "imported":
        return result.outcome
    return "imported, incomplete" if result.todo else "imported, ok"


def _as_draft(document: dict[str, Any]) -> dict[str, Any]:
    """The connections of a draft, which a build leaves as they are."""
    inner = document if "nodes" in document else document.get("workflow", document.get("data", {}))
    return {"connections": inner.get("connections") or {}}
