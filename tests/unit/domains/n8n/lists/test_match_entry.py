"""Texts and the entries of a list: by value, by name in any spelling, and similar names."""

from __future__ import annotations

import pytest

from grounded_builder.domains.n8n.lists.list_client import ListEntry
from grounded_builder.domains.n8n.lists.match_entry import match_column, match_entry

ENTRIES = (
    ListEntry("C1", "billing"),
    ListEntry("C2", "General"),
    ListEntry("C3", "general"),
    ListEntry("C4", "Sales EU"),
    ListEntry("C5", "Sales US"),
    ListEntry("C6", "random"),
    ListEntry("C7", "random"),
)


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("C1", "value", ["C1"]),
        ("billing", "name", ["C1"]),
        ("#billing", "name", ["C1"]),
        (" Billing ", "name", ["C1"]),
        ("general", "name", ["C3"]),
        ("General", "name", ["C2"]),
        ("GENERAL", "several", ["C2", "C3"]),
        ("random", "several", ["C6", "C7"]),
        ("Sales", "near", ["C4", "C5"]),
        ("biling", "near", ["C1"]),
        ("weather", "none", []),
        ("#", "none", []),
    ],
)
def test_only_the_entry_of_this_very_name_is_chosen(
    text: str, kind: str, values: list[str]
) -> None:
    """A name as written comes before another spelling; a similar name is only a candidate."""
    match = match_entry(text, ENTRIES)
    assert (match.kind, [entry.value for entry in match.entries]) == (kind, values)


def test_the_same_entry_twice_is_one() -> None:
    """Lists that repeat an entry on two pages leave no choice open."""
    match = match_entry("billing", (ENTRIES[0], ENTRIES[0]))
    assert match.kind == "name"


def test_a_column_is_found_by_its_id_before_its_label() -> None:
    """Two columns with one label are none of them."""
    columns = [{"id": "a", "displayName": "b"}, {"id": "b", "displayName": "c"}]
    assert match_column("b", columns) == (columns[1],)
    assert match_column("C", columns) == (columns[1],)
    twice = [{"id": "x", "displayName": "Name"}, {"id": "y", "displayName": "Name"}]
    assert len(match_column("Name", twice)) == 2
