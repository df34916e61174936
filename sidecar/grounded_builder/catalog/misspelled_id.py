"""Finds the tool id that a written id misspells by one or two letters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from weakref import WeakKeyDictionary

from grounded_builder.catalog.likeness import digits_of, fewest_edits
from grounded_builder.catalog.registry import Registry

# A misspelling differs by letters added, dropped, replaced or exchanged. In ids shorter than this,
# such a difference is no evidence.
_MAX_EDITS = 2
_MIN_CHARS = 4
_SHORT_CHARS = 6

_WORD = re.compile(r"[^\W\d_]+")

_ids_by_root: WeakKeyDictionary[Registry, Mapping[str, tuple[str, ...]]] = WeakKeyDictionary()
_id_words: WeakKeyDictionary[Registry, frozenset[str]] = WeakKeyDictionary()


def misspelled_id(token: str, registry: Registry) -> str | None:
    """Returns the one id with the same root that a token misspells, else None.

    Ids that differ in digits or only in case are no misspellings: they are other tools or other
    versions. Neither are ids that differ by a whole word, where the package is not fully known.
    """
    root, _, rest = token.partition("/")
    ids = _group_by_root(registry).get(root, ())
    if len(rest) < _MIN_CHARS:
        return None
    best = fewest_edits(token, ids, _MAX_EDITS, limit=2)
    if not best or (len(best) > 1 and best[0][0] == best[1][0]):
        return None
    edits, match = best[0]
    if _fold_path(match) == _fold_path(token) or digits_of(match) != digits_of(token):
        return None
    words = frozenset[str]() if root in registry.packages else _collect_words(registry)
    if _is_other_word(token, match, words):
        return None
    # In a short name, another letter makes another name: Sinc is no misspelling of Sin.
    if len(rest) < _SHORT_CHARS and sorted(token) != sorted(match):
        return None
    # In a short name, two edits make another name.
    return match if edits == 1 or len(rest) >= 4 * _MIN_CHARS else None


def _group_by_root(registry: Registry) -> Mapping[str, tuple[str, ...]]:
    known = _ids_by_root.get(registry)
    if known is None:
        groups: dict[str, list[str]] = {}
        for tool in registry.tools:
            groups.setdefault(tool.partition("/")[0], []).append(tool)
        known = {root: tuple(ids) for root, ids in groups.items()}
        _ids_by_root[registry] = known
    return known


def _collect_words(registry: Registry) -> frozenset[str]:
    """Returns the words of all ids, in lower case."""
    known = _id_words.get(registry)
    if known is None:
        words = (word for tool in registry.tools for word in _WORD.findall(tool))
        known = _id_words[registry] = frozenset(map(str.casefold, words))
    return known


def _is_other_word(token: str, match: str, words: frozenset[str]) -> bool:
    """Returns whether the last parts of two paths differ by words rather than by letters.

    ``Encoder`` is no misspelling of ``Decoder``, which is a word too. In capitals each letter
    counts: ``AC`` and ``DC``, or ``GMSK`` and ``MSK``, are different words. White space is ignored.
    """
    # A doubled slash is part of a block's name.
    name, other = (path.replace("//", " ").rpartition("/")[2] for path in (token, match))
    if name.count("(") != name.count(")") or "".join(name.split()) == "".join(other.split()):
        return False
    token_words, match_words = _WORD.findall(name), _WORD.findall(other)
    changed = [word for word in token_words if word not in match_words]
    if words and all(word.casefold() in words for word in changed):
        return True
    pair = changed + [word for word in match_words if word not in token_words]
    if len(pair) != 2 or sorted(pair[0]) == sorted(pair[1]):
        return False
    is_short = len(name) == len(other) and max(map(len, pair)) < _MIN_CHARS
    return is_short or (all(map(str.isupper, pair)) and max(map(len, pair)) <= _SHORT_CHARS)


def _fold_path(text: str) -> str:
    return "/".join(part.strip() for part in text.casefold().split("/"))
