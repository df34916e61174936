"""Checks each regular expression: proven linear, or listed here and measured on hard texts."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from grounded_builder.catalog import text_cleaning
from grounded_builder.domains.n8n.type_inference import node_features
from grounded_builder.drafting.edits.rules import _LONGEST_CLAUSE, _LONGEST_REQUEST
from grounded_builder.drafting.planner.reading import LONGEST_REQUEST
from grounded_builder.resolve import mentions
from tests.patterns.attack import attacks
from tests.patterns.collect import Collected
from tests.patterns.proof import LINEAR, Growth, growth
from tests.support.growth import confirm_fault, find_growth_fault

_SIZES = (1_000, 8_000)
BOUNDED: dict[str, int] = {
    "drafting.planner.": LONGEST_REQUEST,
    "drafting.edits.rules:_RULES": _LONGEST_CLAUSE,
    "drafting.edits.": _LONGEST_REQUEST,
    "drafting.tool_retrieval:": _LONGEST_REQUEST,
    "domains.simulink.keyword_plan.": LONGEST_REQUEST,
    "resolve.mentions:_ITEM_BEFORE": mentions.CONTEXT,
    "resolve.mentions:_WORD_BEFORE": mentions.CONTEXT,
    "resolve.mentions:_SENTENCE_START": mentions.CONTEXT,
    "catalog.name_index:_BRACKETS_AT_END": text_cleaning._MAX_NAME_CHARS,
    "domains.n8n.type_inference.node_features:_ID": node_features._MAX_NOTES_LENGTH,
}
"""Patterns that see no more than so many characters, by the beginnings of their names.

