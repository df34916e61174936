"""Tests that repair of model-written drafts and corrupted workflows reaches measured floors.

The corpora are next to the checkout; without them only the tests on the invented catalog run.
GROUNDED_DRAFTS=all asks n8n about every draft instead of a slice, as `make drafts` does.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals.alarms.alarm import CORPORA
from evals.drafts.corpus import DATA, has_corpora, read_drafts, read_twins
from evals.drafts.drafting_loop import format_loop_table, list_refused_results, run_drafting_loop
from evals.drafts.measure import measure_draft, score_twins
from evals.drafts.n8n_answers import Answers
from evals.drafts.table import format_drafts_table
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.type_inference import infer_type
from grounded_builder.ir.graph import Graph
from grounded_builder.ir.options import CompileOptions
from runtime.n8n_server import N8nServer
from tests.support.catalogs import AGENT, HOOK, MAIL, MODEL
from tests.support.n8n_workflows import clean_up_after
from tests.support.registries import acme_registry, registry_from

SEED, TWINS, DRAFTS, LOOPED, REAL = 7, 60, 30, 10, 200
BLANK = "n8n-nodes-base.noOp"
needs_corpora = pytest.mark.skipif(not has_corpora(), reason=f"{DATA} is absent")


@pytest.fixture(scope="module")
def registry(catalog_file: Path) -> Registry:
    """Returns the catalog of the installed n8n."""
    return registry_from(catalog_file.read_bytes())


@needs_corpora
def test_corrupted_types_are_restored(registry: Registry) -> None:
    """Repair restores most lost types, none wrongly, and changes no intact one."""
    chosen = random.Random(SEED).sample(read_twins(), TWINS)
    fates = score_twins(chosen, registry).types
    untold = score_twins(chosen, registry, notes=False).types
    count = sum(fates.values())
    assert fates["wrong"] == untold["wrong"] == 0
    assert fates["intact, changed"] == untold["intact, changed"] == 0
    assert fates["restored"] >= 0.95 * count
    assert untold["restored"] >= 0.7 * count


@needs_corpora
def test_a_blanked_node_is_hardly_ever_taken_for_another(registry: Registry) -> None:
    """A node of a real workflow with a blanked type is recognised, or left unresolved."""
    workflows = random.Random(SEED).sample([item for _, item in CORPORA[0].workflows()], REAL)
    fates: Counter[str] = Counter()
    for document in workflows:
        graph = N8N.reading.read(document).graph
        for node in graph.nodes if graph else ():
            if node.tool in registry.tools and node.params and graph is not None:
                recognition = infer_type(replace(node, tool=BLANK), graph, registry, ())
                sure = recognition is not None and recognition.is_sure
                right = recognition is not None and recognition.tools[0] == node.tool
                fates[("right" if right else "wrong") if sure else "in doubt"] += 1
    assert fates["wrong"] <= 0.003 * fates["right"], fates
    assert fates["right"] > fates["in doubt"]


@needs_corpora
@pytest.mark.timeout(900)
def test_n8n_takes_what_is_repaired(
    registry: Registry, n8n: N8nServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Repair never makes n8n refuse a draft, and n8n creates nearly all repaired drafts."""
    chosen = read_drafts()
    if os.environ.get("GROUNDED_DRAFTS") != "all":
        chosen = random.Random(SEED).sample(chosen, DRAFTS)
    with clean_up_after(n8n) as client:
        answers = Answers(client)
        asked = [measure_draft(draft, registry, answers) for draft in chosen]
    outcomes = [item for item in asked if item is not None]
    with capsys.disabled():
        print("\n" + "\n".join(format_drafts_table(outcomes, len(asked) - len(outcomes))))
    worse = [
        item.id
        for item in outcomes
        if (item.after.created, item.after.published) < (item.before.created, item.before.published)
    ]
    assert worse == []
    assert sum(item.after.created for item in outcomes) >= 0.9 * len(outcomes)
    fine = [item for item in outcomes if item.verdict == "ok"]
    assert all(item.after.published for item in fine), [item.id for item in fine]


@needs_corpora
@pytest.mark.timeout(900)
def test_a_draft_in_the_loop_comes_to_an_end(
    registry: Registry, n8n: N8nServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a second reply that follows the findings, real drafts are built or left to a person."""
    chosen = random.Random(SEED).sample(read_drafts(), LOOPED)
    with clean_up_after(n8n) as client:
        answers = Answers(client)
        results = [run_drafting_loop(draft, registry, answers) for draft in chosen]
    with capsys.disabled():
        print("\n" + "\n".join(format_loop_table(results)))
    assert list_refused_results(results) == []
    assert sum(item.outcome != "refused" for item in results) >= 0.9 * len(results)
    assert all(item.summary for item in results if item.outcome == "refused")


def _node(name: str, tool: str, version: float, parameters: Any) -> dict[str, Any]:
    return {
        "id": f"id-{name.lower()}",
        "name": name,
        "type": tool,
        "typeVersion": version,
        "position": [0, 0],
        "parameters": parameters,
    }


def _correct_node(node: dict[str, Any]) -> dict[str, Any]:
    document = {"name": "One", "nodes": [node], "connections": {}, "settings": {}}
    done = compile_with_fixes(document, N8N, acme_registry(), CompileOptions()).document
    fixed: dict[str, Any] = done["nodes"][0]
    return fixed


def test_an_unknown_type_is_reported_by_what_its_node_carries() -> None:
    """An unknown type becomes the only type that takes all parameters of its node."""
    carried = {"resource": "message", "operation": "send", "to": "a@b.c", "body": "Hi"}
    assert _correct_node(_node("Tell", "acme-nodes.acmeMailer", 2, carried))["type"] == MAIL


def test_a_type_of_another_package_is_not_reported() -> None:
    """A type of a package that is not installed is left unchanged."""
    carried = {"resource": "message", "operation": "send", "to": "a@b.c", "body": "Hi"}
    node = _node("Tell", "other-nodes.mailer", 2, carried)
    assert _correct_node(node)["type"] == "other-nodes.mailer"


@pytest.mark.parametrize("tool", [AGENT, MODEL, HOOK])
def test_a_type_with_a_place_for_something_stays(tool: str) -> None:
    """A type that takes at least one of a node's parameters is kept."""
    own = {AGENT: "prompt", MODEL: "model", HOOK: "path"}[tool]
    node = _node("Acme Mail", tool, 1, {own: "x", "to": "a@b.c", "text": "Hi"})
    assert _correct_node(node)["type"] == tool


def test_nothing_is_reported_by_a_graph_of_nothing() -> None:
    """A node without parameters or a known name has no recognised type."""
    graph = Graph({}, (), ())
    document = {"name": "One", "nodes": [_node("Mystery", "acme-nodes.what", 1, {})]}
    node = (N8N.reading.read(document).graph or graph).nodes[0]
    recognition = infer_type(node, graph, acme_registry(), ())
    assert recognition is None or not recognition.is_sure
