"""Assigns a request's numbers to block parameters; finds the parameter that a phrase names."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import replace
from itertools import pairwise

from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.domains.simulink.keyword_plan.blocks import Block
from grounded_builder.domains.simulink.keyword_plan.quantities import Quantity
from grounded_builder.domains.simulink.resolve.name_index import fold
from grounded_builder.domains.simulink.resolve.parameter_names import parameter_for
from grounded_builder.drafting.planner.function_words import GRAMMAR
from grounded_builder.drafting.planner.reading import CLOSED, Reading, Word

_ENDED = re.compile(rf"[.!?](?:\s|$)|[;\n{CLOSED}]")
"""What parts a number from the block before: the end of a sentence, or what was not read."""
_FILL = re.compile(r"[\s,:=(]*(?:(?:of|is|to|with|a|an|the|set to)\b[\s:=]*)*")
_AT = re.compile(r"\b(?:at|after)\b")
_LINK = re.compile(r"\s*(?:=|:|of|is|at|to|set to)?\s*")
_RANGE_LEAD = re.compile(r"(?:\b(?:from|between|limits?(?: of)?|range(?: of)?)|[\[(])\s*$")
_RANGE = re.compile(r"\s*(?:to|and|,|\.\.\.?)\s*")
_SURE = ("exact", "case", "label", "spoken")
_MOST_WORDS = 3
# Units of the quantities that a source may produce.
_OF_SIGNALS = frozenset({"", "voltage", "current", "force", "torque", "temperature", "length"})
# The parameters that take a quantity, the most likely first.
_TAKING = {
    "frequency": ("Frequency", "Period", "SampleTime"),
    "angular frequency": ("Frequency",),
    "time": ("DelayTime", "Period", "Time", "SampleTime"),
    "angle": ("Phase",),
    "percent": ("PulseWidth",),
    "samples": ("DelayLength", "Samples", "NumDelays"),
    "inputs": ("Inputs", "NumInputPorts"),
}
# Parameters for a time, which may be given as a frequency.
_RATES = ("Period", "SampleTime")
_SAMPLERS = frozenset({"ZeroOrderHold", "FirstOrderHold", "RateTransition"})
# The parameter of a bare number, where its name differs from that of the block.
_FIRST = {"Step": "After", "Constant": "Value"}
# Parameters that bound something from below and from above.
_LOW_HIGH = (
    ("LowerLimit", "UpperLimit"),
    ("LowerValue", "UpperValue"),
    ("lowlimit", "uplimit"),
    ("LowerSaturationLimit", "UpperSaturationLimit"),
    ("Minimum", "Maximum"),
    ("Before", "After"),
    ("FallingSlewLimit", "RisingSlewLimit"),
    ("f1", "f2"),
)


def place_numbers(reading: Reading, blocks: Sequence[Block], numbers: Sequence[Quantity]) -> None:
    """Assigns each number to a parameter; ambiguous numbers remain unread."""
    left = [number for number in numbers if not reading.is_taken(number.start, number.end)]
    listed = {
        number
        for pair in pairwise(left)
        if not reading.masked[pair[0].end : pair[1].start].strip()
        for number in pair
    }
    left = [number for number in left if number not in listed]  # "0 1 4 9" is no single value
    while left:
        quantity = left.pop(0)
        owner, behind = _owner(reading, blocks, quantity)
        if owner is None:
            continue
        if left and _bounds(reading, owner, quantity, left[0]):
            left.pop(0)
        elif quantity.both:
            _set_symmetric_limits(reading, owner, quantity)
        elif not (
            _assign_to_name(reading, owner, quantity)
            or _named_behind(reading, owner, quantity)
            or _bare(reading, owner, quantity, behind=behind)
        ):
            continue


def _owner(
    reading: Reading, blocks: Sequence[Block], quantity: Quantity
) -> tuple[Block | None, bool]:
    """Returns the block of a number, and whether the block directly follows the number."""
    after = next((block for block in blocks if block.start >= quantity.end), None)
    if after is not None and not reading.masked[quantity.end : after.start].strip(" -"):
        return after, True
    before = [block for block in blocks if block.end <= quantity.start]
    if not before:
        return None, False
    last = before[-1]
    ended = _ENDED.search(reading.masked[last.end : quantity.start])
    return (None if ended else last), False


def _bounds(reading: Reading, owner: Block, low: Quantity, high: Quantity) -> bool:
    """Assigns two numbers that bound a range: from 0 to 5, between -1 and 1."""
    lead = _RANGE_LEAD.search(reading.masked, max(owner.end, low.start - 20), low.start)
    if lead is None or not _RANGE.fullmatch(reading.masked, low.end, high.start):
        return False
    if low.measures not in ("", high.measures) or _is_less(high, low):
        return False
    limits = _free_limits(owner)
    if limits is None:
        return False
    for name, bound in zip(limits, (replace(low, measures=high.measures), high), strict=True):
        _give(reading, owner, name, bound, lead.start(), high.end)
    return True


def _is_less(quantity: Quantity, other: Quantity) -> bool:
    """Returns whether a quantity is surely less than another one: both are plain numbers."""
    try:
        return float(quantity.value) < float(other.value)
    except ValueError:
        return False


def _free_limits(owner: Block) -> tuple[str, str] | None:
    """Returns the parameters that bound the signal of a block, where both are free."""
    free = owner.spec.parameters.keys() - owner.params.keys()
    return next((pair for pair in _LOW_HIGH if {*pair} <= free), None)


def _set_symmetric_limits(reading: Reading, owner: Block, quantity: Quantity) -> None:
    limits = _free_limits(owner)
    if limits is not None and "imit" in limits[0].casefold():
        for name, sign in zip(limits, ("-", ""), strict=True):
            value = replace(quantity, value=f"{sign}{quantity.value}")
            _give(reading, owner, name, value, quantity.start, quantity.end)


def _assign_to_name(reading: Reading, owner: Block, quantity: Quantity) -> bool:
    """Assigns a number to the parameter whose name directly precedes it."""
    words = reading.words(owner.end, quantity.start)
    while words and (words[-1].text == "=" or _is_filling(words[-1])):
        words.pop()
    if not words or not _LINK.fullmatch(reading.masked, words[-1].end, quantity.start):
        return False
    for size in range(min(_MOST_WORDS, len(words)), 0, -1):
        here = words[-size:]
        if _give_by_name(reading, owner, quantity, here, (here[0].start, quantity.end)):
            return True
    return False


def _named_behind(reading: Reading, owner: Block, quantity: Quantity) -> bool:
    """Assigns a number to the parameter whose name directly follows it: 30 % pulse width."""
    words = reading.words(quantity.end, min(len(reading.text), quantity.end + 60))[:_MOST_WORDS]
    if not words or reading.masked[quantity.end : words[0].start].strip(" -"):
        return False
    for size in range(len(words), 0, -1):
        here = words[:size]
        if any(word.folded_text in GRAMMAR for word in here):
            continue
        if _give_by_name(reading, owner, quantity, here, (quantity.start, here[-1].end)):
            return True
    return False


def _give_by_name(
    reading: Reading, owner: Block, quantity: Quantity, name: Sequence[Word], span: tuple[int, int]
) -> bool:
    """Assigns a number to the parameter that unread adjoining words name, if they do."""
    is_whole = not any(reading.masked[a.end : b.start].strip(" -") for a, b in pairwise(name))
    if not is_whole or reading.is_taken(name[0].start, name[-1].end):
        return False
    parameter = parameter_named(owner, " ".join(word.text for word in name))
    return parameter is not None and _give(reading, owner, parameter, quantity, *span)


def _is_filling(word: Word) -> bool:
    """Returns whether a word is only grammar; a capital letter (P, I) names a parameter."""
    return word.folded_text in GRAMMAR and not (len(word.text) == 1 and word.text.isupper())


def parameter_named(owner: Block, phrase: str) -> str | None:
    """Returns the free parameter of a block that a phrase names unambiguously."""
    name, how = parameter_for(phrase, owner.spec, list(owner.params))
    known = owner.spec.parameters.get(name or "") if how in _SURE else None
    is_free = known is not None and known.kind in ("value", "text")
    return name if is_free and name not in owner.params else None


def _bare(reading: Reading, owner: Block, quantity: Quantity, *, behind: bool) -> bool:
    """Assigns a number without a name that is beside its block, by its unit or as main value."""
    if not behind and not _FILL.fullmatch(reading.masked, owner.end, quantity.start):
        between = reading.open_words(owner.end, quantity.start)
        if between or not quantity.measures:
            return False
    name = _find_by_unit(owner.spec, quantity, list(owner.params)) if quantity.measures else None
    if name is None and quantity.measures in _OF_SIGNALS:
        source = owner.tool.startswith("simulink/Sources/")
        name = _main_parameter(owner.spec) if source or not quantity.measures else None
    if name == "Time" and not _AT.search(reading.masked, owner.end, quantity.start):
        return False  # "a step of 2 s" is none at 2 s
    if name is None or name in owner.params:
        return False
    return _give(reading, owner, name, quantity, quantity.start, quantity.end)


def _give(
    reading: Reading, owner: Block, name: str, quantity: Quantity, start: int, end: int
) -> bool:
    owner.params[name] = _convert(owner.spec, name, quantity)
    if (
        name in ("UpperSaturationLimit", "LowerSaturationLimit")
        and "LimitOutput" in owner.spec.parameters
    ):
        owner.params["LimitOutput"] = "on"
    reading.take(start, end)
    return True


def _find_by_unit(spec: BlockSpec, quantity: Quantity, taken: Container[str]) -> str | None:
    """Returns the free parameter that takes a number by its unit; None where there is none."""
    for name in _TAKING.get(quantity.measures, ()):
        is_sampled = name != "SampleTime" or spec.block_type in _SAMPLERS
        # The samples of a sine wave count only where it is not time-based.
        is_used = (spec.block_type, name) != ("Sin", "Samples")
        if name in spec.parameters and name not in taken and is_sampled and is_used:
            return name
    return None


def _main_parameter(spec: BlockSpec) -> str | None:
    """Returns the parameter of a bare number: the one with the name of the block."""
    own = (name for name in spec.parameters if fold(name) == fold(spec.name))
    return _FIRST.get(spec.block_type) or next(own, None)


def _convert(spec: BlockSpec, name: str, quantity: Quantity) -> str:
    """Returns a value in the unit of a parameter."""
    in_radians = (spec.block_type, name) == ("Sin", "Frequency")
    if quantity.measures == "frequency" and name in _RATES:
        return f"1/{quantity.value}"
    if quantity.measures == "frequency" and in_radians:
        return f"2*pi*{quantity.value}"
    if quantity.measures == "angular frequency" and not in_radians:
        return f"{quantity.value}/(2*pi)"
    return quantity.value
