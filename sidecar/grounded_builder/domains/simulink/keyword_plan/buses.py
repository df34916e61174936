"""Signals that a request names, for the bus that they go into and what is selected of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.plan_builder import SketchBuilder
from grounded_builder.domains.simulink.keyword_plan.text import Text

_SELECTOR = "simulink/Signal Routing/Bus Selector"
_BUS = re.compile(r"\bbus\b", re.IGNORECASE)
_SELECTED = re.compile(
    r"\b(?:select|pick|extract|take)(?:s|ing)?\s+(?:out\s+)?(?:only\s+)?(?:the\s+)?(?:signal\s+)?"
    r"(?P<name>[A-Za-z_]\w*)\b(?!\s+(?:between|one|from two))",
    re.IGNORECASE,
)
_NAME = re.compile(r"\b([A-Za-z_]\w*)\s*\((?:an?\s+|the\s+)?$")


def names_of_signals(text: Text, mentions: Sequence[Mention]) -> dict[int, str]:
    """What signals are called by the word before their block, by where the block is named."""
    if _BUS.search(text.request) is None:
        return {}
    named = ((one.start, _NAME.search(text.before(one.start, 40))) for one in mentions)
    return {start: found[1] for start, found in named if found is not None}


def selected(text: Text, lexicon: Lexicon, named: dict[int, str]) -> Iterator[Mention]:
    """The selector of a signal that goes into a bus."""
    for found in _SELECTED.finditer(text.request):
        if found["name"] in named.values():
            spec = lexicon.spec(_SELECTOR)
            params = {"OutputSignals": found["name"]}
            yield Mention(_SELECTOR, spec, *found.span(), params=params)


def name_signals(drawing: SketchBuilder, named: dict[int, str]) -> None:
    """Call the signals that go into a bus what the request calls them."""
    called = {
        step: named[start] for step, start in drawing.places.items() if start in named
    }  # fmt: skip
    for step in drawing.steps:
        if step["tool"].endswith("/Bus Creator"):
            step["inputs"] = [
                {"from": one, "signal": called[one]}
                if isinstance(one, str) and one in called
                else one
                for one in step["inputs"]
            ]
