"""Account for every part of a request: the steps that stand for it, or that nothing does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from grounded_builder.catalog.tokenize import STOP, split_identifier, stem
from grounded_builder.domains.simulink.keyword_plan.stop_words import HOW
from grounded_builder.domains.simulink.keyword_plan.text import Text

_BETWEEN = re.compile(
    r"(?=\b(?:with|and|through|into|using|then|from|on|onto|to|by|of)\b)|(?<=[,;\n])|(?<=\.)(?=\s)",
    re.IGNORECASE,
)
# What is written as mathematics or as code: equations, calls, powers, derivatives; not "signal(s)".
_WRITTEN = re.compile(
    r"[^\s=<>]+\s*=\s*[^\s=]+|\S*[A-Za-z]\((?!s\))\S*|\S*\^\S*|(?<![\w'])\d*[A-Za-z]{1,2}'{1,2}(?!\w)"
)
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
# Small words of English that ask for nothing; two letters never do.
_SMALL = frozenset(
    "the and for but nor yet not can may let get got its his her our out off via too any all one "
    "two six ten how why who was has had did does are per now way new put".split()
)
_SHORT = 2
# Deeds among the words about models, told where no block does them.
_DEEDS = frozenset("log logged store stored".split())
_KNOWN = ((STOP | HOW) - _DEEDS) | _SMALL


def clauses(
    text: Text,
    places: Mapping[str, int],
    taken: Iterable[tuple[int, int]],
    names: Iterable[str],
    missed: Iterable[tuple[int, int]] = (),
) -> list[dict[str, Any]]:
    """The parts of a request with their steps; what is left of a part is one without steps.

    Words of the ``names`` of the blocks that are used speak of those; those that are ``missed``
    are told in any case.
    """
    spans, lost = list(taken), {start for start, _ in missed}
    used_words = {stem(word) for name in names for word in split_identifier(name)}
    spans += [(one.start, one.end) for one in text.words if stem(one.text.casefold()) in used_words]
    found: list[dict[str, Any]] = []
    at = 0
    for part in _BETWEEN.split(text.request):
        end = at + len(part)
        steps = [name for name, start in places.items() if at <= start < end]
        left = _left(text, at, end, spans, lost)
        if steps:
            found.append({"clause": part.strip(" ,;."), "steps": steps})
        if left:
            used = steps or any(at <= start < end for start, _ in spans)
            found.append({"clause": left if used else part.strip(" ,;."), "steps": []})
        at = end
    return found


def _left(text: Text, begin: int, end: int, spans: list[tuple[int, int]], lost: set[int]) -> str:
    """What of a part no block and no parameter stands for."""
    words = [
        (word.start, word.text)
        for word in text.words
        if (len(word.text) > _SHORT or (word.text.isupper() and len(word.text) > 1))
        and (word.text.casefold() not in _KNOWN or word.start in lost)
    ]
    words += [
        (quantity.start, text.request[quantity.start : quantity.end])
        for quantity in text.quantities
    ]
    equations = [(equation.start, equation.end) for equation in text.equations]
    read = [(word.start, word.end) for word in text.words]
    read += [(quantity.start, quantity.end) for quantity in text.quantities]
    read += [(formula.start, formula.end) for formula in text.formulas]
    read += equations
    words += [
        (match.start(), match[0])
        for match in _DIGITS.finditer(text.request, begin, end)
        if not any(a <= match.start() < b for a, b in read)
    ]
    written = [
        match
        for match in _WRITTEN.finditer(text.request, begin, end)
        if not any(a < match.end() and match.start() < b for a, b in (*spans, *equations))
    ]
    words = [
        (start, said)
        for start, said in words
        if not any(one.start() <= start < one.end() for one in written)
    ]
    words += [(one.start(), one[0].rstrip(" ,;.")) for one in written]
    words += [
        (equation.start, text.request[equation.start : equation.end]) for equation in text.equations
    ]
    kept = [
        said
        for start, said in sorted(words)
        if begin <= start < end and not any(a <= start < b for a, b in spans)
    ]
    return " ".join(kept)
