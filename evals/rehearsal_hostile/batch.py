"""Runs as a separate program: rehearses hostile workflows, and prints one JSON line for each.

The JSON line on standard input has the numbers of the workflows (`first`, `count`, `step`), the
folder of an n8n with the hostile package (`user_folder`), and the fields of `Targets`. It is a
program of its own because the measurement also starts it where the kernel refuses namespaces.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from evals.rehearsal_hostile.attacks import as_text, make_attack
from evals.rehearsal_hostile.targets import Targets
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.rehearsal.editor_client import EditorError
from grounded_builder.domains.n8n.rehearsal.rehearse import Rehearsal, rehearse
from grounded_builder.domains.n8n.rehearsal.stage import Installation, Stage
from grounded_builder.domains.n8n.rehearsal.workflow_copy import CopyOrder
from runtime import paths
from tests.support.n8n_server import provide_catalog
from tests.support.registries import registry_from

PLANTED = "GROUNDED_PLANTED"
"""The variable with a secret that no rehearsed workflow may see."""
ENDED = "n8n ended"
_SHOWN = 200
_MOST_ITEMS = 1_000


def main() -> None:
    """Prints what became of each workflow."""
    order: dict[str, Any] = json.loads(sys.stdin.readline())
    targets = Targets(**{field.name: order["targets"][field.name] for field in fields(Targets)})
    user_folder = Path(order["user_folder"])
    registry = registry_from(provide_catalog(user_folder).read_bytes())
    script = paths.n8n_bin()
    proxy = paths.REHEARSAL_PROXY / "src" / "proxy.js"
    installation = Installation(paths.node(), script, proxy, user_folder / ".n8n" / "nodes")
    numbers = range(order["first"], order["first"] + order["count"] * order["step"], order["step"])
    for outcome in _rehearse_all(installation, registry, numbers, targets):
        print(json.dumps(outcome), flush=True)


def _rehearse_all(
    installation: Installation, registry: Registry, numbers: range, targets: Targets
) -> Iterator[Mapping[str, Any]]:
    stage = _start_stage(installation)
    try:
        yield {"isolated": stage.is_isolated, "gaps": stage.gaps}
        for number in numbers:
            kind, document = make_attack(number, targets)
            begin = time.monotonic()
            outcome = rehearse_attack(stage, registry, document, f"hostile {number}")
            seconds = round(time.monotonic() - begin, 2)
            yield {"number": number, "kind": kind, "seconds": seconds, **outcome}
            if outcome["status"] == ENDED or not stage.is_running:
                stage.close()
                stage = _start_stage(installation)
    finally:
        stage.close()


def rehearse_attack(
    stage: Stage, registry: Registry, document: Mapping[str, Any], name: str
) -> dict[str, Any]:
    """Returns the status, the error, what a hostile node could do, and whether a secret is seen."""
    graph = N8N.reading.read(document).graph
    if graph is None:
        raise ValueError(f"{name} is not a workflow")
    resolved, _ = resolve_graph(graph, N8N, registry, tuple)
    if any(bound.spec is None for bound in resolved.nodes):
        # The compiler refuses such a workflow before a rehearsal.
        return {"status": "no such node"}
    try:
        return _describe(rehearse(stage, CopyOrder(resolved, {}), name))
    except EditorError as error:
        status = ENDED if error.is_silence else "not accepted"
        return {"status": status, "why": str(error)[:_SHOWN]}


def _describe(rehearsal: Rehearsal) -> dict[str, Any]:
    items = [
        item.get("json", {})
        for run in rehearsal.runs
        for step in run.steps
        for outputs in step.step.outputs.values()
        for listed in outputs
        for item in listed[:_MOST_ITEMS]
    ]
    able = [name for item in items if isinstance(item, Mapping) for name in item.get("able") or ()]
    sent = [step.exchanges for run in rehearsal.runs for step in run.steps]
    text = as_text([items, sent, [run.refusal for run in rehearsal.runs]])
    run = rehearsal.runs[0] if rehearsal.runs else None
    failure = run.execution.failure if run else None
    return {
        "status": "no run" if run is None else "refused" if run.refusal else run.execution.status,
        "why": (run.refusal or (failure.message if failure else "") if run else "")[:_SHOWN],
        "able": able,
        "secret_seen": os.environ.get(PLANTED, PLANTED) in text,
    }


def _start_stage(installation: Installation) -> Stage:
    stage = Stage(installation, paths.cache() / "test-rehearsal")
    stage.start()
    return stage


if __name__ == "__main__":
    main()
