"""Cascades of loops that a request tells too little of: none of their parts is mixed."""

from __future__ import annotations

import re

from grounded_builder.domains.simulink.keyword_plan.loops import is_controller, is_plant
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.text import Text

Span = tuple[int, int]

_ASKED = re.compile(
    r"\bcascaded?[\s-]+(?:\w+[\s-]+)?(?:control\w*|loops?|regulat\w+)\b"
    r"|\binner\b[^.]*\bouter\b[^.]*|\bouter\b[^.]*\binner\b[^.]*",
    re.IGNORECASE,
)
_LOOP = re.compile(r"\b(loops?|control\w*|regulat\w+)\b", re.IGNORECASE)
_WORDS = re.compile(r"\b(cascaded?|inner|outer)\b", re.IGNORECASE)


def apart(text: Text, mentions: list[Mention], named: list[Span]) -> tuple[Text, list[Span]]:
    """Leave out the controllers of a cascade that has not two of them and two plants.

    What was theirs goes out of the mentions, of what is ``named``, and of the numbers of the
    text; given back are the text and the words that are to be told.
    """
    controllers = [one for one in mentions if is_controller(one)]
    plants = [one for one in mentions if is_plant(one) and not is_controller(one)]
    asked = _ASKED.search(text.request) is not None and _LOOP.search(text.request) is not None
    if not asked or (len(controllers) > 1 and len(plants) > 1):
        return text, []
    words = [match.span() for match in _WORDS.finditer(text.request)]
    own = [*words, *((controller.start, controller.end) for controller in controllers)]
    mentions[:] = [one for one in mentions if one not in controllers]
    named[:] = [span for span in named if not any(a <= span[0] < b for a, b in own)]
    others = [one.start for one in mentions]
    starts = [start for start, _ in own]

    def is_own(at: int) -> bool:
        before = max((start for start in starts if start < at), default=-1)
        return before > max((start for start in others if start < at), default=-1)

    numbers = [
        (quantity.start, quantity.end) for quantity in text.quantities if is_own(quantity.start)
    ]
    return text.without(numbers), words
