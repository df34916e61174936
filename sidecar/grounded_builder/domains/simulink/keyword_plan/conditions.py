"""Conditions with two outcomes: "if it exceeds 5 output 1, else 0"; and "when 10 is reached"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.quantities import Quantity
from grounded_builder.domains.simulink.keyword_plan.simulation_settings import stops_at_count
from grounded_builder.domains.simulink.keyword_plan.stop_words import RELATED, RELATIONS
from grounded_builder.domains.simulink.keyword_plan.text import Text

_SWITCH = "simulink/Signal Routing/Switch"
_COMPARE = "simulink/Logic and Bit Operations/Compare To Constant"
_NUMBER = r"-?\d(?:[\d.]*\d)?(?![\d.]*\d)(?:e-?\d+)?(?:\s?(?:[a-zA-Z\u00b5\u00b0%/]{1,4}\b))?"
_BARE = {
    **dict.fromkeys("greater larger higher bigger more".split(), ">"),
    **dict.fromkeys("smaller less lower".split(), "<"),
}
_OUT = (
    r"(?:(?:then|the|an?|set|should|must|will|is|be|to|of|as|give|gives|pass|passes|let|send|sends|"
    r"return|returns|use|uses|output|outputs|result|value|constant|it\s+(?=to\b))\s+)*"
    r"(?:[A-Za-z]\w*\s*:?=\s*)?"
)
_SIGNAL = (
    r"(?:it|the (?:input|signal|same|original|value)(?: signal| value)?)(?: itself)?"
    r"(?: through)?(?: unchanged)?"
)
_ELSE = r"[\s,;]*(?:and\s+|but\s+)?(?:else|otherwise|if not)\b[\s,:]*"
_RELATED = rf"(?P<related>{RELATED.pattern}|\b(?:{'|'.join(_BARE)})\b(?!\s+than))"
_AFTER = re.compile(
    rf"\b(?:if|when|whenever|while)\b(?P<what>[^.;]{{0,60}}?){_RELATED}\s*(?P<number>{_NUMBER})?"
    rf"[\s,:]*{_OUT}(?P<first>{_NUMBER}|{_SIGNAL}){_ELSE}{_OUT}(?P<second>{_NUMBER}|{_SIGNAL})",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"\b(?:output|outputs|display|show|shows|give|gives|return|returns|is|be)\s+{_OUT}(?P<first>{_NUMBER}|{_SIGNAL})\s+"
    rf"(?:if|when|whenever|while)\b(?P<what>[^.;]{{0,60}}?){_RELATED}\s*(?P<number>{_NUMBER})?"
    rf"(?:{_ELSE}{_OUT}(?P<second>{_NUMBER}|{_SIGNAL})|"
    rf"[\s,]*and\s+{_OUT}(?P<last>{_NUMBER}|{_SIGNAL})\s+(?:otherwise|else|if not)\b)",
    re.IGNORECASE,
)
_COMPARED = re.compile(r"\bcompar\w+\b[^.;:]{0,60}?\b(?:with|to|against)\s+$", re.IGNORECASE)
_REACHED = re.compile(
    rf"\b(?:when|once|if|as soon as|whenever)\s+(?:the \w+ of\s+)?(?P<number>{_NUMBER})"
    r"(?:\s+\w+)?\s+(?:is|are|was|has been|have been)\s+(?P<deed>reached|exceeded|passed|hit)\b",
    re.IGNORECASE,
)
_BY_SWITCH = re.compile(
    r"\b(?:use|uses|using|with|by|via|through)\s+an?\s+switch(?:\s+block)?\b", re.IGNORECASE
)
# Simulink's switch knows two criteria; for what lies below the branches change places.
_CRITERIA = {
    ">": ("u2 > Threshold", False),
    ">=": ("u2 >= Threshold", False),
    "<": ("u2 >= Threshold", True),
    "<=": ("u2 > Threshold", True),
}


@dataclass(slots=True)
class Conditions:
    """Switches and comparisons that a text asks for, and what of it they used."""

    mentions: list[Mention] = field(default_factory=list)
    taken: list[tuple[int, int]] = field(default_factory=list)


def conditions_of(text: Text, lexicon: Lexicon) -> Conditions:
    """Read the conditions of a text."""
    found = Conditions()
    for pattern in (_AFTER, _BEFORE):
        for match in pattern.finditer(text.request):
            if not any(start < match.end() and match.start() < end for start, end in found.taken):
                found.mentions += _switched(match, text, lexicon, found.taken)
    if found.mentions:
        found.taken += [one.span() for one in _BY_SWITCH.finditer(text.request)]
    for quantity in text.quantities:
        if stops_at_count(text, quantity):
            start = quantity.start - len(text.before(quantity.start).rsplit(None, 1)[-1]) - 1
            params = {"relop": ">=", "const": quantity.value}
            spec = lexicon.spec(_COMPARE)
            found.mentions.append(Mention(_COMPARE, spec, start, quantity.end, params=params))
            found.taken.append((start, quantity.end))
    for match in _REACHED.finditer(text.request):
        number = _at(text, match.start("number"))
        if number is not None:
            strict = match["deed"].casefold() in ("exceeded", "passed")
            params = {"relop": ">" if strict else ">=", "const": number.value}
            spec = lexicon.spec(_COMPARE)
            found.mentions.append(Mention(_COMPARE, spec, *match.span(), params=params))
            found.taken.append(match.span())
    return found


def _switched(
    match: re.Match[str], text: Text, lexicon: Lexicon, taken: list[tuple[int, int]]
) -> Iterator[Mention]:
    related = " ".join(match["related"].casefold().split())
    relation = RELATIONS.get(related) or _BARE.get(related, "")
    number = _at(text, match.start("number")) if match["number"] else None
    if number is None:
        number = _compared(text, match.start(), taken)
    if number is None or relation not in _CRITERIA:
        return
    second = "second" if match["second"] else "last"
    if any(
        match[one][0] in "-0123456789" and _at(text, match.start(one)) is None
        for one in ("first", second)
    ):
        return
    branches = (_branch(text, match, "first"), _branch(text, match, second))
    criterion, swapped = _CRITERIA[relation]
    params = {"Criteria": criterion, "Threshold": number.value}
    start = match.start("related")
    one = Mention(_SWITCH, lexicon.spec(_SWITCH), start, start + 1, params=params)
    one.branches = branches[::-1] if swapped else branches
    # A verb of seeing asks for its sink all the same.
    seen = match[0].casefold().startswith(("display", "show"))
    begin = match.start("first") if seen else match.start()
    taken += [(begin, match.start("what")), (start, match.end())]
    yield one


def _branch(text: Text, match: re.Match[str], name: str) -> str:
    """The number of an outcome; empty where the signal itself is passed on."""
    number = _at(text, match.start(name))
    return number.value if number is not None else ""


def _compared(text: Text, before: int, taken: list[tuple[int, int]]) -> Quantity | None:
    """The number to which the sentence before compares."""
    for quantity in text.quantities:
        found = _COMPARED.search(text.request, max(0, quantity.start - 80), quantity.start)
        if found is not None and quantity.end <= before:
            taken.append((found.start(), found.start() + len("compar")))
            taken.append((quantity.start, quantity.end))
            return quantity
    return None


def _at(text: Text, place: int) -> Quantity | None:
    return next((quantity for quantity in text.quantities if quantity.start == place), None)
