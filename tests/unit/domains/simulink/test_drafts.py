"""Plans as a drafter writes them: what Simulink takes is not wrong, and what it refuses is told."""

from __future__ import annotations

import pytest

from evals.bench.simulink_plans import FAULTY, LEGAL, compiled, located
from tests.support.simulink import simulink_registry
from tests.support.simulink_drafts import Draft, drafts


@pytest.mark.parametrize("one", list(drafts(LEGAL)), ids=lambda one: one.goal)
def test_a_legal_plan_is_not_wrong(one: Draft) -> None:
    """What Simulink takes compiles, but for code and calls, which are refused on purpose."""
    made = compiled(one, simulink_registry())
    wrong = {said.code for said in made.diagnostics if said.rule.kind == "wrong"}
    assert wrong == ({one.expected} if one.expected else set())
    assert (made.artifact is None) == bool(one.expected)


@pytest.mark.parametrize("one", list(drafts(FAULTY)), ids=lambda one: one.goal)
def test_a_fault_is_told_at_its_step(one: Draft) -> None:
    """A plan that Simulink refuses is told so at the step that is amiss."""
    assert located(one, compiled(one, simulink_registry())) != "silent"
