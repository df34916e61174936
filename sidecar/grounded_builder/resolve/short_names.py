"""Derives short names of services ("Teams" for "Microsoft Teams"); finds tools with accounts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import GENERIC_NOUNS, STARTERS, stem
from grounded_builder.catalog.tool import ToolRow

_WORD = re.compile(r"[^\W_]+")
_IN_BRACKETS = re.compile(r"\([^()]*\)")
_INNER_CAPITAL = re.compile(r"[^\W_A-Z][A-Z]|\d")
_ENDINGS = GENERIC_NOUNS | STARTERS
# The minimum rarity of an ordinary word in the catalog: many services have "tasks" and "contacts".
_MIN_RARITY = 0.56
# The number of different names from which a first word is a maker, and an ending a kind of tool.
_MIN_OF_MAKER, _MIN_KIND = 2, 4

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShortName:
    """A short name: its words as the catalog writes them, its tools, and the maker without it.

    ``is_ordinary`` is true where the words may be everyday words, which only capitals make a name.
    """

    words: Words
    tools: tuple[str, ...]
    maker: str
    is_ordinary: bool


@dataclass(frozen=True, slots=True)
class ShortNames:
    """The short names of a catalog by their folded words, and the largest number of words."""

    by_words: dict[Words, ShortName]
    longest: int


def short_names(registry: Registry) -> ShortNames:
    """Returns the short names of the services of a catalog, computed once for each name index."""
    known = _KNOWN.get(registry.names)
    return known or _KNOWN.setdefault(registry.names, _derive(registry))


def _derive(registry: Registry) -> ShortNames:
    """Returns the short names: a name without its maker, a service without the kind of tool.

    A short name belongs to services with accounts, is no name of a tool, and stands in no name of
    another service. Ordinary words are no keyword of one either.
    """
    names = registry.names
    if not registry.credentials:
        return ShortNames({}, 0)
    rows = [
        row
        for row in registry.tools.values()
        if row.availability == "installed" and not row.is_superseded and not row.hidden
    ]
    titles = {row.id: _title_words(row.name) for row in rows}
    firsts: dict[str, set[Words]] = defaultdict(set)
    endings: dict[Words, set[Words]] = defaultdict(set)
    for words in {tuple(map(str.casefold, words)) for words in titles.values()}:
        if len(words) > 1:
            firsts[words[0]].add(words[1:])
        for at in range(1, len(words) - 1):
            endings[words[at:]].add(words[:at])
    forms_by_key: dict[Words, dict[str, tuple[Words, str, bool]]] = defaultdict(dict)
    for tool, words in titles.items():
        service, is_kind = _without_kind(words, endings)
        forms = [(service, "", False)] if is_kind else []
        if len(service) > 1 and len(firsts[service[0].casefold()]) >= _MIN_OF_MAKER:
            forms.append((service[1:], service[0], True))
        for form, maker, is_ordinary in forms:
            key = tuple(map(str.casefold, form))
            forms_by_key[key][tool] = (form, maker, is_ordinary)
    rows_by_word: dict[str, list[ToolRow]] = defaultdict(list)
    for row in rows:
        for word in {
            word.casefold() for word in _WORD.findall(" ".join((row.name, *row.keywords)))
        }:
            rows_by_word[word].append(row)
    by_words: dict[Words, ShortName] = {}
    for key, tools in forms_by_key.items():
        form, maker, _ = next(iter(tools.values()))
        is_ordinary = all(ordinary for _, _, ordinary in tools.values()) and not any(
            _INNER_CAPITAL.search(word) for word in form
        )
        makers = {maker.casefold() for _, maker, _ in tools.values() if maker}
        others = (row for row in rows_by_word[key[0]] if row.id not in tools)
        is_shared = len(makers) > 1 or any(
            _stands_in((row.name, *row.keywords) if is_ordinary else (row.name,), key)
            for row in others
        )
        if is_shared or names.by_plain("".join(key)):
            continue
        if is_ordinary and max(map(registry.search.rarity, map(stem, key))) < _MIN_RARITY:
            continue
        accounts = [tool for tool in tools if needs_account(tool, registry)]
        actions = [tool for tool in accounts if "trigger" not in registry.tools[tool].capabilities]
        if accounts and any(len(word) > 2 for word in key):
            by_words[key] = ShortName(form, tuple(actions or accounts), maker, is_ordinary)
    return ShortNames(by_words, max(map(len, by_words), default=0))


def _without_kind(words: Words, endings: dict[Words, set[Words]]) -> tuple[Words, bool]:
    """Returns the words of a name without the kind of tool at its end, and whether it has one."""
    for at in range(1, len(words) - 1):
        if len(endings[tuple(map(str.casefold, words[at:]))]) >= _MIN_KIND:
            return words[:at], True
    return words, False


def _title_words(name: str) -> Words:
    words = tuple(_WORD.findall(_IN_BRACKETS.sub("", name)))
    while len(words) > 1 and words[-1].casefold() in _ENDINGS:
        words = words[:-1]
    return words


def _stands_in(texts: Iterable[str], key: Words) -> bool:
    """Returns whether a text has these words, outside brackets."""
    for text in texts:
        words = tuple(word.casefold() for word in _WORD.findall(_IN_BRACKETS.sub("", text)))
        if any(words[at : at + len(key)] == key for at in range(len(words))):
            return True
    return False


def needs_account(tool: str, registry: Registry) -> bool:
    """Returns whether a tool needs a credential, as tools of a service do."""
    variants = registry.tool(tool)["variants"]
    return any(credential.get("required") for credential in variants[-1].get("credentials") or ())


_KNOWN: WeakKeyDictionary[object, ShortNames] = WeakKeyDictionary()
