"""Rehearses the workflows of conversations in the scenarios of their cases, and judges them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from evals.cases.checks import Scene, list_misses
from evals.cases.given_answers import GivenAnswers, answers_of
from evals.cases.sample_items import make_items
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.rehearsal.editor_client import EditorError
from grounded_builder.domains.n8n.rehearsal.rehearse import Rehearsal, rehearse
from grounded_builder.domains.n8n.rehearsal.result import rehearsal_json
from grounded_builder.domains.n8n.rehearsal.stage import Installation, Stage
from grounded_builder.domains.n8n.rehearsal.workflow_copy import CopyOrder
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.ir.options import CompileOptions
from runtime import paths
from tests.support.n8n_server import provide_catalog
from tests.support.registries import registry_from

_SHOWN = 260


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one scenario.

    ``words`` is what a reader has yet to judge. ``reading`` is the reader's verdict, None before.
    """

    case: str
    scenario: str
    is_met: bool
    misses: list[str]
    words: str = ""
    reading: bool | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A compiled result: the document, its graph, and the routes of values that are open."""

    document: Mapping[str, Any]
    resolved: ResolvedGraph
    open_routes: list[Route]


def judge_results(out: Path, expect: Path, only: str = "") -> list[Verdict]:
    """Prints the verdicts on all scenarios and how many are met, and writes ``verdicts.json``.

    ``reading.json`` beside it has the verdicts of a reader by ``case/scenario``: whether it passes,
    with the reason.
    """
    registry = registry_from(provide_catalog().read_bytes())
    reading_file = out / "reading.json"
    reading = json.loads(reading_file.read_text("utf-8")) if reading_file.exists() else {}
    stage = _start_stage()
    verdicts: list[Verdict] = []
    try:
        for path in sorted(expect.glob("*.json")):
            if only not in ("", path.stem):
                continue
            scenarios = json.loads(path.read_text("utf-8"))["scenarios"]
            draft, reason = _read_draft(out / path.stem / "result.json", registry)
            for scenario in scenarios:
                name = f"{path.stem}/{scenario['name']}"
                if draft is None:
                    misses = [reason]
                else:
                    try:
                        misses = _judge(stage, draft, scenario, out / path.stem)
                    except EditorError as error:
                        misses = [f"n8n does not run it: {error}"]
                        if error.is_silence:
                            stage.close()
                            stage = _start_stage()
                met = reading.get(name, [None])[0]
                verdict = Verdict(
                    path.stem, scenario["name"], not misses, misses, scenario["words"], met
                )
                verdicts.append(verdict)
                for line in _describe(verdict):
                    print(line, flush=True)
    finally:
        stage.close()
    shown = [asdict(verdict) for verdict in verdicts]
    (out / "verdicts.json").write_text(json.dumps(shown, ensure_ascii=False, indent=1), "utf-8")
    met = sum(verdict.is_met for verdict in verdicts)
    passed = sum(_passes(verdict) for verdict in verdicts)
    print(f"{met} of {len(verdicts)} scenarios by data, {passed} with the reader's verdicts")
    return verdicts


def _passes(verdict: Verdict) -> bool:
    return verdict.is_met if verdict.reading is None else verdict.reading


def _describe(verdict: Verdict) -> Iterator[str]:
    state = "met " if verdict.is_met else "MISS"
    yield f"{state} {verdict.case}/{verdict.scenario}"
    for miss in verdict.misses:
        yield f"       {miss}"[:_SHOWN]
    if verdict.words:
        yield f"       to read: {verdict.words}"[:_SHOWN]
    if verdict.reading is not None:
        yield f"       reader: {'passes' if verdict.reading else 'fails'}"


def _read_draft(path: Path, registry: Registry) -> tuple[Draft | None, str]:
    """Returns the workflow of a result, or the reason why there is none."""
    if not path.exists():
        return None, "the conversation has no result"
    result = json.loads(path.read_text("utf-8"))
    if result["workflow"] is None:
        return None, f"nothing was built: {result['summary']}"
    options = CompileOptions(purpose="judge")
    compilation = compile_with_fixes(result["workflow"], N8N, registry, options, tuple)
    if compilation.artifact is None:
        return None, "the workflow does not compile"
    graph = N8N.reading.read(compilation.artifact).graph
    if graph is None:
        return None, "the workflow has no graph"
    resolved, _ = resolve_graph(graph, N8N, registry, tuple)
    routes = [item.at for item in compilation.diagnostics if item.rule.kind == "incomplete"]
    return Draft(compilation.artifact, resolved, routes), ""


def _judge(stage: Stage, draft: Draft, scenario: Mapping[str, Any], folder: Path) -> list[str]:
    """Rehearses one scenario, records the rehearsal, and returns what it misses."""
    trigger = _choose_trigger(draft.resolved, scenario["trigger"])
    if trigger is None:
        return [f"no trigger is {json.dumps(scenario['trigger'])}"]
    items = make_items(scenario["sample"], draft.resolved.by_name[trigger], draft.resolved)
    order = CopyOrder(draft.resolved, {trigger: items} if items else {}, draft.open_routes)
    with answers_of(stage, GivenAnswers(scenario["answers"], scenario["models"])):
        rehearsal = rehearse(stage, order, f"Case {folder.name}", explores=False)
    _record(rehearsal, folder / f"{scenario['name']}.rehearsal.json")
    run = next(run for run in rehearsal.natural_runs if run.trigger == trigger)
    misses = list_misses(scenario["checks"], Scene(draft.document, run))
    if scenario["ends"] == "success" and (run.refusal or run.execution.status != "success"):
        failure = run.execution.failure
        text = run.refusal or (f"{failure.node}: {failure.message}" if failure else "")
        misses.insert(0, f"the run ends with {run.execution.status}: {text}")
    return misses


def _choose_trigger(resolved: ResolvedGraph, described: Mapping[str, Any]) -> str | None:
    """Returns the first trigger of a type, of several the one whose text has the words."""
    named = [
        bound.node
        for bound in resolved.nodes
        if fnmatchcase(bound.node.tool or "", described["type"]) and not bound.node.disabled
    ]
    if "like" in described and len(named) > 1:
        texts = {node.name: f"{node.name} {json.dumps(dict(node.params))}" for node in named}
        pattern = re.compile(described["like"], re.IGNORECASE)
        named = [node for node in named if pattern.search(texts[node.name])] or named
    return named[0].name if named else None


def _record(rehearsal: Rehearsal, path: Path) -> None:
    """Writes the rehearsal with the items of each node, for a reader."""
    outputs = [
        {"node": step.step.node, "outputs": step.step.outputs}
        for run in rehearsal.runs
        for step in run.steps
    ]
    content = {**rehearsal_json(rehearsal, ()), "outputs": outputs}
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1, default=str), "utf-8")


def _start_stage() -> Stage:
    proxy = paths.REHEARSAL_PROXY / "src" / "proxy.js"
    stage = Stage(Installation(paths.node(), paths.n8n_bin(), proxy), paths.cache() / "cases")
    stage.start()
    return stage
