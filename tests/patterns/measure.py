"""Measure how the time of a regular expression grows with the length of hard texts."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from grounded_builder.catalog import sanitize
from grounded_builder.domains.n8n.type_inference import node_features
from grounded_builder.domains.simulink.check import matlab_functions, replaceable
from grounded_builder.domains.simulink.keyword_plan.plan import _LONGEST
from grounded_builder.drafting.edits.rules import _LONGEST_CLAUSE, _LONGEST_REQUEST
from grounded_builder.drafting.planner.sentences import LONGEST_REQUEST
from tests.patterns.attack import attacks
from tests.patterns.collect import Collected
from tests.support.growth import growth_fault

_SIZES = (1_000, 8_000)
BOUNDED: dict[str, int] = {
    "drafting.planner.": LONGEST_REQUEST,
    "drafting.edits.rules:_RULES": _LONGEST_CLAUSE,
    "drafting.edits.": _LONGEST_REQUEST,
    "domains.simulink.check.matlab_functions:": matlab_functions._LONGEST,
    "domains.simulink.check.replaceable:_COMPILED": replaceable._LONGEST,
    "drafting.tool_retrieval:": _LONGEST_REQUEST,
    "domains.simulink.keyword_plan.": _LONGEST,
    "catalog.name_index:_ASIDE": sanitize._NAME_LENGTH,
    "domains.n8n.type_inference.node_features:_ID": node_features._NOTES_READ,
}
"""Patterns that see no more than so many characters, by the beginnings of their names.

Each bound is the one that the code keeps to before the pattern is asked; gaps of requests are
shortened there as well. At the bound such a pattern takes no longer than ``_MOST_S``.
"""
CLOSED = {
    "domains.n8n.check.advice.request_address:_EXPRESSION": "}}",
    "domains.n8n.check.advice.deprecated:_MARKUP": ">",
    "domains.n8n.trial.execution_result:_MARKUP": ">",
}
"""Patterns that ``sub_closed`` alone asks, with what ends them."""
_MOST_S = 0.5
_FEW, _MOST_FOR_FEW_S = 30, 0.05


def faults(found: Collected) -> list[str]:
    """Returns the first hard text for which a pattern takes more than its time, in each use."""
    if not isinstance(found.pattern, re.Pattern):
        return []
    bound = next((bound for name, bound in BOUNDED.items() if found.where.startswith(name)), None)
    out: list[str] = []
    for use in sorted(found.uses):
        work = _work(found.pattern, use)
        if found.where in CLOSED:
            work = partial(sanitize.sub_closed, found.pattern, CLOSED[found.where], "")
        for opening, pump, end in attacks(found.pattern):
            make = partial(_text, opening, pump, end)
            if fault := _explosion(work, opening, pump, end):
                out.append(f"{use} of {opening!r} + {pump!r} repeated + {end!r}: {fault}")
                break
            if bound is None:
                fault = growth_fault(work, make, shortest=_SIZES[0], longest=_SIZES[1])
            else:
                fault = _cost_fault(work, sanitize.shorten_gaps(make(bound))[:bound])
            if fault:
                out.append(f"{use} of {opening!r} + {pump!r} repeated + {end!r}: {fault}")
                break
    return out


def _explosion(work: Callable[[str], object], opening: str, pump: str, end: str) -> str:
    """Returns what a text of a few repeats costs where it doubles with each of them.

    Asked first, in small steps: the shortest text of the other measures would not end.
    """
    for times in range(4, _FEW, 2):
        began = time.thread_time()
        work(opening + pump * times + end)
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
    return getattr(pattern, use)(text)
