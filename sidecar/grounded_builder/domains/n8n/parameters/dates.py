"""Determines whether n8n can read a text as a date: ISO, SQL, HTTP or JavaScript formats.

The engine accepts many formats, so only texts that no format accepts are rejected: an ISO date with
an impossible month, day, hour or minute, and words after a number that belong to no date.
"""

from __future__ import annotations

import re

_ISO = re.compile(
    r"\s*(?:[+-]\d{6}|\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?:[T\s](?P<clock>.*))?\Z",
    re.ASCII | re.DOTALL | re.IGNORECASE,
)
_CLOCK = re.compile(r"(\d\d):?(\d\d)?(?::?(\d\d))?", re.ASCII)
_WEEK = re.compile(r"\s*\d{4}-?W\d\d", re.ASCII | re.IGNORECASE)
_PARENTHESES = re.compile(r"\([^()]*\)")
_TOKEN = re.compile(r"(?P<number>\d+)|(?P<word>[^\W\d_]+)")
_MONTHS_AND_DAYS = (
    *("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    *("sun", "mon", "tue", "wed", "thu", "fri", "sat"),
)
_ZONES_AND_MARKS = frozenset(
    {
        *("am", "pm", "t", "z", "ut", "utc", "gmt"),
        *("est", "edt", "cst", "cdt", "mst", "mdt", "pst", "pdt"),
    }
)
# Words of relative dates, which many services accept.
_RELATIVE = re.compile(
    r"ago|now|to(?:day|morrow)|yesterday|next|last|in\b"
    r"|(?:sec(?:ond)?|min(?:ute)?|hour|day|week|month|quarter|year)s?\b|\d\s*[smhdwyM]\b",
    re.IGNORECASE,
)


def is_readable(text: str) -> bool:
    """Returns whether a text may be read as a point in time; doubtful texts count as readable."""
    if not any(map(str.isdigit, text)):
        return False
    iso = _ISO.match(text)
    if iso is not None:
        return _is_possible(iso)
    bare = _PARENTHESES.sub(" ", text)
    if _WEEK.match(text) or _RELATIVE.search(text) or "(" in bare:
        return True
    behind = False
    for token in _TOKEN.finditer(bare):
        if token["number"]:
            behind = True
        elif behind and not _is_date_word(token["word"].lower()):
            return False
    return True


def _is_possible(iso: re.Match[str]) -> bool:
    if not 1 <= int(iso["month"]) <= 12 or not 1 <= int(iso["day"]) <= 31:
        return False
    clock = _CLOCK.match(iso["clock"] or "")
    if clock is None:
        return True
    hour, minute, second = (int(part or 0) for part in clock.groups())
    return hour <= 24 and minute <= 59 and second <= 59


def _is_date_word(word: str) -> bool:
    return word in _ZONES_AND_MARKS or word.startswith(_MONTHS_AND_DAYS)
