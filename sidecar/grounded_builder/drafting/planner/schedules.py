"""Read when and how long: schedules as cron expressions, durations."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grounded_builder.ir.intent import Duration, Schedule, Unit

_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DAY = r"(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:days?)?"
_WHOLE_DAY = r"(?:sun|mon|tues|wednes|thurs|fri|satur)days?"
_NUMBERS = {
    word: number
    for number, word in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six"),
            *("seven", "eight", "nine", "ten", "eleven", "twelve"),
        )
    )
} | {"a": 1, "an": 1, "other": 2, "second": 2, "third": 3, "fifteen": 15, "thirty": 30, "half": 0}
_UNIT = r"(seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?)"
_CRON = re.compile(r"(?<!\S)((?:[\d*/,\-]+\s+){4}[\d*/,\-]+)(?!\S)")
_AT = re.compile(
    r"\b(?:at|@|by)\s+(noon|midnight|(\d{1,2})(?:[:.h](\d{2}))?\s*(a\.?m\.?|p\.?m\.?)?(?![\w%]))",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"\b(\d{1,2})(?::(\d{2}))?\s*(am|pm)\b|\b([01]?\d|2[0-3]):([0-5]\d)\b", re.IGNORECASE
)
_EVERY = re.compile(
    rf"\b(?:every|each)\s+(?:(\d+|{'|'.join(_NUMBERS)})\s+)?{_UNIT}\b", re.IGNORECASE
)
_DAY_LIST = re.compile(
    rf"\b(?:every|each|on|weekly)\s+((?:on\s+)?{_WHOLE_DAY}(?:\s*(?:,|and|&|or)\s*{_WHOLE_DAY})*)",
    re.IGNORECASE,
)
_RANGE = re.compile(rf"\b({_DAY})\s*(?:-|to|through|until)\s*({_DAY})\b", re.IGNORECASE)
_OF_MONTH = re.compile(
    r"\b(?:on\s+)?(?:the\s+)?(?:(\d{1,2})(?:st|nd|rd|th)|(first|last))(?:\s+day)?\s+of\s+"
    r"(?:the|each|every)\s+month\b",
    re.IGNORECASE,
)
_PART = {"morning": 8, "noon": 12, "lunchtime": 12, "afternoon": 15, "evening": 18, "night": 22}
_EVERY_PART = re.compile(rf"\b(?:every|each)\s+({'|'.join(_PART)})\b", re.IGNORECASE)
_ADVERB = re.compile(
    r"\b(hourly|daily|nightly|weekly|monthly|weekdays?|weekends?)\b", re.IGNORECASE
)
_DURATION = re.compile(rf"\b(\d+(?:\.\d+)?|{'|'.join(_NUMBERS)})\s+{_UNIT}\b", re.IGNORECASE)
_HALF_HOURLY = re.compile(r"\b(?:half[- ]hourly|every half (?:an )?hour)\b", re.IGNORECASE)
_ADVERBS = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month"}
_ROUND = {"seconds": 60, "minutes": 60, "hours": 24, "days": 32, "weeks": 53, "months": 13}


_Clock = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Times:
    """How often something runs: each ``count`` units, or by a cron expression; 24 hours a day.

    ``hour`` and ``minute`` are None where no time of day is said, ``days`` are of the week from
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
    """How often a text asks for something; None when it says nothing of it."""
    literal = _CRON.search(text)
    if literal and literal[1].count("*") + sum(c.isdigit() for c in literal[1]) >= 5:
        return Times("cron", cron=" ".join(literal[1].split()))
    value, past = clock_in(text)
    clock: _Clock = (None, None) if value is None else (value, past)
    days = _days(text)
    if days:
        return Times("week", 1, clock[0], clock[1], days)
    month_day = _OF_MONTH.search(text)
    if month_day:
        is_last = (month_day[2] or "").casefold() == "last"
        return (
            None if is_last else Times("month", 1, clock[0], clock[1], (), int(month_day[1] or "1"))
        )
    part = _EVERY_PART.search(text)
    if part:
        return Times("day", 1, *((_PART[part[1].casefold()], 0) if value is None else clock))
    if _HALF_HOURLY.search(text):
        return Times("minute", 30)
    every = _EVERY.search(text)
    if every:
        return _read_repetition(_number(every[1] or "1"), _unit(every[2]), clock)
    adverb = _ADVERB.search(text)
    if adverb is None:
        return None
    word = adverb[1].casefold()
    if word == "nightly":
        return Times("day", 1, *((0, 0) if value is None else clock))
    return Times(_ADVERBS[word], 1, *(clock if word != "hourly" else (None, None)))


