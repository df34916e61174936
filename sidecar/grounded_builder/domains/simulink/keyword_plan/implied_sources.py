"""The source that a request means by a number alone: "driven by 10 V", "from 24 V DC"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.quantities import Quantity
from grounded_builder.domains.simulink.keyword_plan.text import Text

_SOURCES = "fl_lib/Electrical/Electrical Sources"
# What kind of source a unit is of, with the parameter that takes the number.
_DIRECT = {
    "voltage": (f"{_SOURCES}/DC Voltage Source", "v0"),
    "current": (f"{_SOURCES}/DC Current Source", "i0"),
}
_CONSTANT = ("simulink/Sources/Constant", "Value")
_MEASURES = frozenset({"voltage", "current", "force", "torque", "power", "temperature"})
_BY = re.compile(
    r"\b(?:(?:driven|fed|supplied|powered|excited|energi[sz]ed|actuated)\s+(?:by|with|from|at)|"
    r"(?:connected|applied)\s+to|from|on)(?:\s+an?|\s+the)?(?:\s+constant)?\s+$",
    re.IGNORECASE,
)
_OF = re.compile(
    r"\s*(?:DC\b\s*)?(?:(?:constant|armature|supply|input|terminal|source|motor)\s+)+"
    r"(?:voltage|current|supply|torque|force)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?:armature|supply|input|terminal|source|motor)\s+(?:voltage|current|torque|force)"
    r"\s*(?:of|is|=|:|at)?\s*$",
    re.IGNORECASE,
)
_TAIL = re.compile(r"\s*(?:DC|d\.c\.)(?:\s+(?:supply|voltage|bus|source))?\b", re.IGNORECASE)


def supplied(
    text: Text, mentions: Sequence[Mention], lexicon: Lexicon
) -> tuple[Mention, Quantity, tuple[int, int]] | None:
    """The source that a number stands for, where no source is named: it, the number, the span."""
    if not mentions or any(_drives(one, lexicon) for one in mentions):
        return None
    physical = any(lexicon.is_element(one.tool) for one in mentions)
    for quantity in text.quantities:
        if quantity.measures not in _MEASURES or quantity.both:
            continue
        by = _BY.search(text.before(quantity.start, 40))
        of = _OF.match(text.request, quantity.end)
        named = _NAMED.search(text.before(quantity.start, 40))
        if by is None and of is None and named is None:
            continue
        tool, name = _DIRECT.get(quantity.measures, _CONSTANT) if physical else _CONSTANT
        start = quantity.start - len((by or named)[0]) if by or named else quantity.start  # type: ignore[index]
        tail = of or _TAIL.match(text.request, quantity.end)
        end = tail.end() if tail else quantity.end
        if tool not in lexicon.registry.tools:
            continue
        mention = Mention(
            tool, lexicon.spec(tool), quantity.start, end, params={name: quantity.value}
        )
        return mention, quantity, (start, end)
    return None


def _drives(one: Mention, lexicon: Lexicon) -> bool:
    if lexicon.is_element(one.tool):
        return one.spec.name.endswith(("Source", "Battery"))
    return lexicon.is_source(one.tool)
