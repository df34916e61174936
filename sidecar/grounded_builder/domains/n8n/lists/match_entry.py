"""Finds the entry of a list that a text names: by its value, its name, or the only similar name."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.domains.n8n.lists.list_client import ListEntry

# The marks that people write before the names of channels and of users.
_MARKS = "#@"
_MOST_CANDIDATES = 10
_MOST_NAMES = 2_000

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class EntryMatch:
    """What a list has for a text.

    ``kind`` is "value" (the text is what the workflow stores), "name" (exactly one entry has this
    name), "several", "near" or "none". ``entries`` are that entry or the candidates.
    """

    kind: Literal["value", "name", "several", "near", "none"]
    entries: tuple[ListEntry, ...] = ()


def match_entry(text: str, entries: Sequence[ListEntry]) -> EntryMatch:
    """Returns the entry with a text as its value or its name, else those with similar names.

    The same name in another case of letters, or without the mark of a channel or a user, is the
    name if no entry has it as written.
    """
    stored = [entry for entry in entries if str(entry.value) == text]
    if stored:
        return EntryMatch("value", tuple(stored[:1]))
    same = _find_same(text, entries, lambda entry: entry.name)
    values = tuple(dict.fromkeys(entry.value for entry in same))
    if len(values) == 1:
        return EntryMatch("name", tuple(same[:1]))
    if same:
        return EntryMatch("several", tuple(same[:_MOST_CANDIDATES]))
    near = find_similar(text, entries, lambda entry: entry.name)
    return EntryMatch("near" if near else "none", near)


def match_column(name: str, columns: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Returns the columns with a name as their id, else with it as their label."""
    known = list(columns)
    exact = [column for column in known if column["id"] == name]
    if exact:
        return tuple(exact[:1])
    return tuple(_find_same(name, known, lambda column: str(column.get("displayName", ""))))


def find_similar(
    text: str, items: Iterable[_Item], name_of: Callable[[_Item], str]
) -> tuple[_Item, ...]:
    """Returns items whose names are similar to a text or contain it, at most ten."""
    folded = _fold(text)
    known = list(items)[:_MOST_NAMES]
    by_name = {_fold(name_of(item)): item for item in known}
    containing = [name for name in by_name if folded and folded in name]
    names = dict.fromkeys((*find_nearest(folded, by_name), *containing))
    return tuple(by_name[name] for name in names)[:_MOST_CANDIDATES]


def _find_same(text: str, items: Iterable[_Item], name_of: Callable[[_Item], str]) -> list[_Item]:
    """Returns the items with a name as written, else those with it in another spelling."""
    known = list(items)
    plain = text.strip()
    exact = [item for item in known if name_of(item).strip() == plain]
    folded = _fold(text)
    return exact or [item for item in known if folded and _fold(name_of(item)) == folded]


def _fold(text: str) -> str:
    """Returns a name without case, outer blanks and the mark before it."""
    return unicodedata.normalize("NFKC", text).casefold().strip().lstrip(_MARKS).strip()
