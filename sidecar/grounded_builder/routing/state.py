"""A request on its way through routing, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

State = Literal["waiting", "called", "ok", "failed", "skipped"]
Outcome = Literal["executed", "partial", "failed", "answered"]

NO_MATCH = "Agent could not determine a matching tool."


@dataclass(frozen=True, slots=True)
class Call:
    """One call: as planned, and what became of it.

    ``arguments`` hold references as planned; ``sent`` is what the tool was called with.
    ``drafted`` is the name that the model gave, ``found_by`` how the tool was found for it.
    """

    id: str
    tool: str
    arguments: Mapping[str, Any]
    depends_on: tuple[str, ...]
    state: State = "waiting"
    drafted: str = ""
    found_by: str = "model"
    sent: Mapping[str, Any] | None = None
    output: Any = None
    error: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class RouteState:
    """A request with its conversation and its calls, in planned order.

    ``opening`` are the first messages, ``messages`` those to send now. With ``answers`` the
    model is asked to answer when all calls were made; ``plans`` bounds how often it may plan.
    """

    request: str
    rounds: int
    answers: bool
    shown: tuple[str, ...]
    denied: tuple[str, ...]
    opening: tuple[Mapping[str, str], ...]
    messages: tuple[Mapping[str, str], ...]
    round: int = 1
    plan: int = 1
    plans: int = 4
    text: str = ""
    last: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    outcome: Outcome | None = None
    error: Mapping[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """The errand as plain JSON."""
        return asdict(self)

    def call(self, call_id: str) -> Call | None:
        """The call of this id."""
        return next((call for call in self.calls if call.id == call_id), None)


def route_state_from(state: Mapping[str, Any]) -> RouteState:
    """The errand that ``as_json`` wrote."""
    calls = (
        Call(**{**call, "depends_on": tuple(call["depends_on"])}) for call in state.get("calls", ())
    )
    lists = ("shown", "denied", "opening", "messages", "last")
    return RouteState(
        **{**state, **{key: tuple(state[key]) for key in lists}, "calls": tuple(calls)}
    )


def refused(kind: str, message: str, *, retry: bool = False) -> dict[str, Any]:
    """What a call gives that was not made, or failed."""
    return {
        "error": True,
        "error_type": kind,
        "error_message": message,
        "retry_possible": retry,
    }


def not_found(name: str) -> dict[str, Any]:
    """What a call of a tool gives that is not there."""
    return refused("ToolNotFound", f"Tool '{name}' not found")