def _cron(times: Times) -> str | None:
    """Times as five fields; None unless the amount divides the round that cron counts in."""
    at, number = 9 if times.hour is None else times.hour, times.count
    minute = times.minute or 0
    if times.cron:
        return times.cron
    if times.days:
        return f"{minute} {at} * * {_list_days(times.days)}"
    if times.unit == "minute" and 60 % number == 0:
        return "* * * * *" if number == 1 else f"*/{number} * * * *"
    if times.unit == "hour" and 24 % number == 0:
        return f"{minute} * * * *" if number == 1 else f"{minute} */{number} * * *"
    if times.unit == "day":
        return f"{minute} {at} * * *" if number == 1 else f"{minute} {at} */{number} * *"
    if times.unit == "week" and number == 1:
        return f"{minute} {at} * * 1"
    if times.unit == "month" and 12 % number == 0:
        day = times.month_day or 1
        return f"{minute} {at} {day} * *" if number == 1 else f"{minute} {at} {day} */{number} *"
    return None


def _list_days(days: tuple[int, ...]) -> str:
    """Days of the week as cron says them: ``1``, ``1-5``, ``1,3``."""
    if len(days) > 2 and days[-1] - days[0] == len(days) - 1:
        return f"{days[0]}-{days[-1]}"
    return ",".join(map(str, days))


def duration_at(text: str, start: int, end: int) -> tuple[Duration, int, int] | None:
    """Returns the first length of time of a part of a text, and where it begins and ends."""
    match = _DURATION.search(text, start, end)
    if match is None:
        return None
    amount = _number(match[1])
    return (Duration(amount, _unit(match[2])), *match.span()) if amount else None


def clock_in(text: str) -> tuple[int | None, int]:
    """Hour, if one is said, and minute of the day."""
    at = _AT.search(text)
    if at and at[1].casefold() in ("noon", "midnight"):
        return (12 if at[1].casefold() == "noon" else 0), 0
    if at:
        return _hour(int(at[2]), at[4]), int(at[3] or 0) % 60
    clock = _CLOCK.search(text)
    if clock is None:
        return None, 0
    if clock[4] is not None:
        return int(clock[4]), int(clock[5])
    return _hour(int(clock[1]), clock[3]), int(clock[2] or 0) % 60


def _hour(number: int, half: str | None) -> int | None:
    half = (half or "").replace(".", "").casefold()
    if half == "pm" and number < 12:
        return number + 12
    if half == "am" and number == 12:
        return 0
    return number if number < 24 else None


def _days(text: str) -> tuple[int, ...]:
    """Days of the week in their order from Sunday; none where none is said."""
    span = _RANGE.search(text)
    if span:
        first, last = _day(span[1]), _day(span[2])
        return tuple(sorted((first + n) % 7 for n in range((last - first) % 7 + 1)))
    listed = _DAY_LIST.search(text)
    if listed:
        days = [_day(match) for match in re.findall(_WHOLE_DAY, listed[1], re.IGNORECASE)]
        return tuple(sorted(dict.fromkeys(days)))
    folded = text.casefold()
    if re.search(
        r"\b(?:every |each |on )?(?:weekdays?|(?:work(?:ing)?|business) ?days?)\b", folded
    ):
        return (1, 2, 3, 4, 5)
    return (0, 6) if re.search(r"\bweekends?\b", folded) else ()


