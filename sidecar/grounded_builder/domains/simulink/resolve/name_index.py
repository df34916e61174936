"""Indexes blocks by folded names, and folds, splits and normalizes names and library paths."""

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
# The package "foundation" of the Simscape language.
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
    """Blocks by folded path, title and other names.

    ``capitals`` are exact short forms that equal the title of another block apart from case (PI).
    ``words`` are all words of names, ``roots`` the libraries by the name of a library or product,
    ``places`` the categories of each library, ``patterns`` the words in the names of each pattern.
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
    """Returns the names of a catalog, which are read once."""
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
    """Returns a name without case, spaces and punctuation; a plus sign counts (``Cos+jSin``)."""
    return _NOT_WORD.sub("", normalize_text(text).translate(_SIGNS)).casefold()


@lru_cache(8_192)
def folded_path(path: str) -> str:
    """Returns a path with each part folded; a doubled slash is part of a name."""
    return "/".join(fold(part) for part in split_path(path))


def split_path(path: str) -> list[str]:
    """Returns the parts of a library path, outer ones first."""
    return [part.replace("//", "/").strip() for part in _SEPARATOR.split(path.strip())]


def as_path(text: str) -> str:
    """Returns a path with other separators, or with leading or trailing slashes, in normal form."""
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
    """Returns a folded name with each word in the singular."""
    return fold(" ".join(singular(word) for word in split_identifier(text)))
