"""Defines the result of one check of `grounded doctor`: a part, its state and the remedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "absent", "doubtful", "failed"]


@dataclass(frozen=True, slots=True)
class Observation:
    """One part and its state; ``help`` is the remedy where the state is not good.

    ``absent`` is not set up and may stay so; ``doubtful`` still works.
    """

    part: str
    state: State
    message: str
    help: str = ""
