"""Defines the state of one tool routing (request, messages, calls), and outputs of failed calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

State = Literal["waiting", "called", "ok", "failed", "skipped"]
Outcome = Literal["executed", "partial", "failed", "answered"]

NO_MATCH = "Agent could not determine a matching tool."


@dataclass(frozen=True, slots=True)
class Call:
    """One call: its plan and its result.

    ``arguments`` contain references as planned; ``sent`` are the arguments of the actual call.
    ``drafted`` is the name in the reply, ``found_by`` how the tool was found by it.
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

    ``opening`` are the first messages, ``messages`` those to send now. With ``answers`` the model
    is asked for an answer after the last call; ``plans`` limits how often it can plan.
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
        """Returns the state as JSON."""
        return asdict(self)

    def call(self, call_id: str) -> Call | None:
        """Returns the call with this id, None if there is none."""
        return next((call for call in self.calls if call.id == call_id), None)


def read_route_state(state: Mapping[str, Any]) -> RouteState:
    """Returns the state that ``as_json`` wrote."""
    calls = (
        Call(**{**call, "depends_on": tuple(call["depends_on"])}) for call in state.get("calls", ())
    )
    lists = ("shown", "denied", "opening", "messages", "last")
    return RouteState(
        **{**state, **{key: tuple(state[key]) for key in lists}, "calls": tuple(calls)}
    )


def failure_output(kind: str, message: str) -> dict[str, Any]:
    """Returns the output of a call that failed or was not made."""
    return {
        "error": True,
        "error_type": kind,
        "error_message": message,
        "retry_possible": False,
    }


def not_found_output(name: str) -> dict[str, Any]:
    """Returns the output of a call of a missing tool."""
    return failure_output("ToolNotFound", f"Tool '{name}' not found")
