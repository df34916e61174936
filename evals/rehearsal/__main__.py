"""Rehearses collected workflows, and counts which service nodes ran their own code.

``python -m evals.rehearsal [--half open|sealed|third] [--count N] [--skip N] [--show]`` takes
workflows spread over the collection that have a node of a service and only installed types, and
prints a table; ``--show`` adds each run with its failure and last request.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections import Counter
from collections.abc import Iterator, Mapping

from evals.alarms.alarm import CORPORA
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.domains.n8n.rehearsal.coverage import NO_TRIGGER
from grounded_builder.domains.n8n.rehearsal.editor_client import EditorError
from grounded_builder.domains.n8n.rehearsal.rehearse import Rehearsal, rehearse
from grounded_builder.domains.n8n.rehearsal.stage import Installation, Stage
from grounded_builder.domains.n8n.rehearsal.workflow_copy import CopyOrder
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.ir.options import CompileOptions
from runtime import paths
from tests.support.n8n_server import provide_catalog
from tests.support.registries import registry_from

_STEP = 13
# Samples without a common workflow, each by its place in the collection and by the parity of the
# first digit of the hash of its id after a salt. The rehearsal is developed on the first one only;
# the others have been read since they were measured.
_HALVES = {"open": (0, 0, ""), "sealed": (6, 1, ""), "third": (9, 0, "third")}


def select_graphs(registry: Registry, half: str) -> Iterator[tuple[str, ResolvedGraph]]:
    """Yields the workflows of a half that have a service node, one of each few."""
    place, parity, salt = _HALVES[half]
    for number, (key, workflow) in enumerate(CORPORA[0].workflows()):
        digit = int(hashlib.sha256(f"{salt}{key}".encode()).hexdigest()[0], 16)
        if number % _STEP != place or digit % 2 != parity:
            continue
        if not isinstance(workflow.get("nodes"), list):
            continue
        graph = N8N.reading.read(workflow).graph
        if graph is None:
            continue
        resolved, _ = resolve_graph(graph, N8N, registry, tuple)
        if all(bound.spec is not None for bound in resolved.nodes) and list_service_nodes(resolved):
            yield key, resolved


def list_service_nodes(resolved: ResolvedGraph) -> list[str]:
    """Returns the nodes with credentials that are neither disabled nor triggers."""
    return [
        bound.node.name
        for bound in resolved.nodes
        if isinstance(bound.spec, NodeSpec)
        and bound.spec.credentials
        and not bound.node.disabled
        and "trigger" not in (bound.node.tool or "").lower()
    ]


def _compile(resolved: ResolvedGraph, registry: Registry) -> tuple[ResolvedGraph, list[Route]]:
    """Returns what a rehearsal of the product runs: the workflow with safe fixes.

    One that is wrong stays as it is. The routes lead to values that only a person can choose.
    """
    options = CompileOptions(purpose="judge")
    compiled = compile_with_fixes(resolved.graph.document, N8N, registry, options)
    routes = [item.at for item in compiled.diagnostics if item.rule.kind == "incomplete"]
    artifact = compiled.artifact
    graph = None if artifact is None else N8N.reading.read(artifact).graph
    if graph is None:
        return resolved, routes
    return resolve_graph(graph, N8N, registry, tuple)[0], routes


class Count:
    """The figures of all rehearsals."""

    def __init__(self) -> None:
        self.runs: Counter[str] = Counter()
        self.nodes: Counter[str] = Counter()
        self.sources: Counter[str] = Counter()

    def add(self, resolved: ResolvedGraph, rehearsal: Rehearsal) -> None:
        """Adds one rehearsal."""
        steps = [step for run in rehearsal.runs for step in run.steps]
        sending = {step.step.node for step in steps if step.exchanges}
        reasons = {item.node: item.reason for item in rehearsal.never_run}
        for name in list_service_nodes(resolved):
            kind = rehearsal.reached.get(name)
            state = "sent" if name in sending else "ran, nothing sent"
            reason = reasons.get(name)
            missed = f"never ran: {reason if reason == NO_TRIGGER else 'other reasons'}"
            self.nodes[missed if kind is None else f"{kind}: {state}"] += 1
        for run in rehearsal.runs:
            status = "refused" if run.refusal else run.execution.status
            self.runs[f"{run.variant.kind}: {status}"] += 1
            for step in run.steps:
                for exchange in step.exchanges:
                    self.sources[exchange.answer.source.partition(' "')[0]] += 1


def _describe_failures(key: str, resolved: ResolvedGraph, rehearsal: Rehearsal) -> Iterator[str]:
    for run in rehearsal.runs:
        failure = run.execution.failure
        yield f"  {key} {run.variant.kind} {run.variant.reason}"[:500]
        if run.execution.status == "success" and not run.refusal:
            continue
        node = resolved.by_name.get(failure.node or "") if failure else None
        tool = node.node.tool if node is not None else ""
        text = run.refusal or (failure.message if failure else run.execution.status)
        yield f"  {key} [{run.trigger}] {failure.node if failure else ''} ({tool}): {text}"[:400]
        own = [s for s in run.steps if failure and s.step.node == failure.node]
        for exchange in own[-1].exchanges[-1:] if own else ():
            request, answer = exchange.request, exchange.answer
            yield f"    {request.method} {request.url} -> {answer.status} {answer.source}"[:300]
            yield f"      {answer.body[:200]!r}"
    services = list_service_nodes(resolved)
    for unreached in rehearsal.never_run:
        if unreached.node in services:
            yield f"  {key} never ran: {unreached.node}: {unreached.reason}"[:300]
    yield f"  {key}: {len(rehearsal.runs)} runs; {rehearsal.bound}"


def _print_table(title: str, counts: Mapping[str, int]) -> None:
    print(f"{title}: {sum(counts.values())}")
    for name, count in sorted(counts.items(), key=lambda item: -item[1]):
        print(f"  {name:40} {count}")


def _print_share(nodes: Mapping[str, int]) -> None:
    """Prints the share of nodes that ran, of all and of those that n8n could run at all."""
    never = {name: count for name, count in nodes.items() if name.startswith("never ran")}
    ran, total = sum(nodes.values()) - sum(never.values()), sum(nodes.values())
    startable = ran + never.get("never ran: other reasons", 0)
    for title, count in (("all", total), ("those that a trigger leads to in n8n", startable)):
        print(f"share that ran, of {title}: {ran} of {count}, {100 * ran / max(count, 1):.1f} %")


def _start_stage(installation: Installation) -> Stage:
    stage = Stage(installation, paths.cache() / "test-rehearsal")
    stage.start()
    return stage


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--half", choices=_HALVES, default="open")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    registry = registry_from(provide_catalog().read_bytes())
    script = paths.n8n_home() / "node_modules" / "n8n" / "bin" / "n8n"
    installation = Installation(paths.node(), script, paths.REHEARSAL_PROXY / "src" / "proxy.js")
    stage = _start_stage(installation)
    count, seconds = Count(), []
    try:
        for number, (key, original) in enumerate(select_graphs(registry, options.half)):
            if number < options.skip:
                continue
            if number >= options.skip + options.count:
                break
            begin = time.monotonic()
            resolved, routes = _compile(original, registry)
            order = CopyOrder(resolved, {}, routes)
            try:
                rehearsal = rehearse(stage, order, f"measured {number}")
            except EditorError as error:
                outcome = "n8n died" if error.is_silence else "not accepted"
                count.runs[outcome] += 1
                count.nodes[f"never ran: {outcome}"] += len(list_service_nodes(resolved))
                print(f"  {key}: {error}"[:300], flush=True)
                if error.is_silence:
                    stage.close()
                    stage = _start_stage(installation)
                continue
            seconds.append(time.monotonic() - begin)
            count.add(resolved, rehearsal)
            if options.show:
                for line in _describe_failures(key, resolved, rehearsal):
                    print(line, flush=True)
    finally:
        stage.close()
    _print_table("runs", count.runs)
    _print_table("service nodes", count.nodes)
    _print_share(count.nodes)
    _print_table("requests by source of the answer", count.sources)
    print(f"seconds: {sum(seconds):.0f}, median {sorted(seconds)[len(seconds) // 2]:.1f}")


if __name__ == "__main__":
    main()
