"""Defines what a request states besides tools: times, conditions, values, references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal["seconds", "minutes", "hours", "days", "weeks", "months"]
Operator = Literal[
    "equals", "differs", "contains", "lacks", "over", "under", "at least", "at most",
    "starts with", "ends with", "empty", "present",
]  # fmt: skip


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
class Condition:
    """A comparison of a field of the previous step; ``value`` is None if none is needed."""

    field: str
    operator: Operator
    value: str | float | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A field of the previous step and its values, in order, each with a branch of its own."""

    field: str
    values: tuple[str, ...]


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


Meaning = Task | Schedule | Duration | Condition | Choice | Value | Reference
