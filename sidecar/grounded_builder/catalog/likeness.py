"""Compares names by edits and letters: recognizes typos, and finds the most similar names.

All comparisons of names by their letters are made with these functions; the modules that call
them decide how much likeness is enough.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from heapq import nlargest

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

_MAX_RERANKED = 32
_MAX_LIKENESS_CHARS = 60
_MAX_POSTINGS = 4_000
_MAX_LENGTH = 200
_MAX_SEARCHES = 40
# Minimum share of letters, in percent, for a name to be offered for another.
_MIN_PERCENT = 62
_WORD = re.compile(r"\d+|[^\W\d_]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|[A-Z]")
# Minimum number of letters of a name for any typo, and of a word for a wrong letter.
_MIN_LENGTH, _MIN_WORD_LENGTH = 4, 4
_MIN_LENGTH_FOR_TWO_TYPOS = 10


def edits_between(text: str, other: str) -> int:
    """Returns the number of letters to add, remove, replace or exchange with the next one."""
    return OSA.distance(text, other)


def is_near(text: str, other: str, most: int = 1) -> bool:
    """Returns whether at most this many edits lie between two names."""
    return OSA.distance(text, other, score_cutoff=most) <= most


def percent_alike(text: str, other: str) -> float:
    """Returns the share of letters that two names have in common, in order, from 0 to 100."""
    return fuzz.ratio(text, other)


def is_typo(given: str, text: str) -> bool:
    """Returns whether one letter is added, missing, wrong or transposed; in long names two.

    Digits, the first letter of a word and short words must be equal: ``value2`` is not ``value1``,
    ``bcc`` not ``cc``, ``textA`` not ``textB``. Two typos must be in different words.
    """
    if not _MIN_LENGTH <= len(given) <= _MAX_LENGTH or abs(len(given) - len(text)) > 2:
        return False
    if digits_of(given) != digits_of(text):
        return False
    words, others = _WORD.findall(given), _WORD.findall(text)
    if len(words) != len(others):
        return OSA.distance(given.casefold(), text.casefold()) == 1
    pairs = [
        (word.casefold(), other.casefold())
        for word, other in zip(words, others, strict=True)
        if word.casefold() != other.casefold()
    ]
    most = 2 if len(given) >= _MIN_LENGTH_FOR_TWO_TYPOS else 1
    return len(pairs) <= most and all(_is_word_typo(*pair) for pair in pairs)


def digits_of(text: str) -> str:
    """Returns the digits of a name: names that differ by them are different names."""
    return "".join(mark for mark in text if mark.isdigit())


def without_spaces(text: str) -> str:
    """Returns a name without white space and case."""
    return "".join(text.split()).casefold()


def fewest_edits(text: str, names: Sequence[str], most: int, limit: int) -> list[tuple[int, str]]:
    """Returns the names within this many edits of another, with the edits, fewest first."""
    hits = process.extract(text, names, scorer=OSA.distance, score_cutoff=most, limit=limit)
    return [(int(edits), name) for name, edits, _ in hits]


def most_alike(
    text: str, names: Sequence[str], limit: int = 5, least: float = 0.0
) -> list[tuple[float, int]]:
    """Returns the percent by which names are alike with their places in the list, best first."""
    hits = process.extract(text, names, scorer=fuzz.ratio, limit=limit, score_cutoff=least)
    return [(percent, place) for _, percent, place in hits]


def find_nearest(token: str, names: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """Returns the names most similar to a token, best first, () if none is similar."""
    by_fold = {name.casefold(): name for name in names}
    folded = list(by_fold)
    close = most_alike(token.casefold()[:_MAX_LENGTH], folded, limit, _MIN_PERCENT)
    ranked = sorted(close, key=lambda hit: (-hit[0], folded[hit[1]]))
    return tuple(by_fold[folded[place]] for _, place in ranked)


class NearestNames:
    """Finds the names most similar to unknown ones.

    Beyond 40 different unknown names nothing is similar: a draft may have thousands.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(names)
        self._near: dict[str, tuple[str, ...]] = {}

    def near(self, name: str) -> tuple[str, ...]:
        """Returns the most similar names, best first."""
        if name not in self._near:
            if len(self._near) >= _MAX_SEARCHES:
                return ()
            self._near[name] = find_nearest(name, self._names)
        return self._near[name]


class TrigramIndex:
    """Finds similar names by the trigrams they share, with bounded work for any number."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = sorted(names)
        self._postings: dict[str, array[int]] = defaultdict(lambda: array("I"))
        for place, name in enumerate(self._names):
            for gram in _trigrams(name):
                self._postings[gram].append(place)

    def near(self, text: str, limit: int = _MAX_RERANKED) -> list[tuple[float, str]]:
        """Returns the names most similar to another with the percent of likeness, best first."""
        text = text[:_MAX_LIKENESS_CHARS]
        known = [self._postings[gram] for gram in _trigrams(text) if gram in self._postings]
        known.sort(key=len)
        shared: dict[int, int] = {}
        read = 0
        for postings in known:
            read += len(postings)
            if read > _MAX_POSTINGS and shared:
                break
            for place in postings:
                shared[place] = shared.get(place, 0) + 1
        names, size = self._names, len(text)
        scored = [(count / (len(names[at]) + size), -at) for at, count in shared.items()]
        likely = [names[-at] for _, at in nlargest(_MAX_RERANKED, scored)]
        return [(percent, likely[place]) for percent, place in most_alike(text, likely, limit)]


def _is_word_typo(given: str, text: str) -> bool:
    if given[:1] != text[:1] and sorted(given) != sorted(text):
        return False
    if OSA.distance(given, text) != 1:
        return False
    # In a short word a wrong letter makes another word.
    return len(given) != len(text) or sorted(given) == sorted(text) or len(text) >= _MIN_WORD_LENGTH


def _trigrams(name: str) -> set[str]:
    padded = f" {name} "
    return {padded[i : i + 3] for i in range(len(padded) - 2)}
