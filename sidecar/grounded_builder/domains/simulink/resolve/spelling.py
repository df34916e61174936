"""Finds blocks by a misspelled name, by most of its words, or by similar names."""

from __future__ import annotations

from collections.abc import Iterable

from grounded_builder.catalog.likeness import edits_between, is_near
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import GENERIC_NOUNS, singular, split_identifier, stem
from grounded_builder.domains.simulink.resolve.name_index import BASE, Names, fold, names_of

_MOST = 5
_SHORTEST_SLIP = 5
_SHORTEST_WORD = 4
_LONG = 9
_LEAST_SHARE = 0.6
_EMPTY = frozenset(
    stem(word) for word in (*GENERIC_NOUNS, "system", "signal", "source", "simulink")
)


def find_misspelling(name: str, registry: Registry) -> list[str] | None:
    """Returns the blocks of the only name of which this is a misspelling.

    None when it may be another word. A single word may differ, by one letter, or two in a long
    word. It must begin with the same letter and must not be a word of any block's name: ``Get`` is
    not a misspelling of ``Set``.
    """
    names = names_of(registry)
    words = split_identifier(name)
    strange = [
        word for word in words if word not in names.words and singular(word) not in names.words
    ]
    if len(strange) > 1 or len(fold(name)) < _SHORTEST_SLIP:
        return None
    if not strange:
        return None
    entries: dict[str, int] = {}
    word = strange[0]
    if len(word) < _SHORTEST_WORD:
        return None
    for other in _like(word, names):
        form = fold(" ".join(other if item == word else item for item in words))
        if form in names.titles or form in names.others:
            entries[form] = edits_between(word, other)
    if not entries:
        return None
    best = min(entries.values())
    closest = [form for form, distance in entries.items() if distance == best]
    if len(closest) != 1:
        return None
    key = closest[0]
    return list(dict.fromkeys([*names.titles.get(key, ()), *names.others.get(key, ())]))


def _like(word: str, names: Names) -> list[str]:
    most = 2 if len(word) >= _LONG else 1
    return [
        other
        for other in names.words
        if other[0] == word[0]
        and len(other) >= _SHORTEST_WORD
        and (len(word) >= _SHORTEST_SLIP or sorted(other) == sorted(word))
        and abs(len(other) - len(word)) <= most
        and not any(mark.isdigit() for mark in other + word)
        and not _is_derived(*sorted((word, other), key=len))
        and is_near(word, other, most)
    ]


def _is_derived(short: str, long: str) -> bool:
    """Returns whether a word is another with a suffix: "interruptor" is not "interrupt"."""
    return len(long) - len(short) > 1 and long.startswith(short)


def find_by_words(name: str, registry: Registry) -> list[str]:
    """Returns the blocks that most words of a name describe, best first; empty where few do."""
    content = [stem(word) for word in split_identifier(name)]
    content = [word for word in content if word not in _EMPTY] or content
    if not content:
        return []
    search = registry.search
    results: list[tuple[float, bool, str]] = []
    for hit in search.find(name, 24):
        own = search.by_id[hit.tool].name_stems
        share = sum(word in own for word in content) / len(content)
        if share >= _LEAST_SHARE and not registry.tools[hit.tool].hidden:
            results.append((-share, registry.tools[hit.tool].package != BASE, hit.tool))
    results.sort(key=lambda item: item[:2])
    return [tool for *_, tool in results[:_MOST]]


def find_similar(name: str, registry: Registry) -> list[str]:
    """Returns blocks with similar names or words, for a list of alternatives."""
    by_words = [hit.tool for hit in registry.search.find(name, 3)]
    by_letters = [hit.id for hit in registry.names.near(name, 3)]
    return list(dict.fromkeys([*_usual(by_words, registry), *_usual(by_letters, registry)]))[:_MOST]


def _usual(ids: Iterable[str], registry: Registry) -> list[str]:
    return [id_ for id_ in ids if not registry.tools[id_].hidden]
