"""A request as its author meant to write it: arrows as commas, American spelling, slips undone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from rapidfuzz.distance import OSA

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import STOP, split_identifier
from grounded_builder.domains.simulink.keyword_plan.stop_words import (
    COUNTS,
    HOW,
    INFIX,
    PLAIN,
    SHOWN,
    VERBS,
)
from grounded_builder.domains.simulink.keyword_plan.units import WORDS

_ARROW = re.compile(r"\s*(?:-{1,2}>|\u2192|\u27f6|\u21d2|>>)\s*")
# Endings and words that British and American English write in two ways.
_BRITISH = (
    (r"\b(\w{3,})is(e[sd]?|ing|er|ation)\b", r"\1iz\2"),
    (r"\b(\w+)yse([sdr]?)\b", r"\1yze\2"),
    (r"\b(behavi|col)our(s?)\b", r"\1or\2"),
)
_ENDINGS = tuple((re.compile(words, re.IGNORECASE), into) for words, into in _BRITISH)
_WORD = re.compile(r"(?<![\w./'-])[A-Za-z]{5,}(?![\w/'(-]|\.\w)")
_LONG = 8
_LIBRARIES = ("simulink", "pattern", "fl_lib", "nesl_utility")
_SPOKEN = """
    controller controllers controlled original together reference setpoint feedback disturbance
    amplitude frequency frequencies period bandwidth cutoff constant resistance capacitance
    inductance stiffness damping inertia friction velocity displacement position temperature
    multiply multiplies multiplied subtract subtracts integrate integrates differentiate saturate
    voltage current circuit series parallel measure measured display displays simulate simulation
    between through output outputs input inputs seconds second signal signals system plotted
    noisy analyzer motor model models modeling meter minutes hertz percent threshold oscillator
    proportional derivative integral variance mean slope hysteresis induction response
""".split()  # fmt: skip


@dataclass(frozen=True, slots=True)
class Spelling:
    """A text as it is read; ``notes`` say which words were read as others."""

    text: str
    notes: tuple[str, ...]


def spelling_of(request: str, registry: Registry) -> Spelling:
    """Read a request as it was meant to be written."""
    text = _ARROW.sub(", ", request)
    known = _vocabulary(registry)

    def turned(one: re.Match[str], into: str) -> str:
        word = one.expand(into)
        return word if any(_is_known(form, known) for form in _forms(word.casefold())) else one[0]

    for words, into in _ENDINGS:
        text = words.sub(lambda one, into=into: turned(one, into), text)  # type: ignore[misc]
    notes: list[str] = []

    def corrected(one: re.Match[str]) -> str:
        word = one[0].casefold()
        meant = _meant(word, known)
        if meant is None:
            return one[0]
        notes.append(f'"{one[0]}" was read as "{meant}"')
        return meant

    return Spelling(_WORD.sub(corrected, text), tuple(dict.fromkeys(notes)))


def _is_known(word: str, known: frozenset[str]) -> bool:
    return word in known or word in VERBS or word in SHOWN


@cache
def _vocabulary(registry: Registry) -> frozenset[str]:
    """The words of blocks and of sentences about them."""
    words = {word for phrase in WORDS for word in phrase.split()}
    words |= {*STOP, *HOW, *PLAIN, *COUNTS, *_SPOKEN, *(w for one in INFIX for w in one.split())}
    for row in registry.tools.values():
        if row.package in _LIBRARIES:
            words.update(w for name in (row.name, *row.aliases) for w in split_identifier(name))
    return frozenset(words)


def _forms(word: str) -> Iterator[str]:
    """A word without the endings of English."""
    yield word
    for ending, into in (
        ("s", ""), ("es", ""), ("ies", "y"), ("d", ""), ("ed", ""), ("ing", ""), ("ing", "e"),
        ("y", ""), ("ly", ""), ("al", ""), ("or", "e"),
        ("ion", "e"), ("ions", "e"),
    ):  # fmt: skip
        if word.endswith(ending):
            yield word[: -len(ending)] + into


def _meant(word: str, known: frozenset[str]) -> str | None:
    """The one known word that another one is a slip of."""
    if any(_is_known(form, known) for form in _forms(word)):
        return None
    allowed = 1 if len(word) < _LONG else 2
    near = [
        (distance, one)
        for one in known
        if one[0] == word[0]
        and one[-1] == word[-1]
        and len(one) > 4
        and abs(len(one) - len(word)) <= allowed
        for distance in (OSA.distance(word, one, score_cutoff=allowed),)
        # In a short word another letter is another word; it is a slip where one is too many, too
        # few or moved.
        if distance <= allowed and (len(word) >= _LONG or _is_moved(word, one))
    ]
    best = min((distance for distance, _ in near), default=0)
    found = [one for distance, one in near if distance == best]
    return found[0] if len(found) == 1 else None


def _is_moved(word: str, other: str) -> bool:
    return len(word) != len(other) or sorted(word) == sorted(other)
