"""Explains why n8n cannot parse a cron expression (package ``cron``, class CronTime)."""

from __future__ import annotations

import re
from itertools import product

_MAX_LENGTH = 1_000
_SPACES = re.compile("[\\t-\\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+")
_WORD = re.compile(r"[a-z]{1,3}")
_RANGE = re.compile(r"([0-9]+)(?:-([0-9]+))?(?:/([0-9]+))?")
_PRESETS = frozenset(
    f"@{name}"
    for name in (
        *("yearly", "monthly", "weekly", "daily", "hourly"),
        *("minutely", "secondly", "weekdays", "weekends"),
    )
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_NAMES = {name: str(i) for i, name in enumerate(_MONTHS, 1)}
_NAMES |= {name: str(i) for i, name in enumerate(_DAYS)}
_FIELDS = (
    ("second", 0, 59),
    ("minute", 0, 59),
    ("hour", 0, 23),
    ("day of the month", 1, 31),
    ("month", 1, 12),
    ("day of the week", 0, 7),
)
_MONTH_LENGTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class UnreadableError(ValueError):
    """Raised for a cron expression that n8n cannot parse."""


def find_cron_fault(expression: str) -> str | None:
    """Returns why n8n cannot parse an expression of five or six fields, None if it can."""
    if len(expression) > _MAX_LENGTH:
        return None
    try:
        _parse(expression)
    except UnreadableError as error:
        return str(error)
    return None


def _parse(expression: str) -> None:
    lowered = expression.lower()
    if lowered in _PRESETS:
        return
    units = [unit for unit in _SPACES.split(_WORD.sub(_replace_name, lowered)) if unit]
    if not 5 <= len(units) <= 6:
        raise UnreadableError(f"it has {len(units)} fields and not five or six")
    if len(units) == 5:
        units.insert(0, "0")
    values = [_parse_field(unit, *field) for unit, field in zip(units, _FIELDS, strict=True)]
    _, _, _, days, months, weekdays = values
    if len({day % 7 for day in weekdays}) == 7 and not any(
        day <= _MONTH_LENGTHS[month - 1] for day, month in product(days, months)
    ):
        raise UnreadableError("none of its months has such a day")


def _replace_name(name: re.Match[str]) -> str:
    number = _NAMES.get(name[0])
    if number is None:
        raise UnreadableError(f'"{name[0]}" is neither a month nor a day of the week')
    return number


def _parse_field(unit: str, name: str, low: int, high: int) -> frozenset[int]:
    """Returns the values that one field lists."""
    if any(part.find("*") > 0 for part in unit.split(",")):
        raise UnreadableError(f'the {name} "{unit}" has a "*" after another character')
    values: set[int] = set()
    for part in unit.split(","):
        match = _RANGE.fullmatch(part.replace("*", f"{low}-{high}"))
        if match is None:
            raise UnreadableError(f'the {name} "{unit}" is not a number, list, range or step')
        first, last = int(match[1]), int(match[2]) if match[2] else None
        step = int(match[3] or "1")
        if step == 0:
            raise UnreadableError(f'the {name} "{unit}" has a step of zero')
        if last is not None and first > last:
            raise UnreadableError(f'the {name} "{unit}" has a range that runs backwards')
        if first < low or (first if last is None else last) > high:
            raise UnreadableError(f'the {name} "{unit}" is outside {low} to {high}')
        if last is None:
            last = high if match[3] else first
        values.update(range(first, last + 1, step))
    return frozenset(values)
