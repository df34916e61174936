"""Tests that no leaf of a sample of drafts is lost: real plans, odd plans, native drafts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.alarms.alarm import DATA
from evals.leaves.__main__ import compiler, count, lowerer
from evals.leaves.fates import count_fates
from evals.leaves.oddities import ODDITIES, make_odd
from grounded_builder.catalog.registry import Registry
from tests.support.registries import acme_registry, registry_from

_HOOK, _MAIL = "acme-nodes.hook", "acme-nodes.mail"
_PLAN = {
    "goal": "Example",
    "steps": [
        {"id": "start", "tool": _HOOK, "params": {"path": "hello"}},
        {"id": "end", "tool": _MAIL, "params": {"subject": "hi"}, "inputs": ["start"]},
    ],
}
needs_corpora = pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} is absent")


@pytest.fixture(scope="module")
def registry(catalog_file: Path) -> Registry:
    """The catalog of the installed n8n."""
    return registry_from(catalog_file.read_bytes())


@needs_corpora
@pytest.mark.parametrize(("form", "every"), [("plans", 400), ("native", 100), ("odd plans", 400)])
def test_no_leaf_of_a_real_workflow_is_lost(registry: Registry, form: str, every: int) -> None:
    """Each key and value is in the result, is reported, or is noted."""
    fates, lost = count(registry, form, every)
    assert sum(fates.values()) > 50
    kinds = [kind for kind, fate in fates if fate == "lost"]
    assert not kinds, {kind: lost[kind][:3] for kind in kinds}


@pytest.mark.parametrize("kind", ODDITIES)
def test_no_oddity_of_a_small_plan_is_lost(kind: str) -> None:
    """Forty plans with an oddity of each class lose none of its leaves."""
    compile_, lower = compiler(acme_registry()), lowerer(acme_registry())
    for seed in range(40):
        odd, place = make_odd(_PLAN, kind, str(seed))
        if place is None:
            continue
        for leaf, _, fate in count_fates(odd, compile_, lower, {place: kind}):
            assert fate != "lost", (leaf, json.dumps(odd))


def test_the_count_finds_a_leaf_that_is_lost() -> None:
    """A compiler that never sees a key loses its leaf."""
    compile_, lower = compiler(acme_registry()), lowerer(acme_registry())
    draft = {**_PLAN, "owner": "quince"}
    fates = {
        leaf.at: fate
        for leaf, _, fate in count_fates(
            draft, lambda plan: compile_({k: v for k, v in plan.items() if k != "owner"}), lower
        )
    }
    assert fates.pop(("owner",)) == "lost"
    assert "lost" not in fates.values()