Each bound is the one that the code keeps to before the pattern is asked; gaps of requests are
shortened there as well. At the bound such a pattern takes no longer than ``_MOST_S``.
"""
CLOSED = {
    "domains.n8n.check.advice.request_address:_EXPRESSION": "}}",
    "domains.n8n.check.advice.deprecated:_MARKUP": ">",
    "domains.n8n.check.embedded_workflows:_EXPRESSION": "}}",
    "domains.n8n.trial.execution_result:_MARKUP": ">",
    "domains.simulink.draw.svg:_TAG": ">",
    "redaction.redact:_EXPRESSION": "}}",
}
"""Patterns that ``sub_closed`` alone asks, with what ends them."""
MEASURED = {
    "catalog.tokenize:_PART": "what an alternative gives up, a later one matches whole",
    "domains.n8n.check.advice.joinable_nodes:_NAME": "a name has up to 200 characters",
    "domains.n8n.check.flow.duplicate_webhooks:_EXPRESSION": "reads up to 1,000 characters",
    "domains.n8n.check.policy:_TYPE": "each part of a name has a bound",
    "domains.n8n.expressions.unknown_members:_DIRECT": "a name has up to 400 characters",
    "domains.n8n.expressions.tolerant_syntax:_TOKEN": "an open comment takes the rest of the text",
    "domains.simulink.matlab.build_report:_LOST": "a name has up to 200 characters",
    "domains.simulink.matlab_expr.scan:_TOKEN": "a line without an end takes the rest of the text",
    "domains.simulink.read.mdl_text:_TOKEN": "what nothing else matches takes the rest of the text",
    "resolve.mentions:QUOTED": "a quotation has up to 400 characters",
    "redaction.find_secrets:_BLOCK": "a key has up to 20,000 characters",
    "redaction.find_secrets:_BY_CONTEXT": "each gap has a bound",
    "redaction.classify_value:_NAME_OF_A_SECRET": "each word has a bound",
}
"""Patterns that are not proven linear, with what keeps them so: they are measured."""
READ_ONCE = {
    "domains.n8n.expressions.literals:_REGEX": "after a miss all of them are found in one pass",
    "domains.n8n.expressions.mask_literals:_TEMPLATE": "the reader ends at a miss",
    "domains.n8n.expressions.field_reads:_ASSIGNS": "a gap is read behind one path",
    "domains.n8n.expressions.field_reads:_CALL": "a gap is read behind one member",
    "domains.n8n.expressions.field_reads:_STEP": "a gap is read behind one member",
    "domains.n8n.expressions.references:_READS": "a gap is read behind one name",
    "domains.n8n.expressions.unknown_members:_INDEX": "a gap is read behind one member",
    "domains.n8n.expressions.unknown_members:_STEP": "a gap is read behind one member",
    "domains.n8n.trial.expected_fields:_STEP": "a gap is read behind one member",
    "resolve.mentions:_NEXT_IN_LIST": "a gap is read behind one name",
}
"""Patterns that readers match at positions, with what keeps a character from being read in vain
more than a few times: each match is proven alone, and the readers are in ``test_scanners.py``.
"""
BUILT = {
    "compiler.goal_coverage:_tools_by_phrase": "the domains' phrases, constants of their modules",
    "domains.n8n.parameters.patterns:_compile": "of installed nodes, with a deadline",
    "domains.simulink.matlab.build_report:trouble_of": "constants of the module",
    "domains.tools.catalog.argument_schema:_check_pattern": "of tool definitions, with a deadline",
    "drafting.edits.rules:_make_rule": "constants of the module",
    "drafting.evaluate:_asks_for_manual_start": "the domains' phrases, constants of their modules",
    "drafting.planner.clauses:phrases": "the domains' phrases, constants of their modules",
    "drafting.tool_retrieval:_tools_by_phrase": "the domains' phrases, constants of their modules",
    "redaction.find_secrets:_compile": "constants of the package",
}
"""Functions that build patterns out of more than constants and escaped words, with the source."""
_MOST_S = 0.5
_FEW, _MOST_FOR_FEW_S = 30, 0.2


def faults(collected: Collected) -> list[str]:
    """Returns what is wrong with a pattern, in each use: its growth, or a text that shows it."""
    if not isinstance(collected.pattern, re.Pattern):
        return []
    out: list[str] = []
    for use in sorted(collected.uses):
        proven = prove_growth(collected, use)
        if proven.kind == LINEAR:
            continue
        if fault := slow_text(collected, use, proven.pump):
            out.append(fault)
        elif not is_listed(collected.where):
            hint = f", such as on {proven.pump!r} repeated" if proven.pump else ""
            out.append(f"{use} is not proven linear, it may be {proven.kind}{hint}")
    return out


def prove_growth(collected: Collected, use: str) -> Growth:
    """Returns how the time of one use of a pattern grows, at most."""
    return growth(collected.pattern, "match" if collected.where in READ_ONCE else use)


def is_listed(where: str) -> bool:
    """Whether a pattern is one of those that are measured instead of proven."""
    return where.startswith((*BOUNDED, *CLOSED, *MEASURED))


def slow_text(collected: Collected, use: str, pump: str = "") -> str:
    """Returns the first hard text for which one use of a pattern takes more than its time."""
    where = collected.where
    bound = next((bound for name, bound in BOUNDED.items() if where.startswith(name)), None)
    work = _work(collected.pattern, use)
    if where in CLOSED:
        work = partial(text_cleaning.sub_closed, collected.pattern, CLOSED[where], "")
    first = [("", pump, "\x00")] if pump else []
    for opening, body, end in (*first, *attacks(collected.pattern)):
        measured = partial(_time_fault, work, opening, body, end, bound)
        if fault := confirm_fault(measured):
            return f"{use} of {opening!r} + {body!r} repeated + {end!r}: {fault}"
    return ""


def _time_fault(
    work: Callable[[str], object], opening: str, pump: str, end: str, bound: int | None
) -> str:
    """Returns what a text of repeats costs where that is too much, in one measurement."""
    if fault := _explosion(work, opening, pump, end, bound):
        return fault
    make = partial(_text, opening, pump, end)
    if bound is None:
        return find_growth_fault(work, make, shortest=_SIZES[0], longest=_SIZES[1])
    return _cost_fault(work, text_cleaning.shorten_gaps(make(bound))[:bound])


def _explosion(
    work: Callable[[str], object], opening: str, pump: str, end: str, bound: int | None
) -> str:
    """Returns what a text of a few repeats costs where it doubles with each of them.

    Asked first, in small steps: the shortest text of the other measures would not end.
    """
    for times in range(4, _FEW, 2):
        began = time.thread_time()
        work((opening + pump * times + end)[:bound])
        took = time.thread_time() - began
        if took > _MOST_FOR_FEW_S:
            return f"{times} repeats take {took:.3f} s"
    return ""


def _cost_fault(work: Callable[[str], object], text: str) -> str:
    """Returns what a text costs where that is too much, the least of three tries."""
    took = float("inf")
    for _ in range(3):
        began = time.thread_time()
        work(text)
        took = min(took, time.thread_time() - began)
        if took <= _MOST_S:
            return ""
    return f"{len(text):,} characters take {took:.2f} s"


def _text(opening: str, pump: str, end: str, size: int) -> str:
    return opening + pump * max(1, size // len(pump)) + end


def _work(pattern: re.Pattern[Any], use: str) -> Callable[[str], object]:
    if isinstance(pattern.pattern, bytes):
        return lambda text: _call(pattern, use, text.encode("utf-8"))
    return lambda text: _call(pattern, use, text)


def _call(pattern: re.Pattern[Any], use: str, text: str | bytes) -> object:
    if use == "finditer":
        return sum(1 for _ in pattern.finditer(text))
    if use in ("sub", "subn"):
        return pattern.sub(text[:0], text)
    if use.endswith("_at"):
        return _read_through(pattern, use.removesuffix("_at"), text)
    return getattr(pattern, use)(text)


def _read_through(pattern: re.Pattern[Any], method: str, text: str | bytes) -> int:
    """Returns how many matches a reader makes that continues behind each, or one character on."""
    place = count = 0
    while place < len(text):
        match = getattr(pattern, method)(text, place)
        place = max(place + 1, match.end() if match else 0)
        count += match is not None
    return count
