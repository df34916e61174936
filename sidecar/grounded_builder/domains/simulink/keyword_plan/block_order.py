"""The order in which the blocks of a request are joined, where it is not that of its words."""

from __future__ import annotations

import re

from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.text import Text

_AHEAD = re.compile(
    r"\b(before|in front of|ahead of|upstream of)\s+(it|the|this|that)\b|\bat (the|its) input\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"\s*(when|if|once|as soon as|whenever)\b", re.IGNORECASE)


def in_turn(mentions: list[Mention], text: Text, lexicon: Lexicon) -> list[Mention]:
    """Mentions in their order, but a sink for which a condition follows behind what decides."""
    ordered = list(mentions)
    for one in mentions:
        at = ordered.index(one)
        after = text.after(one.end, 40).split(",")[0]
        if at and _AHEAD.search(after) and not lexicon.is_source(one.tool):
            before = ordered[at - 1]
            ends = lexicon.is_source(before.tool) or lexicon.is_sink(before.tool)
            if not ends and not before.verb and not before.infix:
                ordered[at - 1 : at + 1] = [one, before]
    for one in mentions:
        at = ordered.index(one)
        later = [two for two in ordered[at:] if lexicon.is_source(two.tool)]
        if one.branches and not at and later:
            # What decides is told behind.
            ordered.remove(one)
            ordered.insert(ordered.index(later[0]) + 1, one)
    for one in mentions:
        if lexicon.is_sink(one.tool) and (
            _WHEN.match(text.request, one.end) or _is_stopped_by(one, mentions, text)
        ):
            end = text.sentence(one.start)[1]
            behind = [two for two in ordered if one.start < two.start < end]
            if behind:
                ordered.remove(one)
                ordered.insert(ordered.index(behind[-1]) + 1, one)
    return ordered


def _is_stopped_by(one: Mention, mentions: list[Mention], text: Text) -> bool:
    """Whether a comparison right behind the name of a block says when it stops the run."""
    return one.spec.name == "Stop Simulation" and any(
        two.spec.name == "Compare To Constant"
        and one.end <= two.start
        and not text.request[one.end : two.start].strip()
        for two in mentions
    )
