"""Every name that the blocks of a catalog go by, looked up by its folded form."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import lru_cache
from weakref import WeakKeyDictionary

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import normalize_text, singular, split_identifier
from grounded_builder.catalog.tool import ToolRow

BASE = "simulink"
# The package "foundation" of Simscape's own language.
FOUNDATION = "fl_lib"
PATTERN = "pattern"

_SEPARATOR = re.compile(r"(?<!/)/(?!/)")
_OTHER_MARKS = re.compile(r"(?:(?<!\s)\s+)?(?:\\|::|->|\u2192|\u00bb|(?<=\s)>(?=\s))\s*")
_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d][\w ]*){2,}")
_EDGES = re.compile(r"^/(?!/)|(?<!/)/$")
_SIGNS = str.maketrans({"&": " and ", "\u2013": "-", "\u2212": "-", "_": " "})
_NOT_WORD = re.compile(r"[^\w+]+")


@dataclass(slots=True)
class Names:
    """Blocks by their folded path, title, and other names.

    ``capitals`` are short forms that another block's title is but for its case, to the letter (PI).
    ``words`` are all that names have, ``roots`` the libraries of a library's or product's name,
    ``places`` the categories of each library, ``patterns`` the words of each pattern's names.
    """

    paths: dict[str, str] = field(default_factory=dict)
    titles: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    capitals: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    others: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    words: set[str] = field(default_factory=set)
    roots: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    places: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    patterns: list[tuple[frozenset[str], str]] = field(default_factory=list)


_known: WeakKeyDictionary[Registry, Names] = WeakKeyDictionary()


def names_of(registry: Registry) -> Names:
    """The names of a catalog; read once."""
    names = _known.get(registry)
    if names is None:
        names = _read(registry.tools.values())
        _known[registry] = names
    return names


def _read(rows: Collection[ToolRow]) -> Names:
    names = Names()
    borne = {row.name for row in rows if not row.hidden and PATTERN not in row.capabilities}
    names.roots["foundation"].add(FOUNDATION)
    for row in rows:
        names.paths.setdefault(folded_path(row.id), row.id)
        names.roots[fold(row.package)].add(row.package)
        names.places[row.package].update(map(fold, row.category.split("/")))
        if row.family:
            names.roots[fold(row.family)].add(row.package)
        if row.hidden:
            continue
        if PATTERN in row.capabilities:
            called = (row.name, *row.aliases)
            names.patterns += [(frozenset(split_identifier(name)), row.id) for name in called]
            continue
        names.titles[fold(row.name)].append(row.id)
        names.words.update(split_identifier(row.name))
        for alias in row.aliases:
            if alias.isupper() and alias.capitalize() in borne:
                names.capitals[alias].append(row.id)
            elif row.id not in names.others[fold(alias)]:
                names.others[fold(alias)].append(row.id)
            names.words.update(split_identifier(alias))
    return names


@lru_cache(16_384)
def fold(text: str) -> str:
    """A name without case, spaces and marks; a plus sign speaks (``Cos+jSin``)."""
    return _NOT_WORD.sub("", normalize_text(text).translate(_SIGNS)).casefold()


@lru_cache(8_192)
def folded_path(path: str) -> str:
    """A path whose parts are folded each; a doubled slash belongs to a name."""
    return "/".join(fold(part) for part in split_path(path))


def split_path(path: str) -> list[str]:
    """The parts of a library path, outer ones first."""
    return [part.replace("//", "/").strip() for part in _SEPARATOR.split(path.strip())]


def as_path(text: str) -> str:
    """A path written with other marks between its parts, or with slashes about it, as one."""
    if "/" not in text:
        parted = _OTHER_MARKS.split(text)
        if len(parted) > 1 and all(parted):
            return "/".join(parted)
        return text.replace(".", "/") if _DOTTED.fullmatch(text) else text
    inner = _EDGES.sub("", text)
    # Each slash of a path that was escaped once too often.
    doubled = "//" in inner and not _SEPARATOR.search(inner) and inner.count("//") > 1
    return inner.replace("//", "/") if doubled else inner


def single(text: str) -> str:
    """A folded name in the singular, word by word."""
    return fold(" ".join(singular(word) for word in split_identifier(text)))
