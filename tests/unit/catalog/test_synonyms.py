"""Synonyms are distinguished from other words."""

from __future__ import annotations

import pytest

from grounded_builder.catalog.synonyms import (
    VERBS,
    canonical_word,
    is_verb,
    parameter_word,
    related_words,
    synonym_groups,
)
from grounded_builder.catalog.tokenize import stem


@pytest.mark.parametrize(
    ("word", "other", "expected"),
    [
        ("remove", "delete", True),
        ("mail", "email", True),
        ("lookup", "find", True),
        ("delete", "create", False),
        ("update", "delete", False),
    ],
)
def test_words_of_one_row_stand_for_one_another(word: str, other: str, *, expected: bool) -> None:
    """A word that deletes stands for no other that does not."""
    assert bool(synonym_groups(stem(word)) & synonym_groups(stem(other))) is expected


def test_things_are_no_verbs() -> None:
    """A row states what is done, or to what."""
    assert is_verb("retrieve")
    assert not is_verb("spreadsheet")
    assert not VERBS & {"mail", "row", "file"}


def test_a_capability_has_one_spelling() -> None:
    """Words without another spelling stay as they are."""
    assert [canonical_word(word) for word in ("lookup", "search", "sheet", "zebra")] == [
        "search",
        "search",
        "spreadsheet",
        "zebra",
    ]


def test_a_thing_is_not_related_to_itself() -> None:
    """Things that are found together name each other."""
    assert related_words("file") == {"folder", "directory", "path"}
    assert all(word in related_words(other) for word in ("file", "path") for other in ("folder",))
    assert related_words("zebra") == frozenset()


def test_one_input_has_one_word() -> None:
    """The common names of one input of a step map to one word, and other words to none."""
    assert parameter_word("recipient") == parameter_word("to") == "to"
    assert parameter_word("zebra") is None
