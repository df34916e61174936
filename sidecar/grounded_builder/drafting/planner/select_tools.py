"""Choose the tools that a clause asks for, in the order of the work."""

from __future__ import annotations

import re
from collections.abc import Collection

from grounded_builder.drafting.planner.clauses import Clause
from grounded_builder.drafting.planner.conditions import choice_at
from grounded_builder.drafting.planner.guess_tool import guess
from grounded_builder.drafting.planner.hosts import hosting_in
from grounded_builder.drafting.planner.tool_facts import Pick, Toolbox
from grounded_builder.drafting.planner.triggers import Start
from grounded_builder.drafting.planner.unknown_services import strangers_in
from grounded_builder.resolve.mentions import Mention

_EVENT = re.compile(r"(?:when(?:ever)?|as soon as|once|upon)\b", re.IGNORECASE)
# How people speak of what decides or repeats; whose condition it is says nothing of the tool.
_DECIDING = {"if": "if it holds", "each": "for each item"}


def choices(clause: Clause, start: Start | None, box: Toolbox) -> list[Pick]:
    """The tools of a clause, beside what starts the graph where it tells that."""
    if clause.role in _DECIDING:
        sources = [
            _action(mention, f"get {clause.text}", box) for mention in box.mentions(clause.text)
        ]
        deciding = [Pick(tool) for tool in box.cued(_DECIDING[clause.role])][:1]
        return [*(sources if clause.role == "each" else []), *deciding]
    if start is None:
        # An event that nothing here waits for is no deed of some tool that sounds like it.
        return _acts(clause.text, (), box, guessed=not _EVENT.match(clause.text))
    if box.takes(start.pick.tool):
        return _offered(start, clause, box)
    if start.pick.tool in box.domain.prompting.trigger_of_step.values():
        return _acts(clause.text, start.spent, box, guessed=False)
    guessed = not start.spent and clause.role != "start"
    return _acts(start.rest, start.spent, box, guessed=guessed) if start.rest else []


def _offered(start: Start, clause: Clause, box: Toolbox) -> list[Pick]:
    """What a start that takes sub-nodes offers: the services named, as sub-nodes."""
    found = []
    for mention in box.mentions(clause.text):
        own = box.acting(mention)
        for kind in box.takes(start.pick.tool):
            tool = box.variant(own, kind)
            if tool is not None:
                found.append(Pick(tool, {}, mention.said, kind))
    return found


def _acts(text: str, spent: Collection[Mention], box: Toolbox, *, guessed: bool) -> list[Pick]:
    """What is done: what is called by name, hosts with what works for them, else what fits."""
    told = {one.said for one in spent}
    first, last = choice_at(text) or (0, 0)
    named = [
        mention
        for mention in box.mentions(text)
        if mention.said not in told and not first <= mention.at < last
    ]
    hosting = hosting_in(text, named, box)
    picks = [_action(one, text, box) for one in named if one not in hosting.spent]
    picks = [one for one in picks if not box.is_trigger(one.tool)]
    if hosting.hosts:
        picks = _in_order(picks, list(hosting.hosts), text)
    picks += hosting.subs
    if not picks and not spent:
        meant = [tool for tool in box.cued(text) if not box.serves(tool)]
        picks = [Pick(tool) for tool in meant][:1]
    picks += _said_as_names(text, picks, box) if picks or spent else []
    if picks and last:
        deciding = [tool for tool in box.cued(text) if not (box.serves(tool) or box.takes(tool))]
        picks += [Pick(tool) for tool in deciding[:1] if tool not in {one.tool for one in picks}]
    strangers = strangers_in(text, named, box)
    if box.domain.prompting.fallback not in {pick.tool for pick in picks}:
        picks += [Pick(box.domain.prompting.fallback, {}, stranger) for stranger in strangers[:1]]
    if picks or spent or not guessed:
        return picks
    pick = guess(text, box, starts=False)
    return [pick] if pick is not None else []


def _said_as_names(text: str, picks: list[Pick], box: Toolbox) -> list[Pick]:
    """The tools of phrases that say as much as names, where nothing picked is of that sort."""
    words = {word for pick in picks for word in box.registry.tools[pick.tool].keywords}
    tools = {pick.tool for pick in picks}
    return [
        Pick(tool)
        for tool in box.cued(text, named=True)
        if tool not in tools and words.isdisjoint(box.registry.tools[tool].keywords)
    ]


def _action(mention: Mention, text: str, box: Toolbox) -> Pick:
    tool = box.acting(mention)
    return Pick(tool, box.operation(tool, text), mention.said)


def _in_order(picks: list[Pick], hosts: list[Pick], text: str) -> list[Pick]:
    """What is thought over stands behind what it comes from and before what it goes to."""
    sources = [pick for pick in picks if _is_source(pick.said, text)]
    return [*sources, *hosts, *(pick for pick in picks if pick not in sources)]


def _is_source(said: str, text: str) -> bool:
    before = text[: text.find(said)].rstrip().casefold() if said else ""
    return before.endswith((" from", " in", " of")) or before == "from"
