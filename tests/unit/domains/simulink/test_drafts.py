"""Plans that Simulink accepts are not wrong, and those that it refuses are reported."""

from __future__ import annotations

import pytest

from evals.bench.simulink_plans import FAULTY, LEGAL, compile_plan, grade_location
from tests.support.simulink import simulink_registry
from tests.support.simulink_drafts import Draft, read_drafts


@pytest.mark.parametrize("draft", list(read_drafts(LEGAL)), ids=lambda draft: draft.goal)
def test_a_legal_plan_is_not_wrong(draft: Draft) -> None:
    """Every plan that Simulink accepts compiles, except for code and calls."""
    made = compile_plan(draft, simulink_registry())
    wrong = {diagnostic.code for diagnostic in made.diagnostics if diagnostic.rule.kind == "wrong"}
    assert wrong == ({draft.expected} if draft.expected else set())
    assert (made.artifact is None) == bool(draft.expected)


@pytest.mark.parametrize("draft", list(read_drafts(FAULTY)), ids=lambda draft: draft.goal)
def test_a_fault_is_reported_at_its_step(draft: Draft) -> None:
    """A plan that Simulink refuses has a finding at the faulty step."""
    assert grade_location(draft, compile_plan(draft, simulink_registry())) != "silent"
