"""Tests that the injector is independent of the compiler and makes every kind of fault."""

from __future__ import annotations

import ast
from pathlib import Path

from evals.faults.bench import SEED, Bench
from evals.faults.injection import FINDERS, cases, own_workflows, scenes_of
from evals.faults.kinds import BY_NAME, GROUPS, KINDS

HERE = Path(__file__).parent
DOOR = "judge.py"
SUBJECT = "grounded_builder"
ENTRY = {"compiler.pipeline", "ir.options", "domains.n8n.domain"}


def test_each_kind_has_what_injects_it() -> None:
    """The kinds that are reported are those that are injected, each of a known group."""
    assert len(BY_NAME) == len(KINDS)
    assert FINDERS.keys() == BY_NAME.keys()
    assert {kind.group for kind in KINDS} == set(GROUPS)


def test_the_injector_knows_nothing_of_what_it_measures() -> None:
    """Only one file imports the product, and no more of it than what judges."""
    for file in HERE.glob("*.py"):
        imported = {name for name in _imports(file) if name.split(".")[0] == SUBJECT}
        allowed = {f"{SUBJECT}.{name}" for name in ENTRY} if file.name == DOOR else set()
        assert imported <= allowed, file.name


def test_own_workflows_are_sound_and_take_every_fault(context: Bench) -> None:
    """Nothing in the own workflows is wrong, and each kind can be injected into one of them."""
    scenes = scenes_of(own_workflows(), context.catalog)
    for scene in scenes:
        saids = context.judge(scene.document)
        assert not [item for item in saids if item.gravity == "wrong"], scene.document["name"]
    assert not [kind.name for kind in KINDS if not list(cases(kind, scenes, SEED))]


def test_an_injection_changes_only_the_copy(context: Bench) -> None:
    """A mutated workflow differs from the one that it was made of, which stays as it was."""
    scenes = scenes_of(own_workflows(), context.catalog)
    originals = list(own_workflows())
    for kind in KINDS:
        for case in cases(kind, scenes, SEED):
            assert case.make_document() != case.scene.document, kind.name
    assert [scene.document for scene in scenes] == originals


def _imports(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names
