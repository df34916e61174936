"""How long and by which solver a request asks to run its model."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from grounded_builder.domains.simulink.keyword_plan.quantities import Quantity
from grounded_builder.domains.simulink.keyword_plan.text import Text
from grounded_builder.domains.simulink.lower.simulation_settings import SOLVERS

_BESIDES = (
    r"(?:it|this|that|the|a|an|total|whole|model|system|loop|circuit|simulation|time|duration)"
)
_TIMED = re.compile(
    rf"\b(?:(?:stop(?:s|ped)?|end(?:s|ed)?)\s+(?:the |this )?(?=simulation\b))?"
    rf"(?:simulat(?:e|es|ed|ion|ing)|run(?:s|ning)?|stop(?:s)? ?time|end ?time|"
    rf"stop(?:s|ped)? (?:at|after))"
    rf"(?:[\s,]+{_BESIDES})*[\s,]*(?:(?:for|over|until|till|up to|of|to|is|at|after|lasts?|set to|"
    rf"from 0(?: ?s)? to|=|:)\s*)?(?:t\s*=\s*)?(?:the first\s*)?$",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    r"\b(?:scope|display|plot|show|view|observe|watch|record|log)\b[^,;.]{0,40}?\s"
    r"for (?:the first )?$",
    re.IGNORECASE,
)
# A number without a unit at which a run stops that counts something is no time.
_STOPPED = re.compile(r"\b(?:stop|end)(?:s|ped|ed)?\b[^.;]*\b(?:at|after|on)\s+$", re.IGNORECASE)
_COUNTED = re.compile(r"\bcount(?:s|ed|er|ers|ing)?\b", re.IGNORECASE)
_BEHIND = re.compile(r"\s*(?:of\s+)?(?:simulation|simulated|run ?time)\b", re.IGNORECASE)
# The setting that a number is of, by the words before it.
_NAMED = (
    ("FixedStep", r"\b(?:fixed[- ])?(?:step|time step) ?size(?: of| is| =|:)?\s*$"),
    ("FixedStep", r"\bfixed[- ]step(?: solver)?(?: of| with| at| =)?(?: a)?(?: step)?\s*$"),
    ("MaxStep", r"\bmax(?:imum|\.)? (?:time )?step(?: ?size)?(?: of| is| =|:)?\s*$"),
    ("RelTol", r"\brel(?:ative|\.)? tol(?:erance)?(?: of| is| =|:)?\s*$"),
    ("AbsTol", r"\babs(?:olute|\.)? tol(?:erance)?(?: of| is| =|:)?\s*$"),
)  # fmt: skip
_SETTINGS = tuple((name, re.compile(words, re.IGNORECASE)) for name, words in _NAMED)
_SOLVER = re.compile(
    r"\b(?:(?:using|with|by|the|and|solver|a)[\s:=]+)*"
    rf"({'|'.join(sorted(SOLVERS, key=len, reverse=True))})\b"
    r"(?:\s+(?:as\s+)?(?:the\s+)?solver)?"
)
_LOOK = 60


@dataclass(slots=True)
class Run:
    """The settings of a run that a request tells, and what of the text they used."""

    settings: dict[str, str] = field(default_factory=dict)
    taken: list[tuple[int, int]] = field(default_factory=list)


def run_of(text: Text) -> Run:
    """Read how long, in which steps and by which solver a model is to run."""
    run = Run()
    for quantity in text.quantities:
        found = _setting(text, quantity)
        if found is not None and found[0] not in run.settings:
            run.settings[found[0]] = quantity.value
            run.taken.append((found[1], found[2]))
    solver = _SOLVER.search(text.request)
    if solver is not None:
        run.settings["Solver"] = solver[1]
        run.taken.append(solver.span())
    elif "FixedStep" in run.settings:
        run.settings["Solver"] = "FixedStepAuto"
    return run


def stops_at_count(text: Text, one: Quantity) -> bool:
    """Whether a number is the count at which a run is to stop: "count ..., stop at 10"."""
    begin = text.sentence(one.start)[0]
    said = _STOPPED.search(text.request, begin, one.start)
    return (
        not one.measures
        and said is not None
        and _COUNTED.search(text.request, begin, said.start()) is not None
    )


def _setting(text: Text, one: Quantity) -> tuple[str, int, int] | None:
    """The setting that a number is of, with the span of what says so."""
    if one.measures not in ("time", "") or one.both or stops_at_count(text, one):
        return None
    look = text.sentence(one.start)[0]
    before = text.before(one.start, _LOOK)
    start = max(look, one.start - _LOOK)
    for name, words in _SETTINGS:
        found = words.search(before)
        if found is not None:
            return name, start + found.start(), one.end
    found = _TIMED.search(before)
    shown = _SHOWN.search(before) if one.measures == "time" else None
    if found is None and shown is not None:
        return "StopTime", start + shown.end() - len("for "), one.end
    if found is not None and not re.match(r"\s*times\b", text.after(one.end)):
        return "StopTime", start + found.start(), one.end
    behind = _BEHIND.match(text.request, one.end)
    if behind is not None and one.measures == "time":
        return "StopTime", one.start, behind.end()
    return None
