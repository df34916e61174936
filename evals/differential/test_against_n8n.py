"""Compares our checks of parameters and credentials with those of n8n, node by node.

Both use the node descriptions of the registry. The real workflows are expected next to the
checkout; without them, invented nodes for every tool at every version, and mutated nodes remain.
GROUNDED_DIFFERENTIAL=all uses all real workflows instead of a slice, each also mutated once;
GROUNDED_SEED sets the seed. Known differences and their reasons are in `known_differences.py`: at
most ten, none for a single node or file, together under 0.3 % of the nodes.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest

from evals.differential import known_differences
from evals.differential.known_differences import MOST, OF_FILLING, SHARE
from evals.differential.mutations import ask_about_bare_nodes, mutate_questions
from evals.differential.oracle import Answer, Question, ask
from evals.differential.questions import (
    SHARED,
    ask_about_real_nodes,
    break_questions,
    invent_questions,
    read_tools,
)
from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.check.credentials import (
    check_credentials,
    chosen_types,
    optional_types,
)
from grounded_builder.domains.n8n.parameters import check_parameters
from grounded_builder.domains.n8n.parameters.defaults import fill
from grounded_builder.domains.n8n.parameters.native_issues import find_issues
from grounded_builder.domains.n8n.parameters.required_fields import (
    NEEDED_FIELDS,
    find_matching_mappers,
)
from grounded_builder.domains.n8n.parameters.visibility_plan import plan_for
from grounded_builder.ir.graph import Graph, Node, ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions
from tests.support.registries import registry_from

SEED = int(os.environ.get("GROUNDED_SEED", "20"))
SLICE = 500
MUTATED = 3000
EVERYTHING = os.environ.get("GROUNDED_DIFFERENTIAL") == "all"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The questions with n8n's answers, and the registry for our own checks."""

    questions: list[Question]
    answers: dict[str, Answer]
    registry: Registry

    def pairs(self) -> Iterable[tuple[Question, Answer, ResolvedNode]]:
        for question in self.questions:
            yield question, self.answers[question.id], _resolve_question(question, self.registry)


