"""Finds the synonyms, the canonical word and the related words of a word; recognizes verbs.

What people call the parameters of one product is in the ``synonyms`` module of its domain.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from grounded_builder.catalog.tokenize import stem

# General verbs and the nouns used with them; a word may occur in several groups.
_SYNONYM_GROUPS: Mapping[str, str] = {
    "send": "send post publish notify deliver push mail share broadcast tell message",
    "create": "create add insert append new make save store write put log register writer",
    "upload": "upload save store put attach transfer",
    "read": "get read reader fetch list load retrieve find search lookup query select pull view",
    "download": "download fetch get retrieve",
    "search": "search find lookup query filter",
    "delete": "delete remove erase drop clear trash destroy",
    "update": "update edit modify change set patch rename upsert",
    "reply": "reply respond answer",
    "copy": "copy duplicate clone",
    "execute": "execute run call invoke launch",
    "generate": "generate produce compose draft",
    "convert": "convert transform parse extract",
    "wait": "wait sleep delay pause",
    "merge": "merge join combine",
    "loop": "loop iterate repeat batch",
    "schedule": "schedule cron timer interval daily hourly weekly",
    "condition": "condition if branch check",
    "mail": "email mail message",
    "sheet": "sheet spreadsheet",
    "database": "database db",
    "row": "row record entry",
    "file": "file attachment",
    "http": "http rest web url curl",
    "request": "request call",
    "microsoft": "microsoft ms",
}

# The groups that name objects rather than actions.
_OBJECT_GROUPS = {"mail", "sheet", "database", "row", "file", "http", "request", "microsoft"}
VERBS = _SYNONYM_GROUPS.keys() - _OBJECT_GROUPS

ARRIVALS = frozenset(
    stem(word)
    for word in "new incoming add added created create receive received arrive arrives "
    "come comes post posted append insert submit submitted submission".split()
)
"""The stems that replace one another in an event: something is new, or has arrived."""

# The spelling of a word in capabilities, by the words that are written for it.
_CAPABILITIES: Mapping[str, str] = {
    "search": "lookup find query seek",
    "email": "mail emails",
    "create": "make new add",
    "delete": "remove erase destroy",
    "read": "get fetch retrieve load",
    "update": "edit modify change",
    "organize": "organise arrange sort",
    "image": "picture photo",
    "folder": "directory dir",
    "spreadsheet": "sheet",
    "calendar": "agenda",
    "internet": "web online",
    "message": "msg",
    "document": "doc",
}

# Related things: a request for one may need a tool for the other.
_TOGETHER = (
    "file folder directory path",
    "email inbox mailbox message attachment",
    "event calendar meeting appointment",
    "row column table sheet spreadsheet cell",
    "image picture photo screenshot",
    "presentation slide deck slideshow",
    "document page doc text",
    "user account person contact",
    "repository branch commit",
)

# Within a row, people name the same input of a step.
_PARAMETERS = (
    ("query", "search", "q", "filter", "filters", "find"),
    ("body", "message", "text", "content", "contents", "html"),
    ("to", "recipient", "recipients", "receiver", "sendto"),
    ("from", "sender", "fromemail"),
    ("file", "binary", "attachment", "document"),
    ("filename", "name", "title"),
    ("id", "identifier", "key"),
    ("url", "uri", "link", "address", "endpoint"),
    ("folder", "directory", "dir", "parent"),
    ("table", "sheet", "worksheet"),
    ("max", "limit", "count", "maximum"),
    ("channel", "room", "conversation"),
    ("prompt", "instruction", "instructions", "question"),
    ("interval", "every", "period", "schedule"),
)

_CANONICAL = {word: name for name, row in _CAPABILITIES.items() for word in row.split()}
_PARAMETER = {word: row[0] for row in _PARAMETERS for word in row}
_RELATED: Mapping[str, frozenset[str]] = {
    word: frozenset(row.split()) - {word} for row in _TOGETHER for word in row.split()
}


@lru_cache(65_536)
def synonym_groups(stemmed: str) -> frozenset[str]:
    """Returns the groups of synonyms that contain a stem."""
    return _GROUPS_BY_STEM.get(stemmed, frozenset())


def is_verb(word: str) -> bool:
    """Returns whether a word names an action that tools perform."""
    return not synonym_groups(stem(word)).isdisjoint(VERBS)


def is_bare_verb(word: str) -> bool:
    """Returns whether a word without an ending names an action, and no object."""
    groups = synonym_groups(stem(word))
    return bool(groups) and groups <= VERBS and not word.endswith(("s", "ed", "ing"))


def canonical_word(word: str) -> str:
    """Returns the word that capabilities have for a word, else the word itself."""
    return _CANONICAL.get(word, word)


def related_words(word: str) -> frozenset[str]:
    """Returns the things that are related to a thing."""
    return _RELATED.get(word, frozenset())


def parameter_word(word: str) -> str | None:
    """Returns the common word for an input that has several names, None for other words."""
    return _PARAMETER.get(word)


def _group_by_stem() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for row, members in _SYNONYM_GROUPS.items():
        for member in members.split():
            table.setdefault(stem(member), set()).add(row)
    return {word: frozenset(rows) for word, rows in table.items()}


_GROUPS_BY_STEM = _group_by_stem()
