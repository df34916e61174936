"""Injects silent faults into real workflows, and counts those that a rehearsal finds.

``python -m evals.rehearsal_faults [--half open|sealed] [--count N] [--each N] [--show]`` takes
workflows that run to their end with at least two requests, states expectations by what they send,
and rehearses each fault. Prints for each kind how many faults were caught, how many left a stated
expectation without a verdict, which fails a rehearsal too, how many sent the same requests as the
workflow itself, and how many the compiler rejects.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice, zip_longest
from random import Random
from typing import Any

from evals.alarms.alarm import CORPORA
from evals.rehearsal_faults.kinds import KINDS, Scene
from evals.rehearsal_faults.state_requests import (
    Sent,
    list_sent,
    mask_sent,
    state_expectations,
)
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.expectations import read_expectations
from grounded_builder.domains.n8n.rehearsal.editor_client import EditorError
from grounded_builder.domains.n8n.rehearsal.judge import find_reach, judge_runs
from grounded_builder.domains.n8n.rehearsal.rehearse import Rehearsal, rehearse
from grounded_builder.domains.n8n.rehearsal.stage import Installation, Stage
from grounded_builder.domains.n8n.rehearsal.workflow_copy import CopyOrder
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.ir.options import CompileOptions
from runtime import paths
from tests.support.n8n_server import provide_catalog
from tests.support.registries import registry_from

_SALT = "silent faults"
_STEP = 5
_LEAST_REQUESTS = 2
_MOST_NODES = 30
_SEED = 5
_SHOWN, _AROUND = 500, 100
_SHORTEST, _LONGEST = 4, 200
_OUTCOMES = ("caught", "not judged", "missed", "same requests", "rejected", "refused by n8n")

Compiled = tuple[dict[str, Any], ResolvedGraph, list[Route]]


class Bench:
    """A stage, replaced when its n8n ends, and the catalog of its n8n."""

    def __init__(self) -> None:
        self.registry: Registry = registry_from(provide_catalog().read_bytes())
        self._stage: Stage | None = None
        self._uses = 0

    def compile(self, document: Any) -> Compiled | None:
        """Returns the workflow as it is imported, None if it is wrong."""
        compiled = compile_with_fixes(document, N8N, self.registry, CompileOptions(), tuple)
        graph = N8N.reading.read(compiled.artifact).graph if compiled.artifact else None
        if compiled.artifact is None or graph is None or compiled.verdict == "wrong":
            return None
        routes = [item.at for item in compiled.diagnostics if item.rule.kind == "incomplete"]
        resolved, _ = resolve_graph(graph, N8N, self.registry, tuple)
        return dict(compiled.artifact), resolved, routes

    def rehearse(self, compiled: Compiled) -> Rehearsal | None:
        """Returns the rehearsal of a workflow, None if n8n does not take it."""
        _, resolved, routes = compiled
        if self._stage is None or self._uses > 60:
            self.close()
            script = paths.n8n_home() / "node_modules" / "n8n" / "bin" / "n8n"
            proxy = paths.REHEARSAL_PROXY / "src" / "proxy.js"
            self._stage = Stage(
                Installation(paths.node(), script, proxy), paths.cache() / "test-rehearsal"
            )
            self._stage.start()
            self._uses = 0
        self._uses += 1
        try:
            return rehearse(self._stage, CopyOrder(resolved, {}, routes), "a fault", explores=False)
        except EditorError as error:
            if error.is_silence:
                self.close()
            return None

    def close(self) -> None:
        """Ends the stage."""
        if self._stage is not None:
            self._stage.close()
            self._stage = None


def _select(half: str) -> Iterator[tuple[str, Any]]:
    """Yields the workflows of a half, by the hash of their ids."""
    parity = ("open", "sealed").index(half)
    for key, workflow in CORPORA[0].workflows():
        digest = hashlib.sha256(f"{_SALT}{key}".encode()).digest()
        nodes = workflow.get("nodes")
        if digest[0] % _STEP or digest[1] % 2 != parity or not isinstance(nodes, list):
            continue
        if len(nodes) <= _MOST_NODES:
            yield key, workflow


def _stage_scene(bench: Bench, workflow: Any) -> tuple[Scene, list[Any], list[Sent]] | None:
    """Returns the workflow with what it did and is to do, None if it is not suited."""
    compiled = bench.compile(workflow)
    first = bench.rehearse(compiled) if compiled else None
    if compiled is None or first is None:
        return None
    runs = first.natural_runs
    if any(run.refusal or run.execution.status != "success" for run in runs) or first.unserved:
        return None
    sent = list_sent(first)
    second = bench.rehearse(compiled) if len(sent) >= _LEAST_REQUESTS else None
    if second is None:
        return None
    items = {
        step.step.node: [item for output in step.step.outputs.get("main", ()) for item in output]
        for run in runs
        for step in run.steps
    }
    document, resolved, _ = compiled
    known = json.dumps([document, items], ensure_ascii=False, default=str)
    values = sorted(set(_list_texts(items)))
    expectations = state_expectations(sent, list_sent(second), known, values)
    names = {node for node, *_ in sent if node in resolved.by_name}
    scene = Scene(
        document, resolved, {n: i for n, i in items.items() if n in resolved.by_name}, sorted(names)
    )
    return (scene, expectations, sent) if expectations else None


def _list_texts(value: Any) -> Iterator[str]:
    """Yields the texts and numbers in items that are long enough to be recognised."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _list_texts(item)
    elif not isinstance(value, bool | None) and _SHORTEST <= len(str(value)) <= _LONGEST:
        yield str(value)


