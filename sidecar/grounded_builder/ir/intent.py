"""What a request says beside tool names: times, conditions, values, fields of earlier steps."""

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
    """When something is started again and again, as a cron expression of five fields."""

    cron: str


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time, ``amount`` in ``unit``."""

    amount: float
    unit: Unit


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of a field of the step before; ``value`` is None where none is needed."""

    field: str
    operator: Operator
    value: str | float | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """The values of a field of the step before by which the ways part, in order."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """A literal: ``kind`` is the word for the input that takes it (url, to, channel, sheet...)."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Reference:
    """A field that another step gives, for the input named ``kind``; ``step`` is its id."""

    kind: str
    step: str
    field: str


@dataclass(frozen=True, slots=True)
class Task:
    """What a step that follows words is told to do, with what the step before gives it."""

    text: str


Meaning = Task | Schedule | Duration | Condition | Choice | Value | Reference
