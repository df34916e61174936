"""Finds the words of a clause that state where its object is put or taken from."""

from __future__ import annotations

from collections.abc import Sequence

from grounded_builder.drafting.planner.reading import Clause, Reading, Word
from grounded_builder.resolve.mentions import Mention

INTO = frozenset({"to", "into", "in", "onto", "on"})
OUT_OF = frozenset({"from", "of"})
BY = frozenset({"via", "with", "through", "using", "by"})
_PLACING = INTO | {"from"}
_ENDING = BY | {"and", "as", "for"}


def preposition_of(reading: Reading, clause: Clause, mention: Mention) -> tuple[str, int]:
    """Returns the preposition that a name stands behind, and where; "" where there is none."""
    before = reading.words(clause.start, clause.start + mention.at)
    for word in reversed(before):
        if word.folded_text in INTO or word.folded_text in OUT_OF or word.folded_text in BY:
            return word.folded_text, word.start
        if not word.text[0].isalnum():
            break
    return "", clause.start


def find_places(reading: Reading, clause: Clause, words: Sequence[Word]) -> frozenset[Word]:
    """Returns those of ``words`` that state where the object of a clause is put or taken from.

    They are behind a preposition of place that is behind the object, which is another word than
    the first, the verb, or a quoted text.
    """
    places: set[Word] = set()
    is_place = False
    for word in reading.words(clause.start, clause.end):
        if word.folded_text in _PLACING:
            before = slice(clause.start, word.start)
            is_quoted = reading.text[before] != reading.masked[before]
            is_place = is_quoted or any(w.start < word.start for w in words[1:])
        elif word.folded_text in _ENDING:
            is_place = False
        elif is_place and word in words:
            places.add(word)
    return frozenset(places)
