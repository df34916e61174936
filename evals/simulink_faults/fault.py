"""Defines a kind of fault, its injector and the places where its finding counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from evals.simulink_faults.scene import Scene
from grounded_builder.diagnostics import Route

# A finding counts as found at or below one of these routes.
Places = tuple[Route, ...]
Inject = Callable[[Scene], Places | None]
# ``wrong``: an error is required; ``reported``: any finding; ``open``: a file alone cannot decide,
# so an error is a false alarm.
Asked = Literal["wrong", "reported", "open"]


@dataclass(frozen=True, slots=True)
class Kind:
    """One way to break a model; ``inject`` changes the scene, or returns None without a place."""

    name: str
    inject: Inject
    asked: Asked = "wrong"

    @property
    def decidable(self) -> bool:
        """Checks whether the file alone decides that the model is wrong."""
        return self.asked != "open"
