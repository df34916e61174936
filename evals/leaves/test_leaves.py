"""Tests that no value of a draft is lost in compiling: real plans, odd plans, native drafts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evals.alarms.alarm import DATA
from evals.differential.questions import read_tools
from evals.leaves.__main__ import count_dropped, count_leaves, make_compiler, make_lowerer
from evals.leaves.effects import Written, find_dropped, list_written, questions_of
from evals.leaves.fates import Leaf, Outcome, count_fates
from evals.leaves.oddities import ODDITIES, make_odd
from grounded_builder.catalog.registry import Registry
from runtime import paths
from tests.support.registries import acme_registry, registry_from

_HOOK, _MAIL = "acme-nodes.hook", "acme-nodes.mail"
_PLAN: dict[str, Any] = {
    "goal": "Example",
    "steps": [
        {"id": "start", "tool": _HOOK, "params": {"path": "hello"}},
        {"id": "end", "tool": _MAIL, "params": {"subject": "hi"}, "inputs": ["start"]},
    ],
}
needs_corpora = pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} is absent")


@pytest.fixture(scope="module")
def registry(catalog_file: Path) -> Registry:
    """Returns the catalog of the installed n8n."""
    return registry_from(catalog_file.read_bytes())


@needs_corpora
@pytest.mark.parametrize(
    ("form", "every"), [("plans", 400), ("native", 100), ("odd plans", 400), ("odd native", 400)]
)
def test_no_leaf_of_a_real_workflow_is_lost(registry: Registry, form: str, every: int) -> None:
    """Each key and value is in the result, is reported, or is noted."""
    fates, lost = count_leaves(registry, form, every)
    assert sum(fates.values()) > 30
    kinds = [kind for kind, fate in fates if fate == "lost"]
    assert not kinds, {kind: lost[kind][:3] for kind in kinds}


@pytest.mark.parametrize("kind", ODDITIES)
def test_no_oddity_of_a_small_plan_is_lost(kind: str) -> None:
    """Forty plans with an oddity of each class lose none of its leaves."""
    compile_, lower = make_compiler(acme_registry()), make_lowerer(acme_registry())
    for seed in range(40):
        odd, place = make_odd(_PLAN, kind, str(seed))
        if place is None:
            continue
        for leaf, _, fate in count_fates(odd, compile_, lower, {place: kind}):
            assert fate != "lost", (leaf, json.dumps(odd))


@needs_corpora
@pytest.mark.parametrize("form", ["plans", "native"])
def test_n8n_keeps_every_parameter_that_no_finding_names(
    registry: Registry, catalog_file: Path, form: str
) -> None:
    """n8n drops parameters without an effect; those of a sample of drafts are reported."""
    total, dropped = count_dropped(registry, catalog_file, form, 200)
    assert total > 300
    assert dropped == []


def test_a_parameter_without_an_effect_is_found(registry: Registry, catalog_file: Path) -> None:
    """A hidden parameter without a finding counts as dropped."""
    hidden = {"url": "https://example.org", "sendBody": False, "jsonBody": "{}"}
    node = {"name": "Get", "type": "n8n-nodes-base.httpRequest", "typeVersion": 4.2}
    draft = {"name": "n", "nodes": [{**node, "parameters": hidden}], "connections": {}}
    compile_, lower = make_compiler(registry), make_lowerer(registry)
    outcome = Outcome(draft, compile_, lower)
    artifact = outcome.compilation.artifact
    assert artifact is not None
    questions = list(questions_of("k", artifact, read_tools(catalog_file)))
    leaf = Leaf(("nodes", 0, "parameters", "jsonBody"), "{}")
    homes = (paths.n8n_home(), paths.node())
    assert outcome.is_reported(leaf)
    assert leaf.at not in [item.leaf.at for item in list_written("k", outcome)]
    written = Written("k", leaf, 0, ("jsonBody",))
    assert find_dropped([written], questions, catalog_file, homes) == [written]


@pytest.mark.parametrize(
    "change",
    [
        # The value is in another parameter, without a finding.
        {"to": "Bob", "text": "Ann"},
        # The value is only a part of what is written.
        {"to": "Ann Smith", "text": "Hello"},
    ],
)
def test_a_value_elsewhere_is_not_found_again(change: dict[str, Any]) -> None:
    """A leaf only counts at its own place, or moved with a note."""
    compile_, lower = make_compiler(acme_registry()), make_lowerer(acme_registry())
    mail = {"id": "end", "tool": _MAIL, "inputs": ["start"]}

    def make_plan(params: dict[str, Any]) -> dict[str, Any]:
        return {**_PLAN, "steps": [_PLAN["steps"][0], {**mail, "params": params}]}

    fates = {
        leaf.at: fate
        for leaf, _, fate in count_fates(
            make_plan({"to": "Ann", "text": "Hello"}), lambda _: compile_(make_plan(change)), lower
        )
    }
    assert fates["steps", 1, "params", "to"] == "lost"


def test_an_input_without_its_connection_is_lost() -> None:
    """An input is lost if its step is connected to another one than it names."""
    compile_, lower = make_compiler(acme_registry()), make_lowerer(acme_registry())
    third = {"id": "third", "tool": _MAIL, "params": {"subject": "x"}, "inputs": ["start"]}
    draft = {**_PLAN, "steps": [*_PLAN["steps"], third]}
    swapped = [*_PLAN["steps"], {**third, "inputs": ["end"]}]
    fates = {
        leaf.at: fate
        for leaf, _, fate in count_fates(
            draft, lambda plan: compile_({**plan, "steps": swapped}), lower
        )
    }
    assert fates["steps", 2, "inputs", 0] == "lost"


def test_the_count_finds_a_leaf_that_is_lost() -> None:
    """A leaf is lost if the compiler never sees its key."""
    compile_, lower = make_compiler(acme_registry()), make_lowerer(acme_registry())
    draft = {**_PLAN, "owner": "quince"}
    fates = {
        leaf.at: fate
        for leaf, _, fate in count_fates(
            draft, lambda plan: compile_({k: v for k, v in plan.items() if k != "owner"}), lower
        )
    }
    assert fates.pop(("owner",)) == "lost"
    assert "lost" not in fates.values()
