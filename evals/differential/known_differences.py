"""Lists the known differences between our checks and n8n's, each with its reason.

At most ten, together for at most three nodes in a thousand, and none for a node, a tool or a file;
a full run fails when one no longer occurs. At present there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

MOST = 10
SHARE = 0.003

Filled = Mapping[str, Any]

OF_FILLING: tuple[Callable[[Filled, Filled], bool], ...] = ()
