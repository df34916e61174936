"""What was seen of one part of an installation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "absent", "doubtful", "failed"]


@dataclass(frozen=True, slots=True)
class Observation:
    """One part and how it is; ``help`` says what to do where it is not well.

    ``absent`` is what is not set up and may stay so, ``doubtful`` works all the same.
    """

    part: str
    state: State
    message: str
    help: str = ""
