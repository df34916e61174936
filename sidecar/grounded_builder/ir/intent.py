"""Defines values that a request states (times, literals...), which domains turn into parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal["seconds", "minutes", "hours", "days", "weeks", "months"]


@dataclass(frozen=True, slots=True)
class Schedule:
    """The times of repeated runs, as a cron expression of five fields."""

    cron: str


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time, ``amount`` in ``unit``."""

    amount: float
    unit: Unit


@dataclass(frozen=True, slots=True)
class Value:
    """A literal; ``kind`` is the kind of input that takes it (url, to, channel, sheet...)."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Reference:
    """A field of another step, for the input named ``kind``; ``step`` is its id."""

    kind: str
    step: str
    field: str


@dataclass(frozen=True, slots=True)
class Task:
    """The instruction of a step that follows instructions, given the previous step's result."""

    text: str


Meaning = Task | Schedule | Duration | Value | Reference
