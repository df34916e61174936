"""A tool whose id a written one misses by a slip of the pen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from weakref import WeakKeyDictionary

from rapidfuzz import process
from rapidfuzz.distance import OSA

from grounded_builder.registry.registry import Registry

# A letter too many, too few, another or two exchanged; of short ids that says nothing.
_SLIPS = 2
_LEAST = 4

_packed: WeakKeyDictionary[Registry, Mapping[str, tuple[str, ...]]] = WeakKeyDictionary()


def slipped(token: str, registry: Registry, package_of: Callable[[str], str]) -> str | None:
    """The one id of the same package that a token misses by a slip, None where there is none.

    Ids that differ by digits or by upper and lower case are no slips: they name other things, or
    the same thing at another time.
    """
    package = package_of(token)
    ids = _by_package(registry, package_of).get(package, ())
    rest = token[len(package) :]
    if len(rest.strip("/")) < _LEAST:
        return None
    best = process.extract(token, ids, scorer=OSA.distance, score_cutoff=_SLIPS, limit=2)
    if not best or (len(best) > 1 and best[0][1] == best[1][1]):
        return None
    meant = best[0][0]
    if meant.casefold() == token.casefold() or _digits(meant) != _digits(token):
        return None
    # Two slips in a short name make another name.
    return meant if best[0][1] == 1 or len(rest) >= 4 * _LEAST else None


def _by_package(
    registry: Registry, package_of: Callable[[str], str]
) -> Mapping[str, tuple[str, ...]]:
    known = _packed.get(registry)
    if known is None:
        gathered: dict[str, list[str]] = {}
        for one in registry.tools:
            gathered.setdefault(package_of(one), []).append(one)
        known = {package: tuple(ids) for package, ids in gathered.items()}
        _packed[registry] = known
    return known


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())
