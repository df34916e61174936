"""Decide what a mention is by what stands around it: its domain, its formula, a comparison."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from grounded_builder.domains.simulink.keyword_plan.equations import Equation
from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.stop_words import RELATED
from grounded_builder.domains.simulink.keyword_plan.text import Text
from grounded_builder.domains.simulink.keyword_plan.units import measured

_NEAR = 24
_GETTING = re.compile(
    r"\b(is|are|be|goes|gets|rises|falls|drops|climbs|stays|if|when|while|whenever|once)\b[^,;]*$",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"[\s:=(,]*(?:of|is|with|by|given by|which is|as|"
    r"(?:model(?:l)?ed|described|represented|approximated|given) (?:as|by))?\s*(?:the\s+)?"
    r"(?:transfer function\s*)?"
    r"[\s:=(]*"
)
_BY = re.compile(r"\b(using|with|by|from)( an?| the| two)?\s+$", re.IGNORECASE)
_LEADING = re.compile(r"\b(through|into|then|from|by|drives?|driving|feeds?)\b", re.IGNORECASE)
# What is called by its kind where a formula says which one it is.
_CALLED = ("Filter", "System", "Lead or Lag", "Fcn", "Integrator")


def is_told(named: Mention, formula: Mention, text: Text) -> bool:
    """Whether a formula says which transfer function the one named right before it is."""
    between = text.request[named.end : formula.start]
    alike = named.kind == formula.kind or any(one in named.spec.name for one in _CALLED)
    alike = alike or named.spec.pattern is not None
    written = any(one.start == formula.start for one in text.formulas)
    return (
        alike
        and written
        and "Numerator" in formula.params
        and not named.params
        and _TELLING.fullmatch(between) is not None
    )


def described(found: list[Mention], text: Text, lexicon: Lexicon) -> list[Mention]:
    """Without the models that are only named before the equation that tells of them."""
    derived = [one for one in text.equations if any(one.symbols().values())]
    left = list(found)
    for equation in derived:
        begin = text.sentence(equation.start)[0]
        left = [
            one
            for one in left
            if not begin <= one.start < equation.start
            or not _is_described(one, equation, text, lexicon)
        ]
    if not derived:
        return left
    # The integrators by which it is solved are those that are drawn.
    return [
        one for one in left if one.kind != "Integrator" or not _BY.search(text.before(one.start))
    ]


def _is_described(one: Mention, equation: Equation, text: Text, lexicon: Lexicon) -> bool:
    """Whether a block is only what an equation behind its name tells of."""
    between = text.request[one.end : equation.start]
    ends = lexicon.is_source(one.tool) or lexicon.is_sink(one.tool)
    ends = ends or one.spec.name.startswith(("PID", "Discrete PID"))
    return not (ends or one.verb or one.params or _LEADING.search(between))


def of_domain(one: Mention, others: list[Mention], text: Text, lexicon: Lexicon) -> Mention:
    """Of several elements that a name may be the one of the domain that the others are of.

    Else it is the one that takes the numbers behind the name and needs the least beside them.
    """
    if not one.choices:
        return one
    around = {port.domain for other in others if not other.choices for port in other.spec.physical}
    fitting = [
        tool
        for tool in one.choices
        if {port.domain for port in lexicon.spec(tool).physical} & (around - {"signal"})
    ]
    if len(fitting) == 1:
        return replace(one, tool=fitting[0], spec=lexicon.spec(fitting[0]), choices=())
    end = min(one.end + _NEAR, text.sentence(one.start)[1])
    behind = [number for number in text.quantities if one.end <= number.start < end]

    def fit(tool: str) -> tuple[int, int, int]:
        spec = lexicon.spec(tool)
        taken = sum(measured(spec, number, ()) is not None for number in behind)
        signals = sum(port.domain == "signal" for port in spec.physical)
        return -taken, signals, len(spec.parameters)

    ranked = sorted(fitting or one.choices, key=fit)
    return replace(one, tool=ranked[0], spec=lexicon.spec(ranked[0]), choices=tuple(ranked))


def within(at: int, spans: Iterable[tuple[int, int]]) -> bool:
    """Whether a place lies in one of some spans."""
    return any(start <= at < end for start, end in spans)


def _compares(one: re.Match[str], text: Text) -> bool:
    """Whether "over" and "under" stand for more and less, not for how long or how many."""
    if one[0].casefold() not in ("over", "under"):
        return True
    return _GETTING.search(text.before(one.start(), 60)) is not None


def relations_in(text: Text) -> list[re.Match[str]]:
    """Where a request compares."""
    spans = [(formula.start, formula.end) for formula in text.formulas]
    return [
        match
        for match in RELATED.finditer(text.request)
        if not any(start <= match.start() < end for start, end in spans) and _compares(match, text)
    ]
