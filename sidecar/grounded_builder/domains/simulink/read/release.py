"""Determines the release of a file from its Simulink version or its package metadata."""

from __future__ import annotations

import re

_TAGGED = re.compile(rb"<(?:\w+:)?(?:matlabRelease|version)>\s*(R\d{4}[ab])\s*<", re.IGNORECASE)
# Versions of Simulink by release (release notes): R2006a is 6.4.
_RUNS = (
    ("R2006a", 6, 4, 1),
    ("R2006b", 6, 5, 1),
    ("R2007a", 6, 6, 1),
    ("R2007b", 7, 0, 10),
    ("R2012b", 8, 0, 10),
    ("R2017b", 9, 0, 4),
    ("R2019b", 10, 0, 8),
)
_EARLIER = {"6.3": "R14SP3", "6.2": "R14SP2", "6.1": "R14SP1", "6.0": "R14", "5.0": "R13"}


def release_of_version(version: str) -> str | None:
    """Returns the release of a Simulink version such as ``8.4``; None where it is not known.

    From R2023b on the version is the year and the half-year: 23.2, 24.1.
    """
    if version in _EARLIER:
        return _EARLIER[version]
    major, _, minor = version.partition(".")
    if not (major.isdigit() and minor.isdigit()):
        return None
    year, half = int(major), int(minor)
    if year >= 23:
        return f"R20{year}{'ab'[half - 1]}" if half in (1, 2) else None
    for first, number, start, count in _RUNS:
        if number == year and start <= half < start + count:
            halves = int(first[1:5]) * 2 + (first[5] == "b") + half - start
            return f"R{halves // 2}{'ab'[halves % 2]}"
    return None


def release_in(metadata: bytes) -> str | None:
    """Returns the release that the metadata of a package names."""
    match = _TAGGED.search(metadata[:20_000])
    return match[1].decode() if match else None
