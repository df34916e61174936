"""Texts that are hard for a regular expression, made out of its own repeats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from re import _constants as codes  # type: ignore[attr-defined, unused-ignore]
from re import _parser as parser  # type: ignore[attr-defined, unused-ignore]
from typing import Any

_ALPHABET = "a0 .-A_,\n\t/:'\"(=<[{*$`@#;!?%&|+~^\\])}>éZ9z"
_PREFERRED = ("a", "0", " ", ".", "A", "\n", ",", "\\", "(")
_MANY = 12
_ENDS = ("\x00", "")
_REPEATS = {codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT}
_AROUND = {codes.ASSERT, codes.ASSERT_NOT}


def attacks(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    """Yields ``(opening, pump, end)``, each once: the pump is to be repeated between the others.

    For each repeat without a small bound: what leads to it once and its body again and again, and
    both again and again, in several characters of the classes, before ends that do not match.
    """
    tree = parser.parse(pattern.pattern, pattern.flags)
    seen: set[tuple[str, str, str]] = set()
    for wanted in _PREFERRED:
        for lead, body in _repeats(list(tree), "", wanted):
            for opening, pump in (("", body), (lead, body), ("", lead + body), ("", body + lead)):
                for end in _ENDS:
                    attack = (opening, pump, end)
                    if pump and attack not in seen:
                        seen.add(attack)
                        yield attack


def _repeats(items: list[Any], lead: str, wanted: str) -> Iterator[tuple[str, str]]:
    """What leads to each repeat, and what is repeated, in a sequence and all inside of it."""
    for item in items:
        operator, argument = item
        if operator in _REPEATS:
            _, most, body = argument
            if most > _MANY:
                yield from ((lead, text) for text in _bodies(list(body), wanted))
            yield from _repeats(list(body), lead, wanted)
        elif operator is codes.SUBPATTERN:
            yield from _repeats(list(argument[3]), lead, wanted)
        elif operator is codes.ATOMIC_GROUP:
            yield from _repeats(list(argument), lead, wanted)
        elif operator is codes.BRANCH:
            for branch in argument[1]:
                yield from _repeats(list(branch), lead, wanted)
        elif operator in _AROUND:
            yield from _repeats(list(argument[1]), lead, wanted)
        lead += _sample([item], wanted, 0)


def _bodies(body: list[Any], wanted: str) -> set[str]:
    """What a repeat may repeat: its body, and each of its choices where it is one of choices.

    What follows a backslash is a quote in one of them: the same may open what is looked for.
    """
    texts = {_sample(body, wanted, 1)}
    if len(body) == 1 and body[0][0] is codes.BRANCH:
        for branch in body[0][1][1]:
            texts |= {_sample(list(branch), wanted, 1), _sample(list(branch), '"', 1)}
    return texts


def _sample(items: list[Any], wanted: str, extra: int) -> str:
    """A text that a sequence matches, mostly: ``wanted`` wherever a class has it."""
    out = ""
    for operator, argument in items:
        if operator is codes.LITERAL:
            out += chr(argument)
        elif operator is codes.NOT_LITERAL:
            out += next(c for c in (wanted, *_ALPHABET) if ord(c) != argument)
        elif operator is codes.ANY:
            out += wanted
        elif operator is codes.IN:
            out += next((c for c in (wanted, *_ALPHABET) if _is_in(c, argument)), _any_of(argument))
        elif operator in _REPEATS:
            least, _, body = argument
            out += _sample(list(body), wanted, extra) * max(least, extra)
        elif operator is codes.SUBPATTERN:
            out += _sample(list(argument[3]), wanted, extra)
        elif operator is codes.ATOMIC_GROUP:
            out += _sample(list(argument), wanted, extra)
        elif operator is codes.BRANCH:
            texts = [_sample(list(branch), wanted, extra) for branch in argument[1]]
            out += next((text for text in texts if wanted in text), texts[0])
    return out


def _is_in(character: str, items: list[Any]) -> bool:
    """Whether a class has a character."""
    code, is_not, has = ord(character), False, False
    for operator, argument in items:
        if operator is codes.NEGATE:
            is_not = True
        elif operator is codes.LITERAL:
            has = has or code == argument
        elif operator is codes.RANGE:
            has = has or argument[0] <= code <= argument[1]
        elif operator is codes.CATEGORY:
            has = has or bool(_CATEGORIES[argument](character))
    return has != is_not


def _any_of(items: list[Any]) -> str:
    for operator, argument in items:
        if operator is codes.LITERAL:
            return chr(argument)
        if operator is codes.RANGE:
            return chr(argument[0])
    return ""


_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    codes.CATEGORY_DIGIT: str.isdigit,
    codes.CATEGORY_NOT_DIGIT: lambda c: not c.isdigit(),
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_NOT_SPACE: lambda c: not c.isspace(),
    codes.CATEGORY_WORD: lambda c: c.isalnum() or c == "_",
    codes.CATEGORY_NOT_WORD: lambda c: not (c.isalnum() or c == "_"),
}
