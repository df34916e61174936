"""Finds the sub-node tool that a brand in a text means, such as "Claude" for a model."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from grounded_builder.catalog.name_index import NameIndex
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import split_chunks
from grounded_builder.catalog.tool import ToolRow

_ASIDE = re.compile(r"\([^()]*\)|:.*$")
_SHARE = 0.2
_FEW = 2
_LONGEST = 4
_PAIR = 2
_SHORT = 5


@dataclass(frozen=True, slots=True)
class Brand:
    """A brand in a text, from character ``at`` to ``end``, and the tool of the kind it has."""

    tool: str
    text: str
    at: int
    end: int


class Brands:
    """The brands of one catalog by kind, read from the names of the tools of each kind.

    Words that many tools of a kind share ("chat model") name the kind and no brand.
    """

    def __init__(self, tools: Mapping[str, ToolRow], derived: Collection[str]) -> None:
        self._tools = tools
        self._derived = derived
        self._known: dict[str, dict[tuple[str, ...], str]] = {}
        self._elsewhere: dict[str, list[frozenset[str]]] = defaultdict(list)

    def of(self, kind: str) -> dict[tuple[str, ...], str]:
        """The tools of a kind by the words of their brands."""
        if kind not in self._known:
            self._known[kind] = self._read(kind)
        return self._known[kind]

    def find_brands(self, text: str, kind: str) -> tuple[Brand, ...]:
        """The brands of a kind that a text names, the longest at each place."""
        known = self.of(kind)
        places = [
            ("".join(parts), match)
            for match in re.finditer(r"[^\W_]+", text)
            for parts in split_chunks(match[0])
        ]
        brands: list[Brand] = []
        for start, (_, first) in enumerate(places):
            if brands and first.start() < brands[-1].end:
                continue
            for size in range(min(_LONGEST, len(places) - start), 0, -1):
                tool = known.get(tuple(word for word, _ in places[start : start + size]))
                if tool is not None and _is_written_as_name(size, first[0]):
                    end = places[start + size - 1][1].end()
                    brands.append(Brand(tool, text[first.start() : end], first.start(), end))
                    break
        return tuple(brands)

    def _read(self, kind: str) -> dict[tuple[str, ...], str]:
        rows = [
            row
            for row in self._tools.values()
            if kind in row.capabilities
            and row.availability == "installed"
            and not row.is_superseded
            and row.id not in self._derived
        ]
        names = {row.id: _words(row.name) for row in rows}
        counts = Counter(word for words in names.values() for word in set(words))
        shared = {word for word, count in counts.items() if count > max(_FEW, _SHARE * len(rows))}
        shared |= {
            word for word, count in counts.items() if count > _FEW and word in kind.casefold()
        }
        entries = {
            tool: tuple(w for w in words if w not in shared) for tool, words in names.items()
        }
        brands: dict[tuple[str, ...], str] = {}
        for tool, words in sorted(entries.items(), key=lambda item: (len(item[1]), item[0])):
            if words:
                brands.setdefault(words, tool)
        for tool, words in entries.items():
            for word in words if len(words) == _PAIR else ():
                alone = sum(word in other for other in entries.values()) == 1
                if alone and len(word) > _FEW and self._tells(word, set(words)):
                    brands.setdefault((word,), tool)
        return brands

    def _tells(self, word: str, brand: set[str]) -> bool:
        """Whether a word of a brand names nothing else in the catalog."""
        if not self._elsewhere:
            for row in self._tools.values():
                words = frozenset(_words(row.name))
                for item in words:
                    self._elsewhere[item].append(words)
        return all(brand <= words for words in self._elsewhere[word])


def brands_of(registry: Registry) -> Brands:
    """The brands of a catalog, read once."""
    known = _READ.get(registry.names)
    if known is None:
        known = _READ[registry.names] = Brands(registry.tools, registry.names.variants)
    return known


def _is_written_as_name(words: int, first: str) -> bool:
    return words > 1 or first[:1].isupper() or len(first) > _SHORT


def _words(name: str) -> tuple[str, ...]:
    return tuple("".join(parts) for parts in split_chunks(_ASIDE.sub("", name)))


_READ: WeakKeyDictionary[NameIndex, Brands] = WeakKeyDictionary()