@pytest.fixture(scope="module")
def comparison(
    catalog_file: Path, n8n_dir: Path, node: Path, tmp_path_factory: pytest.TempPathFactory
) -> Comparison:
    registry = registry_from(catalog_file.read_bytes())
    catalog = tmp_path_factory.mktemp("exam") / "catalog.jsonl"
    catalog.write_bytes(
        b"".join(orjson.dumps(registry.tool(id_)) + b"\n" for id_ in registry.tools)
    )
    tools = read_tools(catalog)
    questions = list(invent_questions(tools, SEED))
    skipped: Counter[str] = Counter()
    changed = ask_about_bare_nodes(tools)
    if SHARED.exists():
        from_life, skipped = ask_about_real_nodes(tools, SEED, None if EVERYTHING else SLICE)
        questions += from_life + break_questions(from_life, SEED, len(from_life) // 3)
        changed += from_life
    else:
        print(f"no real workflows: {SHARED} is absent")
    questions += mutate_questions(changed, tools, SEED, len(changed) if EVERYTHING else MUTATED)
    print(f"{len(questions):,} nodes, skipped {dict(skipped)}")
    answers = ask(questions, catalog, n8n_dir, node)
    return Comparison(questions, answers, registry)


def test_parameters_are_filled_as_n8n_fills_them(comparison: Comparison) -> None:
    """Parameters with defaults and without hidden values equal those of n8n.

    Differences have a known reason, and in a full run every known reason occurs.
    """
    differing: list[str] = []
    known: Counter[str] = Counter()
    for question, answer, bound in comparison.pairs():
        if answer.error:
            continue
        full = fill(bound.spec.declarations, bound.node.params)[1]
        if full == answer.full:
            continue
        reasons = [each.__name__ for each in OF_FILLING if each(full, answer.full)]
        known.update(reasons[:1])
        if not reasons:
            differing.append(question.id)
    print(f"known differences {dict(known)}")
    assert not differing, differing[:5]
    assert known.total() <= SHARE * len(comparison.questions)
    assert not EVERYTHING or set(known) == {each.__name__ for each in OF_FILLING}


def test_the_known_differences_are_few() -> None:
    """There are at most ten reasons, and none names a node."""
    assert len(OF_FILLING) <= MOST
    source = Path(known_differences.__file__).read_text("utf-8")
    assert "n8n-nodes" not in source


def test_the_faults_are_those_that_n8n_finds(comparison: Comparison) -> None:
    """A parameter has an issue exactly when n8n reports one; if n8n throws, at least one has."""
    differing: list[Any] = []
    at_fault = 0
    for question, answer, bound in comparison.pairs():
        if answer.error or bound.node.disabled:
            continue
        params = bound.node.params
        plan = plan_for(bound.spec.declarations, params)
        full = fill(bound.spec.declarations, params)[1]
        ours = {issue.key for issue in find_issues(bound.spec.declarations, plan, full)}
        at_fault += bool(ours)
        agreed = bool(ours) if answer.thrown else ours == set(answer.parameters)
        if not agreed:
            differing.append((question.id, sorted(ours), answer.parameters, answer.thrown))
    print(f"{at_fault:,} nodes with faults")
    assert not differing, differing[:5]


def test_every_refusal_of_n8n_is_a_finding(comparison: Comparison) -> None:
    """What n8n refuses has a finding other than advice, at the parameter that n8n names.

    If n8n cannot fill the parameters, there is a finding somewhere; if it refuses nothing, no
    parameter is missing.
    """
    differing: list[Any] = []
    for question, answer, bound in comparison.pairs():
        if bound.node.disabled or not _has_ports(bound):
            continue
        findings = [d for d in _check(check_parameters, bound, comparison.registry) if _refuses(d)]
        routes = {part for d in findings for part in d.at[3:]}
        untold = [key for key in answer.parameters if not routes & set(key.split("."))]
        broken_off = bool(answer.error or answer.thrown)
        # Some core nodes only check required fields in their code, so n8n refuses nothing
        # beforehand.
        mappers = (prop.name for prop in find_matching_mappers(bound.spec))
        needed = (*NEEDED_FIELDS.get(bound.node.tool or "", ()), *mappers)
        missing = any(d.code == "GB301" and not set(needed) & {d.token, *d.at} for d in findings)
        refused = broken_off or bool(answer.parameters)
        if untold or (broken_off and not findings) or (missing and not refused):
            differing.append((question.id, untold, answer.error))
    assert not differing, differing[:5]


def test_missing_credentials_are_those_that_n8n_misses(comparison: Comparison) -> None:
    """All credential types that n8n misses are missing, and otherwise only optional ones."""
    differing: list[Any] = []
    for question, answer, bound in comparison.pairs():
        if answer.error:
            continue
        findings = _check(check_credentials, bound, comparison.registry)
        ours = {str(d.token) for d in findings if d.code == "N8N303"}
        theirs = set(answer.credentials)
        chosen = {
            *chosen_types(bound.spec, answer.full),
            *optional_types(bound.spec, answer.full),
        }
        if not theirs <= ours or not ours - theirs <= chosen:
            differing.append((question.id, sorted(ours), answer.credentials))
    assert not differing, differing[:5]


def _resolve_question(question: Question, registry: Registry) -> ResolvedNode:
    node = Node(
        name=str(question.node.get("name")),
        tool=question.tool,
        version=question.version,
        params=question.node.get("parameters", {}),
        at=("nodes", 0),
        source=question.node,
        disabled=question.node.get("disabled") is True,
    )
    spec = registry.spec(question.tool, question.version)
    return ResolvedNode(node, registry.tools[question.tool], question.version, spec)


def _check(check: Any, bound: ResolvedNode, registry: Registry) -> list[Diagnostic]:
    graph = Graph({}, (bound.node,), ())
    return list(
        check(ResolvedGraph(graph, (bound,), {bound.node.name: bound}), registry, CompileOptions())
    )


def _refuses(diagnostic: Diagnostic) -> bool:
    return diagnostic.rule.kind != "advice"


def _has_ports(bound: ResolvedNode) -> bool:
    variant = bound.spec.variant
    return bool(variant["inputs"] or variant["outputs"])
