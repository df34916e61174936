"""Differences between a sent and a stored workflow, without those that n8n makes itself."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounded_builder.domains.n8n.deploy.readback_diff import (
    are_equal,
    differences,
    stored_differently,
)

SENT: dict[str, Any] = {
    "name": "A",
    "nodes": [
        {
            "id": "1",
            "name": "Hook",
            "type": "t",
            "typeVersion": 1,
            "position": [0, 0],
            "parameters": {"a": {"b": [1, 2.5, "x", None, True]}},
            "credentials": {"k": {"id": "c", "name": "old name"}},
        }
    ],
    "connections": {"Hook": {"main": [[{"node": "Hook", "type": "main", "index": 0}]]}},
    "settings": {"executionOrder": "v1"},
    "pinData": None,
}


def make_stored(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(SENT), "id": "w", "active": False, "meta": None, **changes}


def node(**changes: Any) -> dict[str, Any]:
    return make_stored(nodes=[{**copy.deepcopy(SENT["nodes"][0]), **changes}])


def test_fields_added_by_n8n_are_no_difference() -> None:
    """Workflow fields and webhook ids that n8n adds are no differences."""
    assert differences(SENT, node(webhookId="w")) == ()


@pytest.mark.parametrize(
    ("given_back", "at"),
    [
        (make_stored(name="B"), ("name",)),
        (make_stored(connections={}), ("connections", "Hook")),
        (make_stored(nodes=[]), ("nodes",)),
        (node(position=[0, 1]), ("nodes", 0, "position", 1)),
        (node(parameters={}), ("nodes", 0, "parameters", "a")),
        (
            node(parameters={"a": {"b": [1, 2.5, "x", None, 1]}}),
            ("nodes", 0, "parameters", "a", "b", 4),
        ),
        (
            node(parameters={**SENT["nodes"][0]["parameters"], "z": 1}),
            ("nodes", 0, "parameters", "z"),
        ),
        (node(disabled=True), ("nodes", 0, "disabled")),
        (
            node(credentials={"k": {"id": "other", "name": "old name"}}),
            ("nodes", 0, "credentials", "k", "id"),
        ),
        (node(credentials={}), ("nodes", 0, "credentials", "k")),
        (make_stored(settings={}), ("settings", "executionOrder")),
        (
            make_stored(settings={"executionOrder": "v1", "timezone": "UTC"}),
            ("settings", "timezone"),
        ),
    ],
)
def test_every_other_change_is_reported_at_its_place(
    given_back: dict[str, Any], at: tuple[Any, ...]
) -> None:
    """A change of what was sent, an addition to it and a loss from it are differences."""
    results = differences(SENT, given_back)
    assert [difference.at for difference in results] == [at]
    diagnostic = stored_differently(results)
    assert diagnostic.code == "N8N504"
    assert diagnostic.at == at


def test_a_credential_is_its_id() -> None:
    """n8n writes the present name beside the id of a credential."""
    assert differences(SENT, node(credentials={"k": {"id": "c", "name": "new name"}})) == ()


def test_settings_of_before_stay_after_an_update() -> None:
    """An update leaves settings that it does not mention, with the value that they had."""
    merged = make_stored(settings={"executionOrder": "v1", "timezone": "UTC"})
    assert differences(SENT, merged, {"timezone": "UTC"}) == ()
    assert differences(SENT, merged, {"timezone": "Europe/Berlin"})


@pytest.mark.parametrize(
    ("key", "value", "is_dropped"),
    [
        ("timezone", "DEFAULT", True),
        ("executionTimeout", -1, True),
        ("binaryMode", "separate", True),
        ("redactionPolicy", "none", True),
        ("redactionPolicy", "all", False),
        ("timezone", "UTC", False),
    ],
)
def test_a_setting_may_go_when_nothing_changes_by_it(
    key: str, value: Any, *, is_dropped: bool
) -> None:
    """n8n drops settings with default values; any other loss is a difference."""
    sent = {**SENT, "settings": {"executionOrder": "v1", key: value}}
    assert (differences(sent, make_stored()) == ()) is is_dropped


def test_static_data_may_be_text() -> None:
    """Static data sent as JSON text comes back as the object."""
    sent = {**SENT, "staticData": '{"a": 1}'}
    assert differences(sent, make_stored(staticData={"a": 1})) == ()
    assert differences(sent, make_stored(staticData={"a": 2}))


def test_numbers_are_those_of_javascript() -> None:
    """1 and 1.0 are one number, a number too large for a double is its nearest one."""
    assert are_equal(1, 1.0)
    assert are_equal(12345678901234567890, 12345678901234567000)
    assert are_equal(10**400, 10**500)
    assert not are_equal(1, True)
    assert not are_equal("1", 1)
    assert not are_equal(0, None)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_every_value_is_the_same_as_itself(value: Any) -> None:
    """A copy differs from nothing."""
    assert are_equal(value, copy.deepcopy(value))


@given(JSON, JSON)
def test_sameness_goes_both_ways(item: Any, other: Any) -> None:
    """The comparison of values is symmetric."""
    assert are_equal(item, other) == are_equal(other, item)
