"""Defines a kind of fault, and a case of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from evals.simulink_faults.scene import Scene
from grounded_builder.diagnostics import Route

# Where a finding counts as found at the place: at or below one of these routes.
Places = tuple[Route, ...]
Inject = Callable[[Scene], Places | None]
# ``wrong``: a finding of that class is asked for; ``reported``: any finding; ``open``: a file alone
# cannot tell, so nothing may be called wrong.
Asked = Literal["wrong", "reported", "open"]


@dataclass(frozen=True, slots=True)
class Kind:
    """One way to break a model; ``inject`` changes the scene, or finds no place for it."""

    name: str
    inject: Inject
    asked: Asked = "wrong"

    @property
    def decidable(self) -> bool:
        """Whether the file alone tells."""
        return self.asked != "open"
