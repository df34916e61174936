"""Defines a judgement of an alarm and the questions that lead to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from evals.alarms.alarm import Alarm

Truth = Literal["true", "false", "undecided"]
Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Judgement:
    """A truth value, the judge and the reason."""

    truth: Truth
    judge: str
    reason: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question to n8n about an alarm, and the function that reads the answer or returns None."""

    place: dict[str, Any]
    read: Callable[[Alarm, Answer], Judgement | None]


def true(judge: str, reason: str) -> Judgement:
    """Returns the judgement that n8n refuses, drops or fails on what the alarm names."""
    return Judgement("true", judge, reason)


def false(judge: str, reason: str) -> Judgement:
    """Returns the judgement that n8n accepts and executes what the alarm names."""
    return Judgement("false", judge, reason)


UNDECIDED = Judgement("undecided", "none", "no judge could decide")
