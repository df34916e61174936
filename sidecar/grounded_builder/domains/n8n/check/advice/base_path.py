"""Returns whether parts of a URL path only identify an API and its version, as in ``api/v2``."""

from __future__ import annotations

import re
from collections.abc import Iterable

_VERSION = re.compile(r"^(?:v?\d[\w.-]*|latest|beta|api|apis|rest|web|public)$", re.IGNORECASE)


def is_base(parts: Iterable[str]) -> bool:
    """Returns whether the path parts only identify an API and its version, as in ``api/v2``."""
    return all(_VERSION.match(part) for part in parts)
