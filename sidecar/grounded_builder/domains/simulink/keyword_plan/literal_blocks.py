"""What a request spells out: formulas, controllers by their letters, words that join signals."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grounded_builder.domains.simulink.keyword_plan.block_synonyms import called
from grounded_builder.domains.simulink.keyword_plan.formulas import Formula
from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.stop_words import CONTROLLER, INFIX, JOINING
from grounded_builder.domains.simulink.keyword_plan.text import Text

_PID = "simulink/Continuous/PID Controller"
_DISCRETE_PID = "simulink/Discrete/Discrete PID Controller"
_TRANSFER = {
    "s": "simulink/Continuous/Transfer Fcn",
    "z": "simulink/Discrete/Discrete Transfer Fcn",
}
_KNOWN = {"1/s": "simulink/Continuous/Integrator", "1/z": "simulink/Discrete/Unit Delay"}
_FCN = "simulink/User-Defined Functions/Fcn"
LETTERS = re.compile(
    r"\b([RLC]{2,3})[- ](?:(?:series|parallel) )?"
    r"(?:circuit|network|filter|tank|low[- ]?pass|high[- ]?pass|branch|load|element|snubber)\b"
)
_ELEMENTS = {"R": "resistor", "L": "inductor", "C": "capacitor"}


def spelt(text: Text, lexicon: Lexicon) -> Iterator[Mention]:
    """The blocks that are written as formulas or by letters, and what joins two signals."""
    for formula in text.formulas:
        yield _formula(formula, lexicon)
    for found in CONTROLLER.finditer(text.request):
        tool = _DISCRETE_PID if found["discrete"] else _PID
        one = _mention(tool, found.span(), lexicon)
        if found["kind"] != "PID":
            one.params["Controller"] = found["kind"]
        yield one
    for found in JOINING.finditer(text.request):
        if any(quantity.start <= found.start() < quantity.end for quantity in text.quantities):
            # As in "plus/minus 5".
            continue
        name, sign = INFIX[" ".join(found[0].casefold().split())]
        (tool,) = lexicon.meant(name)
        one = _mention(tool, found.span(), lexicon)
        one.infix = sign
        yield one
    yield from _letters(text, lexicon)
    yield from called(text, lexicon)


def _formula(formula: Formula, lexicon: Lexicon) -> Mention:
    span = (formula.start, formula.end)
    if formula.variable == "u":
        one = _mention(_FCN, span, lexicon)
        one.params["Expr"] = formula.text
        return one
    known = _KNOWN.get(formula.text)
    if known is not None:
        return _mention(known, span, lexicon)
    one = _mention(_TRANSFER[formula.variable], span, lexicon)
    one.params |= {"Numerator": formula.numerator, "Denominator": formula.denominator}
    return one


def _letters(text: Text, lexicon: Lexicon) -> Iterator[Mention]:
    """The elements of a circuit that is called by their letters."""
    found = LETTERS.search(text.request) if lexicon.physical else None
    if found is None:
        return
    for at, letter in enumerate(found[1], found.start()):
        ids = lexicon.meant(_ELEMENTS[letter])
        named = re.search(rf"\b{_ELEMENTS[letter]}s?\b", text.request, re.IGNORECASE)
        if named is None and ids:
            yield _mention(ids[0], (at, at + 1), lexicon)


def _mention(tool: str, span: tuple[int, int], lexicon: Lexicon) -> Mention:
    return Mention(tool, lexicon.spec(tool), *span)
