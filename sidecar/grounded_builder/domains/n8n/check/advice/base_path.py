"""What the path of an API begins with before its own resources."""

from __future__ import annotations

import re
from collections.abc import Iterable

_VERSION = re.compile(r"^(?:v?\d[\w.-]*|latest|beta|api|apis|rest|web|public)$", re.IGNORECASE)


def is_base(parts: Iterable[str]) -> bool:
    """Whether these parts only say which API and which version of it: ``api/v2``."""
    return all(_VERSION.match(part) for part in parts)
