"""Similarity of names: edits, typos and the nearest of many names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounded_builder.catalog.likeness import (
    TrigramIndex,
    edits_between,
    fewest_edits,
    find_nearest,
    is_near,
    is_typo,
    most_alike,
    without_spaces,
)

_NAMES = st.text("abcXY 12", max_size=12)


@pytest.mark.long
@given(_NAMES, _NAMES, st.integers(0, 3))
def test_names_are_near_within_their_edits(text: str, other: str, most: int) -> None:
    """Both ways of counting edits agree, and count the same in both directions."""
    edits = edits_between(text, other)
    assert is_near(text, other, most) == (edits <= most)
    assert edits == edits_between(other, text)
    assert (edits == 0) == (text == other)
    assert fewest_edits(text, [other], most, 1) == ([(edits, other)] if edits <= most else [])


@pytest.mark.parametrize(
    ("given_name", "name", "expected"),
    [
        ("recieve", "receive", True),
        ("subjet", "subject", True),
        ("maxRersults", "maxResults", True),
        ("value2", "value1", False),
        ("bcc", "cc", False),
        ("textA", "textB", False),
        ("message", "massage", True),
        ("create", "update", False),
    ],
)
def test_a_typo_changes_no_word(given_name: str, name: str, *, expected: bool) -> None:
    """A letter is lost, doubled, wrong or out of place; numbers and first letters count."""
    assert is_typo(given_name, name) is expected


def test_the_nearest_names_come_first_and_strangers_not_at_all() -> None:
    """Case counts for nothing, and names of equal likeness come in order of the alphabet."""
    assert find_nearest("SHEETS", ["Sheet", "Slack", "sheets"]) == ("sheets", "Sheet")
    assert find_nearest("zzz", ["Sheet", "Slack"]) == ()
    assert find_nearest("ab", ["abd", "abc"]) == ("abc", "abd")


@given(st.lists(_NAMES.filter(bool), min_size=1, max_size=8, unique=True))
def test_an_index_finds_each_of_its_own_names(names: list[str]) -> None:
    """The name itself is the first answer, wholly alike, as in a list that is read through."""
    index = TrigramIndex(names)
    for name in names:
        assert index.near(name, 1) == [(100.0, name)]
        percent, place = most_alike(name, names, 1)[0]
        assert (percent, names[place]) == (100.0, name)


def test_white_space_and_case_make_no_other_name() -> None:
    """A name folds to one spelling."""
    assert without_spaces(" Google\tSheets ") == "googlesheets"
