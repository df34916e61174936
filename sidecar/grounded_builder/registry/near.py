"""A tool whose id a written one misses by a slip of the pen."""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

from rapidfuzz import process
from rapidfuzz.distance import OSA

from grounded_builder.registry.registry import Registry

# A letter too many, too few, another or two exchanged; of short ids that says nothing.
_SLIPS = 2
_LEAST = 4
_SHORT = 6

_packed: WeakKeyDictionary[Registry, Mapping[str, tuple[str, ...]]] = WeakKeyDictionary()


def slipped(token: str, registry: Registry) -> str | None:
    """The one id with the same root that a token misses by a slip, None where there is none.

    Ids that differ by digits or by upper and lower case are no slips: they name other things, or
    the same thing at another time.
    """
    root, _, rest = token.partition("/")
    ids = _by_root(registry).get(root, ())
    if len(rest) < _LEAST:
        return None
    best = process.extract(token, ids, scorer=OSA.distance, score_cutoff=_SLIPS, limit=2)
    if not best or (len(best) > 1 and best[0][1] == best[1][1]):
        return None
    meant = best[0][0]
    if meant.casefold() == token.casefold() or _digits(meant) != _digits(token):
        return None
    if _is_other_word(token, meant):
        return None
    # A letter more or another one makes another short name: Sinc is no slip of Sin.
    if len(rest) < _SHORT and sorted(token) != sorted(meant):
        return None
    # Two slips in a short name make another name.
    return meant if best[0][1] == 1 or len(rest) >= 4 * _LEAST else None


def _by_root(registry: Registry) -> Mapping[str, tuple[str, ...]]:
    known = _packed.get(registry)
    if known is None:
        gathered: dict[str, list[str]] = {}
        for one in registry.tools:
            gathered.setdefault(one.partition("/")[0], []).append(one)
        known = {root: tuple(ids) for root, ids in gathered.items()}
        _packed[registry] = known
    return known


def _is_other_word(token: str, meant: str) -> bool:
    """Whether the names at the ends of two paths exchange a short word: AC is no slip for DC."""
    if len(token) != len(meant):
        return False
    one, other = (path.rpartition("/")[2].split() for path in (token, meant))
    changed = [
        word for pair in ((one, other), (other, one)) for word in pair[0] if word not in pair[1]
    ]
    return bool(changed) and max(map(len, changed)) < _LEAST


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())
