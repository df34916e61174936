"""Our reading of parameters and credentials beside that of the installed n8n, node by node.

The descriptions are those of the registry for both. The real workflows are looked for beside the
checkout; without them the invented nodes, which cover every tool at every version, remain.
GROUNDED_DIFFERENTIAL=all takes all real workflows instead of a slice.
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

from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.credentials import check_credentials, chosen_types
from grounded_builder.domains.n8n.parameters import check_parameters
from grounded_builder.domains.n8n.parameters.defaults import fill
from grounded_builder.domains.n8n.parameters.issues import find_issues
from grounded_builder.domains.n8n.parameters.plan import plan_for
from grounded_builder.graph import Bound, Graph, Node, Resolved
from grounded_builder.registry.registry import Registry
from grounded_builder.setting import Setting
from tests.differential.oracle import Answer, Question, ask
from tests.differential.questions import SHARED, broken, invented, real, tools_of
from tests.support.registries import registry_from

SEED = 20
SLICE = 500

# Found by n8n or derived from what n8n reports: absent, of another type, too many.
_REFUSALS = frozenset({"GB301", "GB304", "GB305", "GB307", "GB329"})


@dataclass(frozen=True, slots=True)
class Exam:
    """The questions with n8n's answers, and the registry that ours come from."""

    questions: list[Question]
    answers: dict[str, Answer]
    registry: Registry

    def pairs(self) -> Iterable[tuple[Question, Answer, Bound]]:
        for question in self.questions:
            yield question, self.answers[question.id], _bound(question, self.registry)


@pytest.fixture(scope="module")
def exam(
    catalog_file: Path, n8n_dir: Path, node: Path, tmp_path_factory: pytest.TempPathFactory
) -> Exam:
    registry = registry_from(catalog_file.read_bytes())
    catalog = tmp_path_factory.mktemp("exam") / "catalog.jsonl"
    catalog.write_bytes(
        b"".join(orjson.dumps(registry.tool(id_)) + b"\n" for id_ in registry.tools)
    )
    tools = tools_of(catalog)
    questions = list(invented(tools, SEED))
    skipped: Counter[str] = Counter()
    if SHARED.exists():
        everything = os.environ.get("GROUNDED_DIFFERENTIAL") == "all"
        from_life, skipped = real(tools, SEED, None if everything else SLICE)
        questions += from_life + broken(from_life, SEED, len(from_life) // 3)
    else:
        print(f"no real workflows: {SHARED} is absent")
    print(f"{len(questions):,} nodes, skipped {dict(skipped)}")
    answers = ask(questions, catalog, n8n_dir, node)
    return Exam(questions, answers, registry)


def test_parameters_are_filled_as_n8n_fills_them(exam: Exam) -> None:
    """Defaults filled in and hidden values dropped, the parameters equal n8n's."""
    differing: list[str] = []
    for question, answer, bound in exam.pairs():
        if answer.error:
            continue
        full = fill(bound.spec.declarations, bound.node.params)[1]
        if full != answer.full and not _patched_filter(full, answer.full):
            differing.append(question.id)
    assert not differing, differing[:5]


def test_the_faults_are_those_that_n8n_finds(exam: Exam) -> None:
    """A parameter is at fault exactly when n8n says so; where n8n breaks, something is."""
    differing: list[Any] = []
    at_fault = 0
    for question, answer, bound in exam.pairs():
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


def test_every_refusal_of_n8n_is_a_finding(exam: Exam) -> None:
    """A node that n8n refuses gets a finding; one that it accepts misses no parameter."""
    differing: list[Any] = []
    for question, answer, bound in exam.pairs():
        findings = [d for d in _check(check_parameters, bound, exam.registry) if _refuses(d)]
        refused = bool(answer.error or answer.thrown or answer.parameters)
        missing = any(d.code == "GB301" for d in findings)
        if bound.node.disabled or not _has_ports(bound):
            continue
        if (refused and not findings) or (missing and not refused):
            differing.append((question.id, answer.parameters, answer.error))
    assert not differing, differing[:5]


def test_missing_credentials_are_those_that_n8n_misses(exam: Exam) -> None:
    """Of the declared types those are missing that n8n misses."""
    differing: list[Any] = []
    for question, answer, bound in exam.pairs():
        if answer.error:
            continue
        declared = {rule.type for rule in bound.spec.credentials}
        findings = _check(check_credentials, bound, exam.registry)
        ours = {d.token for d in findings if d.code == "N8N303"} & declared
        chosen = set(chosen_types(bound.spec, answer.full))
        if ours - chosen != set(answer.credentials) - chosen:
            differing.append((question.id, sorted(map(str, ours)), answer.credentials))
    assert not differing, differing[:5]


def _bound(question: Question, registry: Registry) -> Bound:
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
    return Bound(node, registry.tools[question.tool], question.version, spec)


def _check(check: Any, bound: Bound, registry: Registry) -> list[Diagnostic]:
    graph = Graph({}, (bound.node,), ())
    return list(check(Resolved(graph, (bound,), {bound.node.name: bound}), registry, Setting()))


def _refuses(diagnostic: Diagnostic) -> bool:
    return diagnostic.code in _REFUSALS


def _has_ports(bound: Bound) -> bool:
    variant = bound.spec.variant
    return bool(variant["inputs"] or variant["outputs"])


def _patched_filter(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Whether they differ only in a filter whose options were a text or a list.

    n8n spreads such options by index into the defaults; nothing reads the result.
    """
    differing = [name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)]
    return all(
        isinstance(ours.get(name), dict) and "combinator" in ours[name] for name in differing
    )
