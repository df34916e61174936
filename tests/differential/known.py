"""Where our reading and n8n's are known to differ: the reason, and how to tell it.

None of them may be for a node, a tool or a file; a full run fails when one no longer occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

MOST = 10
SHARE = 0.003

Filled = Mapping[str, Any]


def options_of_a_filter(ours: Filled, theirs: Filled) -> bool:
    """Only a filter differs whose options were a text or a list.

    n8n spreads such options by index into the defaults; nothing reads the result.
    """
    differing = [name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)]
    return all(
        isinstance(ours.get(name), dict) and "combinator" in ours[name] for name in differing
    )


OF_FILLING: tuple[Callable[[Filled, Filled], bool], ...] = (options_of_a_filter,)
EVERY = (*OF_FILLING,)
