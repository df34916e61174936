"""Lists the known differences between our checks and those of n8n, each with its reason.

There may be at most ten, together for at most 0.3 % of the nodes, and none for a single node, tool
or file; a full run fails if one no longer occurs. At present there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

MOST = 10
SHARE = 0.003

Filled = Mapping[str, Any]

OF_FILLING: tuple[Callable[[Filled, Filled], bool], ...] = ()
