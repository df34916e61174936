"""Times in plain words as the rule of n8n's Schedule Trigger, and as its poll times."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_DAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_ADVERBS = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month"}
_NUMBERS = {"other": 2, "second": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
            "ten": 10, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30}  # fmt: skip
_PARTS = {"morning": 8, "noon": 12, "afternoon": 15, "evening": 18, "night": 0, "midnight": 0}
_UNIT = re.compile(
    rf"(?:every|each|once (?:an?|every|per)|per)\s+(?:(?P<count>\d+|{'|'.join(_NUMBERS)})\s+)?"
    r"(?P<unit>second|minute|hour|day|week|month)s?\b"
)
_MINUTES = re.compile(r"\b(?:half[- ]hourly|every half (?:an )?hour)\b")
_CLOCK = re.compile(
    r"\b(?:at|by|around)\s+(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))?\s*(?P<half>am|pm|a\.m\.|p\.m\.)?"
    r"|\b(?P<hour2>\d{1,2})(?:[:.](?P<minute2>\d\d))?\s*(?P<half2>am|pm)\b"
)
_CRON = re.compile(r"(?<!\S)((?:[\d*/,\-]+\s+){4,5}[\w*/,\-?#]+)(?!\S)")
_MOST = {"second": 59, "minute": 59, "hour": 23, "day": 31, "week": 52, "month": 12}


@dataclass(frozen=True, slots=True)
class Times:
    """How often something runs: each ``count`` units, or by a cron expression; 24 hours a day."""

    unit: str
    count: int = 1
    hour: int | None = None
    minute: int | None = None
    days: tuple[int, ...] = ()
    cron: str = ""


def times_of(text: str) -> Times | None:
    """The times that words tell; None when they tell none, or none that can be kept."""
    words = " ".join(text.casefold().split())
    cron = _CRON.search(words)
    if cron is not None:
        return Times("cron", cron=cron[1])
    clock = _clock(words)
    if clock is _NO_CLOCK:
        return None
    hour, minute = clock
    days = _days(words)
    if days:
        return Times("week", 1, hour or 0, minute or 0, days)
    if _MINUTES.search(words):
        return Times("minute", 30)
    for adverb, unit in _ADVERBS.items():
        if re.search(rf"\b{adverb}\b", words):
            return Times(unit, 1, *((hour, minute) if unit != "hour" else (None, minute)))
    match = _UNIT.search(words)
    if match is not None:
        said = match["count"] or "1"
        count = _NUMBERS.get(said) or int(said)
        if not 1 <= count <= _MOST[match["unit"]]:
            return None
        return Times(match["unit"], count, hour, minute)
    part = next((hour_ for name, hour_ in _PARTS.items() if re.search(rf"\b{name}\b", words)), None)
    if part is not None or re.search(r"\bnightly\b", words):
        return Times("day", 1, part or 0 if hour is None else hour, minute or 0)
    return Times("day", 1, hour, minute) if hour is not None else None


def rule(times: Times) -> dict[str, Any]:
    """The parameter ``rule`` of a Schedule Trigger."""
    if times.unit == "cron":
        interval: dict[str, Any] = {"field": "cronExpression", "expression": times.cron}
        return {"interval": [interval]}
    field = f"{times.unit}s"
    interval = {"field": field, f"{field}Interval": times.count}
    if times.days:
        interval["triggerAtDay"] = list(times.days)
    if times.unit in ("day", "week", "month") and times.hour is not None:
        interval["triggerAtHour"] = times.hour
    if times.unit not in ("second", "minute") and times.minute is not None:
        interval["triggerAtMinute"] = times.minute
    return {"interval": [interval]}


def poll_times(times: Times) -> dict[str, Any] | None:
    """The parameter ``pollTimes`` of a polling trigger; None for what it cannot keep."""
    hour, minute = times.hour or 0, times.minute or 0
    if times.unit == "cron":
        item: dict[str, Any] = {"mode": "custom", "cronExpression": times.cron}
    elif times.unit in ("minute", "hour") and times.count > 1:
        item = {"mode": "everyX", "value": times.count, "unit": f"{times.unit}s"}
    elif times.unit == "minute":
        item = {"mode": "everyMinute"}
    elif times.unit == "hour":
        item = {"mode": "everyHour", "minute": minute}
    elif times.unit == "day" and times.count == 1:
        item = {"mode": "everyDay", "hour": hour, "minute": minute}
    elif times.unit == "week" and times.count == 1 and len(times.days) <= 1:
        day = str(times.days[0]) if times.days else "1"
        item = {"mode": "everyWeek", "weekday": day, "hour": hour, "minute": minute}
    elif times.unit == "month" and times.count == 1:
        item = {"mode": "everyMonth", "dayOfMonth": 1, "hour": hour, "minute": minute}
    else:
        return None
    return {"item": [item]}


_NO_CLOCK: tuple[int | None, int | None] = (-1, -1)


def _clock(words: str) -> tuple[int | None, int | None]:
    """Hour and minute of the day, None where none are told; ``_NO_CLOCK`` where there are none."""
    match = _CLOCK.search(words)
    if match is None:
        part = re.search(r"\bat (noon|midnight)\b", words)
        return (_PARTS[part[1]], 0) if part else (None, None)
    hour = int(match["hour"] or match["hour2"])
    minute = int(match["minute"] or match["minute2"] or 0)
    half = (match["half"] or match["half2"] or "").replace(".", "")
    if half and not 1 <= hour <= 12:
        return _NO_CLOCK
    if half == "pm" and hour < 12:
        hour += 12
    if half == "am" and hour == 12:
        hour = 0
    return (hour, minute) if hour < 24 and minute < 60 else _NO_CLOCK


def _days(words: str) -> tuple[int, ...]:
    if re.search(r"\b(?:weekdays?|working days?|work days?|business days?)\b", words):
        return (1, 2, 3, 4, 5)
    if re.search(r"\bweekends?\b", words):
        return (6, 0)
    return tuple(number for number, day in enumerate(_DAYS) if re.search(rf"\b{day}s?\b", words))
