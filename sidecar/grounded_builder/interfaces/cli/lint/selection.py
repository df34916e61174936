"""Selects rules by code, by code prefix, by name or by class."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.diagnostics import Rule
from grounded_builder.domains.rules import BY_CODE, BY_NAME, RULES

_CLASSES = ("wrong", "incomplete", "advice")
_NOTES = "info"
_PREFIX = re.compile(r"(?:GB|N8N|SLX)\d{0,2}")


class SelectionError(ValueError):
    """A word that selects no rule; the message names the nearest rules."""


@dataclass(frozen=True, slots=True)
class Selection:
    """A set of rules, by their codes."""

    codes: frozenset[str]

    def __contains__(self, rule: object) -> bool:
        return isinstance(rule, Rule) and rule.code in self.codes


NOTHING = Selection(frozenset())
EVERYTHING = Selection(frozenset(BY_CODE))


def select(words: Iterable[str]) -> Selection:
    """Returns the rules that the words select; raises SelectionError for a word that
    selects none.
    """
    return Selection(frozenset(code for word in words for code in _codes(word.strip())))


def _codes(word: str) -> frozenset[str]:
    if word.upper() in BY_CODE:
        return frozenset({word.upper()})
    if word.lower() in BY_NAME:
        return frozenset({BY_NAME[word.lower()].code})
    if word.lower() in _CLASSES:
        return frozenset(rule.code for rule in RULES if rule.kind == word.lower())
    if word.lower() == _NOTES:
        return frozenset(rule.code for rule in RULES if rule.severity == _NOTES)
    if _PREFIX.fullmatch(word.upper()):
        return frozenset(code for code in BY_CODE if code.startswith(word.upper()))
    near = find_nearest(word, [*BY_CODE, *BY_NAME, *_CLASSES])
    text = f", perhaps {' or '.join(near)}" if near else ""
    raise SelectionError(f'"{word}" is not a rule{text}')
