"""Which blocks of a request lie in a subsystem that it names."""

from __future__ import annotations

import re

from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.text import Text

_INSIDE = re.compile(r"\b(inside|within|containing|contains|that holds|in it)\b", re.IGNORECASE)
_SUBSYSTEM = "simulink/Ports & Subsystems/"


def is_conditional(one: Mention) -> bool:
    """Whether a block is a subsystem that a request may fill."""
    if one.tool == f"{_SUBSYSTEM}Subsystem":
        return True
    return bool({"enable", "trigger"} & (one.spec.ports or {}).keys()) and one.tool.startswith(
        _SUBSYSTEM
    )


def is_inside(two: Mention, owner: Mention, text: Text, lexicon: Lexicon) -> bool:
    """Whether a block is said to lie in a subsystem."""
    if lexicon.is_source(two.tool) or lexicon.is_sink(two.tool):
        return False
    between = text.request[owner.end : two.end] + text.after(two.end, 20)
    return _INSIDE.search(between) is not None
