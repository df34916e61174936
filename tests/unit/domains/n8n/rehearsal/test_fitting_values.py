"""Values for conditions fulfil them, or fail to, as demanded."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.domains.n8n.parameters.filter_conditions import OPERATIONS
from grounded_builder.domains.n8n.rehearsal.decisions import Condition
from grounded_builder.domains.n8n.rehearsal.fitting_values import find_value, holds
from grounded_builder.domains.n8n.rehearsal.variants import ABSENT, WantedValue

_RIGHTS: dict[str, Any] = {
    "string": "paid",
    "number": 10,
    "dateTime": "2026-03-01T00:00:00.000Z",
    "boolean": True,
    "array": 2,
    "object": {},
}


@pytest.mark.parametrize(
    ("kind", "operation"), [(kind, name) for kind, names in OPERATIONS.items() for name in names]
)
def test_every_operation_can_be_met_and_missed(kind: str, operation: str) -> None:
    """A value that meets a condition of n8n is found, and one that does not."""
    condition = Condition("={{ $json.a }}", kind, operation, _RIGHTS[kind])
    met, missed = find_value([(condition, True)]), find_value([(condition, False)])
    assert met is not None
    assert missed is not None
    assert (holds(condition, met), holds(condition, missed)) == (True, False)


def test_one_value_fulfils_several_conditions() -> None:
    """A range has a value inside; the last output of a Switch one that no rule names."""
    above, below = Condition(None, "number", "gt", 5), Condition(None, "number", "lt", 7)
    assert find_value([(above, True), (below, True)]) == 6
    rules = [(Condition(None, "string", "equals", text), False) for text in ("new", "paid")]
    assert find_value(rules) not in (None, "new", "paid")
    assert find_value([(above, True), (above, False)]) is None


def test_a_value_is_written_where_the_path_leads() -> None:
    """Containers on the way are made, other fields stay, and an absent field is removed."""
    item = {"body": {"kept": 1, "list": "text"}}
    written = WantedValue("Hook", ("body", "list", 1, "a"), 5).write(item)
    assert written == {"body": {"kept": 1, "list": [{}, {"a": 5}]}}
    assert WantedValue("Hook", ("body", "kept"), ABSENT).write(item) == {"body": {"list": "text"}}


def test_an_absent_element_ends_its_list() -> None:
    """A list has no mark in place of an element, which no workflow could be sent with."""
    assert WantedValue("Hook", ("photos", 1), ABSENT).write({"photos": [1, 2, 3]}) == {
        "photos": [1]
    }
    assert WantedValue("Hook", ("photos", 0), ABSENT).write({}) == {"photos": []}
