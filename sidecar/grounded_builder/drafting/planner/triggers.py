"""Tell what starts the graph: a time, an event of a service, a call, a chat, a form."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from grounded_builder.drafting.planner.clauses import Clause
from grounded_builder.drafting.planner.guess_tool import guess
from grounded_builder.drafting.planner.schedules import schedule_in
from grounded_builder.drafting.planner.tool_facts import Pick, Toolbox
from grounded_builder.resolve.mentions import Mention

# Words of something that happens; a schedule beside them polls for it, without them it acts.
_EVENT = re.compile(
    r"\b(?:when\w*|trigger\w*|new|incoming|once|upon|arriv\w+|receiv\w+|check for|watch\w*|"
    r"monitor\w*|listen\w*)\b",
    re.IGNORECASE,
)
# What begins a clause about a further start; "get new orders" is done, not waited for.
_BEGINS = re.compile(
    r"(?:when(?:ever)?|once|every|each|as soon as|on|upon|after|if|trigger\w*|start\w*|via|"
    r"manually)\b",
    re.IGNORECASE,
)
_NEXT_WORDS = re.compile(
    r"\s+(?:new )?(?:forms?|chat|messages?|e-?mails?|webhooks?)\b.{0,24}", re.IGNORECASE
)
_FROM = re.compile(r"\b(?:from|of)\s+(?:the\s+|an?\s+|my\s+)?$", re.IGNORECASE)
_LIKELY = 0.3
_FEW_WORDS = 1


@dataclass(frozen=True, slots=True)
class Start:
    """What starts a graph, how the clause names it, and what else the clause says."""

    pick: Pick
    spent: tuple[Mention, ...]
    rest: str
    said: str = ""


def start_of(clause: Clause, box: Toolbox, *, first: bool) -> Start | None:
    """What a clause says of the start; any but the first clause must plainly speak of one."""
    tells = first or (clause.role == "start" and _BEGINS.match(clause.text))
    pick = _start(clause, box) if tells else _called(clause, box)
    if pick is None:
        return None
    spent = tuple(mention for mention in box.mentions(clause.text) if mention.said == pick.said)
    matched = box.matched(clause.text, starts=True) if not spent else None
    rest = _without(clause.text, matched)
    has_rest = len(rest.split()) > _FEW_WORDS
    said = matched[0] if matched and has_rest else ""
    return Start(pick, spent, rest if has_rest else "", said)


def likely_start(request: str, named: Iterable[str], box: Toolbox) -> str | None:
    """The start that such requests most often have: one of the domain's, or of what is named."""
    expected = box.registry.expectation.requested(request).logs
    tools = [cue.tool for cue in box.domain.prompting.phrases if cue.starts]
    for tool in named:
        tools += box.registry.names.starters.get(tool, ())
    best = max(
        (
            tool
            for tool in tools
            if tool in expected and box.is_installed(tool) and not box.takes(tool)
        ),
        key=lambda tool: (expected[tool], tool),
        default=None,
    )
    if best is None or expected[best] < math.log(_LIKELY / (1 - _LIKELY)):
        return None
    return best


def _called(clause: Clause, box: Toolbox) -> Pick | None:
    """A start that is called by its own name: "Schedule Trigger: every day"."""
    for mention in box.mentions(clause.text):
        behind = _FROM.search(clause.text[: mention.at]) is not None
        is_called = behind or "trigger" in mention.said.casefold()
        if is_called and all(box.is_trigger(tool) for tool in mention.tools):
            tool = mention.tools[0]
            return Pick(tool, box.operation(tool, clause.text), mention.said)
    return None


def _start(clause: Clause, box: Toolbox) -> Pick | None:
    """What starts the graph; a service of its own where the clause tells its event."""
    text = clause.text
    called = _called(clause, box)
    if called is not None:
        return called
    cues = box.cued(text, starts=True)
    matched = box.matched(text, starts=True)
    own = _owner(text, matched, box)
    if own is not None:
        return own
    event = _EVENT.search(_without(text, matched))
    if event or (clause.role == "start" and not cues):
        for mention in _nearest(box.mentions(text), event.end() if event else 0):
            trigger = box.starter(mention)
            if trigger is not None:
                return Pick(trigger, box.operation(trigger, text), mention.said)
    if cues:
        said, names = text.casefold(), box.registry.tools
        return Pick(next((cue for cue in cues if names[cue].name.casefold() in said), cues[0]))
    return guess(text, box, starts=True) if clause.role == "start" else None


def _owner(text: str, matched: re.Match[str] | None, box: Toolbox) -> Pick | None:
    """The start of the service that stands right before what a phrase means: "Acme forms"."""
    for mention in box.mentions(text) if matched else ():
        between = text[mention.at + len(mention.said) : matched.end()] if matched else ""
        apart = text[mention.at + len(mention.said) : matched.start()] if matched else ""
        if apart.strip().casefold() not in ("", "new"):
            continue
        starter = box.starter(mention)
        if starter is not None and between and _NEXT_WORDS.fullmatch(between):
            return Pick(starter, box.operation(starter, text), mention.said)
    return None


def _nearest(mentions: list[Mention], event: int) -> list[Mention]:
    """What is said of an event stands behind the word for it, else before it."""
    return sorted(mentions, key=lambda one: (one.at < event - 1, abs(one.at - event)))


def _without(text: str, matched: re.Match[str] | None) -> str:
    return f"{text[: matched.start()]} {text[matched.end() :]}" if matched else text


def timed(clauses: Iterable[Clause]) -> Clause | None:
    """The first clause that tells a time to start at."""
    return next(
        (clause for clause in clauses if clause.role == "start" and schedule_in(clause.text)), None
    )
