"""Defines a judgement of an alarm and the questions that lead to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from evals.alarms.alarm import Alarm

Said = Literal["true", "false", "undecided"]
Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Judgement:
    """True, false or undecided, who said so and on what ground."""

    truth: Said
    judge: str
    reason: str


@dataclass(frozen=True, slots=True)
class Question:
    """What n8n is asked about an alarm, and how its answer is read; None is no answer."""

    place: dict[str, Any]
    read: Callable[[Alarm, Answer], Judgement | None]


def true(judge: str, reason: str) -> Judgement:
    """n8n refuses, drops or fails on what the alarm names."""
    return Judgement("true", judge, reason)


def false(judge: str, reason: str) -> Judgement:
    """n8n takes what the alarm names, and does what it says."""
    return Judgement("false", judge, reason)


UNDECIDED = Judgement("undecided", "nobody", "no judge could say")
