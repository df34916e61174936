"""Converts MATLAB releases to sortable keys, and compares which release is later."""

from __future__ import annotations

import re

_RELEASE = re.compile(r"R?(20\d\d)([ab])", re.IGNORECASE)
# Releases before names with years: R14SP3 is of 2005.
_EARLIER = re.compile(r"R(\d{2})(?:SP(\d))?", re.IGNORECASE)
_LONGEST = 40


def find_release_order(release: str | None) -> tuple[int, int, int] | None:
    """Returns a release as a sortable key; None for a text that is not a release.

    ``R2024b``, ``2024b`` and ``(R2024b)`` are equal, and so is ``R2024b Update 3``.
    """
    words = (release or "")[:_LONGEST].strip(" ()").split()
    text = words[0].strip("()") if words else ""
    named = _RELEASE.fullmatch(text)
    if named is not None:
        return int(named[1]), "ab".index(named[2].casefold()), 0
    early = _EARLIER.fullmatch(text)
    return None if early is None else (0, int(early[1]), int(early[2] or 0))


def is_later(release: str | None, other: str | None) -> bool:
    """Returns whether a release is later than another; False where either is unknown."""
    results, two = find_release_order(release), find_release_order(other)
    return results is not None and two is not None and results > two
