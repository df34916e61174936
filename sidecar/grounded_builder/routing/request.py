"""What is to be routed, and what comes back from whoever has the model and the tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

DrafterName = Literal["external", "none", "auto"]


@dataclass(frozen=True, slots=True)
class RouteRequest:
    """What is to be routed: with ``tools`` those alone, else the stored ``catalog``.

    ``drafter`` is "external" where the caller brings the model, "auto" for the configured
    one, "none" for none. ``caller`` and ``parent_call`` say on whose behalf.
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
    """What comes back: a reply, why there is none, or what a call gave.

    ``present`` are the tools that are connected right now, where the caller says so.
    """

    reply: Any = None
    failed: str | None = None
    result: Mapping[str, Any] | None = None
    present: frozenset[str] | None = None
