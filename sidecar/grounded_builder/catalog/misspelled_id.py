"""A tool whose id a written one misses by a slip of the pen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from weakref import WeakKeyDictionary

from rapidfuzz import process
from rapidfuzz.distance import OSA

from grounded_builder.catalog.registry import Registry

# A letter too many, too few, another or two exchanged; of short ids that says nothing.
_SLIPS = 2
_LEAST = 4
_SHORT = 6

_WORD = re.compile(r"[^\W\d_]+")

_packed: WeakKeyDictionary[Registry, Mapping[str, tuple[str, ...]]] = WeakKeyDictionary()
_spoken: WeakKeyDictionary[Registry, frozenset[str]] = WeakKeyDictionary()


def misspelled_id(token: str, registry: Registry) -> str | None:
    """The one id with the same root that a token misses by a slip, None where there is none.

    Ids that differ by digits or by upper and lower case are no slips: they name other things, or
    the same thing at another time. Nor are words of ids, where a package is not known wholly.
    """
    root, _, rest = token.partition("/")
    ids = _by_root(registry).get(root, ())
    if len(rest) < _LEAST:
        return None
    best = process.extract(token, ids, scorer=OSA.distance, score_cutoff=_SLIPS, limit=2)
    if not best or (len(best) > 1 and best[0][1] == best[1][1]):
        return None
    text = best[0][0]
    if _bare(text) == _bare(token) or _digits(text) != _digits(token):
        return None
    words = frozenset[str]() if root in registry.packages else _words(registry)
    if _is_other_word(token, text, words):
        return None
    # A letter more or another one makes another short name: Sinc is no slip of Sin.
    if len(rest) < _SHORT and sorted(token) != sorted(text):
        return None
    # Two slips in a short name make another name.
    return text if best[0][1] == 1 or len(rest) >= 4 * _LEAST else None


def _by_root(registry: Registry) -> Mapping[str, tuple[str, ...]]:
    known = _packed.get(registry)
    if known is None:
        gathered: dict[str, list[str]] = {}
        for tool in registry.tools:
            gathered.setdefault(tool.partition("/")[0], []).append(tool)
        known = {root: tuple(ids) for root, ids in gathered.items()}
        _packed[registry] = known
    return known


def _words(registry: Registry) -> frozenset[str]:
    """Every word that ids have, in lower case."""
    known = _spoken.get(registry)
    if known is None:
        results = (word for tool in registry.tools for word in _WORD.findall(tool))
        known = _spoken[registry] = frozenset(map(str.casefold, results))
    return known


def _is_other_word(token: str, text: str, words: frozenset[str]) -> bool:
    """Whether the names at the ends of two paths differ by words rather than letters.

    ``Encoder`` is no slip for ``Decoder``, which is a word too, nor ``AC`` for ``DC`` or ``GMSK``
    for ``MSK``: of what is written in capitals each letter counts. White space within says nothing.
    """
    # A doubled slash belongs to a name.
    name, other = (path.replace("//", " ").rpartition("/")[2] for path in (token, text))
    if name.count("(") != name.count(")") or "".join(name.split()) == "".join(other.split()):
        return False
    ours, theirs = _WORD.findall(name), _WORD.findall(other)
    changed = [word for word in ours if word not in theirs]
    if words and all(word.casefold() in words for word in changed):
        return True
    pair = changed + [word for word in theirs if word not in ours]
    if len(pair) != 2 or sorted(pair[0]) == sorted(pair[1]):
        return False
    is_short = len(name) == len(other) and max(map(len, pair)) < _LEAST
    return is_short or (all(map(str.isupper, pair)) and max(map(len, pair)) <= _SHORT)


def _bare(text: str) -> str:
    return "/".join(part.strip() for part in text.casefold().split("/"))


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())