def _judge_fault(
    bench: Bench, document: Any, expectations: list[Any], sent: list[Sent]
) -> tuple[str, str]:
    compiled = bench.compile(document)
    if compiled is None:
        return "rejected", ""
    rehearsal = bench.rehearse(compiled)
    if rehearsal is None:
        return "refused by n8n", ""
    verdicts = judge_runs(read_expectations(expectations), rehearsal.runs, find_reach(compiled[1]))
    unmet = [verdict for verdict in verdicts if verdict.state == "unmet"]
    if unmet:
        return "caught", unmet[0].miss
    if any(verdict.state == "unjudged" for verdict in verdicts):
        return "not judged", next(v.miss for v in verdicts if v.state == "unjudged")
    now, before = mask_sent(list_sent(rehearsal)), mask_sent(sent)
    if now == before:
        return "same requests", ""
    differing = next((pair for pair in zip_longest(before, now) if pair[0] != pair[1]), ())
    return "missed", _show_difference(*map(str, differing))


def _show_difference(before: str, now: str) -> str:
    place = next((at for at, (a, b) in enumerate(zip(before, now, strict=False)) if a != b), 0)
    start = max(place - _AROUND, 0)
    return f"{before[start : place + _AROUND]} / {now[start : place + _AROUND]}"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("open", "sealed"), default="open")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--each", type=int, default=1, help="faults of a kind in a workflow")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    bench, counts, taken, alarms = Bench(), Counter[tuple[str, str]](), 0, 0
    try:
        for key, workflow in _select(options.half):
            staged = _stage_scene(bench, workflow)
            if staged is None:
                continue
            scene, expectations, sent = staged
            outcome, miss = _judge_fault(bench, scene.document, expectations, sent)
            if outcome in ("caught", "not judged"):
                alarms += 1
                print(f"  {key}: the workflow itself: {miss}"[:300], flush=True)
                continue
            taken += 1
            for name, (_, inject) in KINDS.items():
                rng = Random(f"{_SEED} {name} {key}")
                faults = list(islice(inject(scene, rng), 40))
                for document in rng.sample(faults, min(options.each, len(faults))):
                    outcome, miss = _judge_fault(bench, document, expectations, sent)
                    counts[name, outcome] += 1
                    if options.show:
                        print(f"  {key} {name}: {outcome} {miss}"[:_SHOWN], flush=True)
            if taken == options.count:
                break
    finally:
        bench.close()
    _print_table(counts)
    print(f"{taken} workflows; {alarms} more whose own requests differ from run to run")


def _print_table(counts: Counter[tuple[str, str]]) -> None:
    print(f"| kind | {' | '.join(_OUTCOMES)} |\n|---|{'---:|' * len(_OUTCOMES)}")
    totals: Counter[str] = Counter()
    for name in KINDS:
        row = [counts[name, outcome] for outcome in _OUTCOMES]
        totals.update(dict(zip(_OUTCOMES, row, strict=True)))
        print(f"| {name} | {' | '.join(map(str, row))} |")
    print(f"| **all** | {' | '.join(str(totals[outcome]) for outcome in _OUTCOMES)} |")
    failing = totals["caught"] + totals["not judged"]
    changed = failing + totals["missed"]
    visible = changed + totals["same requests"]
    for title, of in (("change what is sent", changed), ("compile", visible)):
        share = 100 * failing / max(of, 1)
        print(f"the rehearsal fails for {failing} of {of} faults that {title} ({share:.1f} %)")


if __name__ == "__main__":
    main()
