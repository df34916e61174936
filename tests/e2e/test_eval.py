"""A fixed slice of ``make eval`` in the real n8n."""

from __future__ import annotations

from grounded_builder.conversing import Conversations
from grounded_builder.domains.n8n.domain import N8N
from tests.eval.__main__ import creating
from tests.eval.asked import SLICE, asked
from tests.eval.measure import measured, table
from tests.support.import_desk import Desk


def test_a_slice_of_the_evaluation(desk: Desk) -> None:
    """Whatever the planner makes of collected requests, n8n takes it, and clauses are accounted."""
    talks = Conversations(desk.store, N8N, desk.registry, tuple)
    made = measured(asked(SLICE), talks, creating(desk))
    print(table(made))
    assert len(made) == 3
    assert [one.refused_by_n8n for one in made] == [None] * 3
    assert all(one.clauses for one in made)
    assert all(2 * one.placed >= one.clauses for one in made if one.outcome != "refused")
