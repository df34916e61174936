"""Locators that drafts write."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.domains.n8n.parameters.locators import complete_locator
from grounded_builder.domains.n8n.parameters.properties import Property
from tests.unit.domains.n8n.parameters.parameter_cases import declare

_MODES = [{"name": "list"}, {"name": "id"}]
PROJECT = Property(
    name="project",
    type="resourceLocator",
    raw=declare("project", "resourceLocator", {}, modes=_MODES),
    condition=True,
    options={},
    default={},
    multiple=None,
    filled=dict,
)
TO_CHOOSE = {"__rl": True, "mode": "list", "value": "", "cachedResultName": "House"}


@pytest.mark.parametrize(
    ("drafted", "located"),
    [
        ({"mode": "name", "value": "House"}, TO_CHOOSE),
        ({"mode": "name", "value": "2f81"}, {"__rl": True, "mode": "id", "value": "2f81"}),
        ({"mode": "id", "value": "House"}, {"__rl": True, "mode": "id", "value": "House"}),
        ({"value": "House"}, {"__rl": True, "mode": "id", "value": "House"}),
        ({"value": "My House"}, TO_CHOOSE | {"cachedResultName": "My House"}),
    ],
)
def test_a_name_is_no_id(drafted: dict[str, Any], located: dict[str, Any]) -> None:
    """A value that is drafted as a name, or that is a phrase, is left for a person to choose."""
    assert complete_locator(drafted, PROJECT) == located
