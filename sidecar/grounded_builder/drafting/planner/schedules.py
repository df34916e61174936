"""Parses the schedules and lengths of time that a request states."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grounded_builder.ir.intent import Duration, Schedule, Unit

_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DAY = r"(?:sun|mon|tues|wednes|thurs|fri|satur)days?"
_RANGE_END = rf"(?:{_DAY}|{'|'.join(_DAYS)})\b"
_COUNTS = (
    "zero one two three four five six seven eight nine ten eleven twelve a:1 an:1 other:2 "
    "second:2 third:3 fifteen:15 thirty:30"
)
_NUMBERS = {
    word: int(number or at)
    for at, pair in enumerate(_COUNTS.split())
    for word, _, number in [pair.partition(":")]
}
_COUNT = rf"\d+(?:\.\d+)?|{'|'.join(_NUMBERS)}"
_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?)"
_UNITS: dict[str, Unit] = {
    "se": "seconds", "mi": "minutes", "ho": "hours", "hr": "hours", "da": "days", "we": "weeks",
    "mo": "months",
}  # fmt: skip
_ROUND = {"seconds": 60, "minutes": 60, "hours": 24, "days": 32, "weeks": 53, "months": 13}
_PARTS = {"morning": 8, "noon": 12, "lunchtime": 12, "afternoon": 15, "evening": 18, "night": 22}
_NOON, _PART_HOURS = 12, 6
"""Hours: an afternoon, evening or night has no hour of the morning within 6 of its usual one."""
_ADVERBS = {"hourly": "hour", "daily": "day", "nightly": "day", "weekly": "week",
            "monthly": "month"}  # fmt: skip
_HALF = r"[ap]\.?m\b\.?"
_TIME = (
    rf"(?:(?:at|@)\s+(?:noon|midnight|\d{{1,2}}(?:[:.h]\d{{2}})?(?:\s*{_HALF})?)"
    rf"|\d{{1,2}}(?::\d{{2}})?\s*{_HALF}|\d{{1,2}}:\d{{2}})(?![\w:%])"
)
_GROUP = r"(?:weekdays?|(?:work(?:ing)?|business)\s?days?|weekends?)"
_WHEN = (
    rf"(?:every|each)\s+(?:(?P<count>{_COUNT})\s+)?(?P<unit>{_UNIT})"
    rf"|(?:(?:every|each|on|from)\s+)?(?P<first>{_RANGE_END})\s*(?:-|to|through)\s*"
    rf"(?P<last>{_RANGE_END})"
    rf"|(?:every|each|on|weekly(?:\s+on)?)\s+"
    rf"(?P<days>{_DAY}(?:\s*(?:,|and|&|,\s*and)\s*{_DAY}){{0,6}})"
    rf"|(?P<group>(?:every|each|on)\s+{_GROUP}|{_GROUP}(?=\s*{_TIME}))"
    rf"|(?:every|each)\s+(?P<part>{'|'.join(_PARTS)})"
    r"|(?:once\s+)?(?<![\w-])(?P<half>half[- ])?(?P<adverb>hourly|daily|nightly|weekly|monthly)"
    rf"(?=\s*(?:$|[,.;:]|{_TIME}))"
    r"|(?:on\s+)?the\s+(?:(?P<date>\d{1,2})(?:st|nd|rd|th)|first|(?P<end>last))(?:\s+day)?\s+of\s+"
    r"(?:the|each|every)\s+month"
)
_PHRASE = re.compile(
    rf"\b(?:{_TIME}\s*,?\s+)?(?:{_WHEN})\b(?!\.\w)(?:\s*,?\s*{_TIME})?"
    r"|(?<!\S)(?P<cron>(?:[\d*/,\-]{1,20}\s+){4}[\d*/,\-]{1,20})(?!\S)",
    re.IGNORECASE,
)
_CLOCK = re.compile(rf"\b{_TIME}|@\s+{_TIME}", re.IGNORECASE)
_SHORT = re.compile(r"(\d{1,4})\s?([smhd])", re.IGNORECASE)
_SHORT_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_DURATION = re.compile(rf"\b({_COUNT})\s+({_UNIT})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Times:
    """How often something runs: each ``count`` units, or by a cron expression; 24 hours a day.

    ``hour`` and ``minute`` are None where no time of day is stated, ``days`` are of the week from
    Sunday, ``month_day`` is one of the month.
    """

    unit: str
    count: int = 1
    hour: int | None = None
    minute: int | None = None
    days: tuple[int, ...] = ()
    month_day: int | None = None
    cron: str = ""


def times_in(text: str) -> Times | None:
    """Returns how often a text asks for something; a time of day alone is one of every day.

    None where it states nothing of it, or what no clock counts.
    """
    phrase = _PHRASE.search(text)
    if phrase is not None:
        return _read_times(phrase)
    clock = _clock_in(text)
    return Times("day", 1, *clock) if clock else None


def read_times(text: str) -> Times | None:
    """Returns how often something runs by a text that states nothing else: "hourly", "2 hours".

    None for any other text, and for what no clock counts.
    """
    short = _SHORT.fullmatch(text)
    if short is not None:
        text = f"{short[1]} {_SHORT_UNITS[short[2].casefold()]}"
    for stated in (text, f"every {text}"):
        phrase = _PHRASE.fullmatch(stated)
        if phrase is not None:
            return _read_times(phrase)
    clock = _clock_in(text) if _CLOCK.fullmatch(text) else None
    return Times("day", 1, *clock) if clock else None


def schedule_at(
    text: str, start: int = 0, end: int | None = None
) -> tuple[Schedule, int, int, str] | None:
    """Returns the first schedule of a text, where it begins and ends, and what of it is supposed.

    None where the text has none, or one that cron cannot state exactly.
    """
    match = _PHRASE.search(text, start, len(text) if end is None else end)
    times = _read_times(match) if match else None
    cron = None if times is None else _cron(times)
    if match is None or times is None or cron is None:
        return None
    supposed = ["Monday"] if times.unit == "week" and not times.days else []
    if times.unit in ("day", "week", "month") and _clock_in(match[0]) is None:
        supposed.append(f"{9 if times.hour is None else times.hour}:00")
    return Schedule(cron), match.start(), match.end(), " and ".join(supposed)


def is_schedule(text: str) -> bool:
    """Returns whether a text states times, also those that cron cannot state."""
    return _PHRASE.search(text) is not None


def duration_at(text: str, start: int, end: int) -> tuple[Duration, int, int] | None:
    """Returns the first length of time of a part of a text, and where it begins and ends."""
    match = _DURATION.search(text, start, end)
    amount = _number(match[1]) if match else 0
    return (Duration(amount, _unit(match[2])), *match.span()) if match and amount else None


def _read_times(phrase: re.Match[str]) -> Times | None:
    """Returns what a schedule states; None for what no clock counts."""
    if phrase["cron"]:
        return Times("cron", cron=" ".join(phrase["cron"].split()))
    clock = _clock_in(phrase[0])
    if clock is None and _CLOCK.search(phrase[0]):
        return None  # no such time of day
    hour, minute = clock or (None, None)
    if days := _days(phrase):
        return Times("week", 1, hour, minute, days)
    if phrase["part"]:
        usual = _PARTS[phrase["part"].casefold()]
        hour, minute = clock or (usual, 0)
        if usual > _NOON == hour:
            return None  # "every night at 12"
        is_later = hour < _NOON <= usual and hour + _NOON > usual - _PART_HOURS
        return Times("day", 1, hour + _NOON * is_later, minute)
    if phrase["adverb"]:
        adverb = phrase["adverb"].casefold()
        if adverb == "hourly":
            times = Times("minute", 30) if phrase["half"] else Times("hour")
            return None if clock else times
        if adverb == "nightly":
            hour, minute = clock or (0, 0)
        return None if phrase["half"] else Times(_ADVERBS[adverb], 1, hour, minute)
    if not phrase["unit"]:
        date = int(phrase["date"] or 1)
        is_real = not phrase["end"] and 0 < date < _ROUND["days"]
        return Times("month", 1, hour, minute, (), date) if is_real else None
    amount, unit = _number(phrase["count"] or "1"), _unit(phrase["unit"])
    number = int(amount)
    if number != amount or number < 1 or (clock and unit in ("seconds", "minutes", "hours")):
        return None
    if unit == "minutes" and number % 60 == 0:
        unit, number = "hours", number // 60
    if unit == "hours" and number % 24 == 0:
        unit, number = "days", number // 24
    is_counted = number < _ROUND[unit]
    return Times(unit.removesuffix("s"), number, hour, minute) if is_counted else None


def _cron(times: Times) -> str | None:
    """Returns times as five fields; None where cron counts anew before the next one is due."""
    at, number = 9 if times.hour is None else times.hour, times.count
    minute = times.minute or 0
    if times.cron:
        return times.cron
    if times.days or (times.unit == "week" and number == 1):
        return f"{minute} {at} * * {_list_days(times.days or (1,))}"
    if times.unit == "minute" and 60 % number == 0:
        return "* * * * *" if number == 1 else f"*/{number} * * * *"
    if times.unit == "hour" and 24 % number == 0:
        return f"{minute} * * * *" if number == 1 else f"{minute} */{number} * * *"
    if times.unit in ("day", "month") and number == 1:
        return f"{minute} {at} {'*' if times.unit == 'day' else times.month_day or 1} * *"
    return None


def _list_days(days: tuple[int, ...]) -> str:
    """Returns days of the week as cron has them: ``1``, ``1-5``, ``1,3``."""
    if len(days) > 2 and days[-1] - days[0] == len(days) - 1:
        return f"{days[0]}-{days[-1]}"
    return ",".join(map(str, days))


def _clock_in(text: str) -> tuple[int, int] | None:
    """Returns the hour and minute of the first time of day; None without a real one."""
    match = _CLOCK.search(text)
    if match is None:
        return None
    stated = match[0].casefold()
    if "noon" in stated or "midnight" in stated:
        return (12 if "noon" in stated else 0), 0
    hour, minute = (int(number) for number in [*re.findall(r"\d+", stated), "0"][:2])
    if half := re.search(r"[ap](?=\.?m)", stated):
        hour = hour % 12 + 12 * (half[0] == "p") if 0 < hour < 13 else 24
    return (hour, minute) if hour < 24 and minute < 60 else None


def _days(phrase: re.Match[str]) -> tuple[int, ...]:
    """Returns the days of the week that a schedule states, in their order from Sunday."""
    if phrase["first"]:
        first, last = _day(phrase["first"]), _day(phrase["last"])
        return tuple(sorted((first + n) % 7 for n in range((last - first) % 7 + 1)))
    if phrase["group"]:
        return (0, 6) if "weekend" in phrase["group"].casefold() else (1, 2, 3, 4, 5)
    return tuple(sorted({_day(d) for d in re.findall(_DAY, phrase["days"] or "", re.IGNORECASE)}))


def _day(word: str) -> int:
    return _DAYS.index(word[:3].casefold())


def _number(text: str) -> float:
    known = _NUMBERS.get(text.casefold())
    return float(text) if known is None else float(known)


def _unit(word: str) -> Unit:
    return _UNITS[word[:2].casefold()]
