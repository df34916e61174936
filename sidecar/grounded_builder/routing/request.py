"""Defines the input of tool routing: requests, and the replies and results that callers send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

DrafterName = Literal["external", "none", "auto"]


@dataclass(frozen=True, slots=True)
class RouteRequest:
    """A request to route; with ``tools`` only those are used, else the stored ``catalog``.

    ``drafter`` is "external" if the caller runs the model, "auto" for the configured one, "none"
    for none. ``caller`` and ``parent_call`` identify the caller.
    """

    request: str
    tools: Sequence[Any] | Mapping[str, Any] | None = None
    catalog: str = ""
    drafter: DrafterName = "external"
    rounds: int = 3
    answer: bool = False
    forbid: tuple[str, ...] = ()
    caller: Any = None
    parent_call: str | None = None


@dataclass(frozen=True, slots=True)
class RouteInput:
    """The input of the next step: a reply, the failure of a model, or the result of a call.

    ``present`` are the tools that are connected now, None if unknown.
    """

    reply: Any = None
    failed: str | None = None
    result: Mapping[str, Any] | None = None
    present: frozenset[str] | None = None
