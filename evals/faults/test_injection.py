"""Tests that the injector is independent of the compiler and makes every kind of fault."""

from __future__ import annotations

import ast
from pathlib import Path

from evals.faults.bench import SEED, Bench
from evals.faults.injection import FINDERS, find_cases, read_own_workflows, read_scenes
from evals.faults.kinds import BY_NAME, GROUPS, KINDS

HERE = Path(__file__).parent
DOOR = "judge.py"
SUBJECT = "grounded_builder"
ENTRY = {"compiler.pipeline", "ir.options", "domains.n8n.domain"}


def test_each_kind_has_what_injects_it() -> None:
    """Every listed kind has a finder and a known group."""
    assert len(BY_NAME) == len(KINDS)
    assert FINDERS.keys() == BY_NAME.keys()
    assert {kind.group for kind in KINDS} == set(GROUPS)


def test_the_injector_knows_nothing_of_what_it_measures() -> None:
    """Only one file imports the product, and only its compiling entry points."""
    for file in HERE.glob("*.py"):
        imported = {name for name in _read_imports(file) if name.split(".")[0] == SUBJECT}
        allowed = {f"{SUBJECT}.{name}" for name in ENTRY} if file.name == DOOR else set()
        assert imported <= allowed, file.name


def test_own_workflows_are_sound_and_take_every_fault(context: Bench) -> None:
    """The own workflows have no errors, and each kind can be injected into one of them."""
    scenes = read_scenes(read_own_workflows(), context.catalog)
    for scene in scenes:
        findings = context.judge(scene.document)
        assert not [item for item in findings if item.gravity == "wrong"], scene.document["name"]
    assert not [kind.name for kind in KINDS if not list(find_cases(kind, scenes, SEED))]


def test_an_injection_changes_only_the_copy(context: Bench) -> None:
    """A case differs from its original workflow, which stays unchanged."""
    scenes = read_scenes(read_own_workflows(), context.catalog)
    originals = list(read_own_workflows())
    for kind in KINDS:
        for case in find_cases(kind, scenes, SEED):
            assert case.make_document() != case.scene.document, kind.name
    assert [scene.document for scene in scenes] == originals


def _read_imports(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names