def _day(word: str) -> int:
    return _DAYS.index(word[:3].casefold())


def _read_repetition(amount: float, unit: Unit, clock: _Clock) -> Times | None:
    """A repetition in the largest unit that says it; None for one that no clock counts."""
    number = int(amount)
    if number != amount or number < 1:
        return None
    if unit == "minutes" and number % 60 == 0:
        unit, number = "hours", number // 60
    if unit == "hours" and number % 24 == 0:
        unit, number = "days", number // 24
    return Times(unit.removesuffix("s"), number, *clock) if number < _ROUND[unit] else None


def _number(text: str) -> float:
    known = _NUMBERS.get(text.casefold())
    return float(text) if known is None else float(known)


def _unit(word: str) -> Unit:
    begin = word[:3].casefold()
    units: dict[str, Unit] = {
        "sec": "seconds", "min": "minutes", "hou": "hours", "hrs": "hours", "hr": "hours",
        "day": "days", "wee": "weeks", "mon": "months",
    }  # fmt: skip
    return units[begin]


_TIME = r"(?:noon|midnight|\d{1,2}(?:[:.h]\d{2})?(?:\s*[ap]\.?m\b\.?)?(?![\w:%]))"
_CLOCK_PHRASE = rf"(?:at|@)\s+{_TIME}"
_DAYS_PHRASE = rf"{_WHOLE_DAY}(?:\s*(?:,|and|&|,\s*and)\s*{_WHOLE_DAY}){{0,6}}"
_RANGE_PHRASE = rf"{_WHOLE_DAY}\s*(?:-|to|through)\s*{_WHOLE_DAY}"
_WHEN = (
    rf"(?:every|each)\s+(?:(?:\d{{1,3}}|{'|'.join(_NUMBERS)})\s+)?{_UNIT}"
    rf"|(?:every|each|on)\s+(?:{_RANGE_PHRASE}|{_DAYS_PHRASE})|(?:from\s+)?{_RANGE_PHRASE}"
    rf"|(?:every|each|on)\s+(?:weekdays?|(?:work(?:ing)?|business)\s?days?|weekends?)"
    rf"|(?:every|each)\s+(?:{'|'.join(_PART)})"
    r"|(?:once\s+)?(?:(?:half[- ])?hourly|daily|nightly|weekly|monthly)(?=\s*(?:$|[,.;:]|at\b))"
    r"|on\s+the\s+(?:\d{1,2}(?:st|nd|rd|th)|first)(?:\s+day)?\s+of\s+(?:the|each|every)\s+month"
)
_PHRASE = re.compile(
    rf"\b(?:{_CLOCK_PHRASE}\s*,?\s+)?(?:{_WHEN})\b(?:\s*,?\s*{_CLOCK_PHRASE})?"
    r"|(?<!\S)(?:[\d*/,\-]{1,20}\s+){4}[\d*/,\-]{1,20}(?!\S)",
    re.IGNORECASE,
)


def schedule_at(
    text: str, start: int = 0, end: int | None = None
) -> tuple[Schedule, int, int, str] | None:
    """Returns the first schedule of a text, where it begins and ends, and what of it is supposed.

    None where the text has none, or one that cron cannot state exactly.
    """
    match = _PHRASE.search(text, start, len(text) if end is None else end)
    times = times_in(match[0]) if match else None
    cron = None if times is None else _cron(times)
    if match is None or times is None or cron is None:
        return None
    if times.unit in ("day", "month") and times.count > 1:
        return None  # cron counts these anew with every month and year
    if re.search(_CLOCK_PHRASE, match[0], re.IGNORECASE) and times.hour is None:
        return None  # no such time of day
    supposed = []
    if times.unit == "week" and not times.days:
        supposed.append("Monday")
    if times.unit in ("day", "week", "month") and times.hour is None:
        supposed.append("9:00")
    elif times.unit == "day" and clock_in(match[0])[0] is None:
        supposed.append(f"{times.hour}:00")
    return Schedule(cron), match.start(), match.end(), " and ".join(supposed)
