"""The drafters of a generation in the order in which they are asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import Any, Self

from grounded_builder.drafting.conversation import Message
from grounded_builder.llm.drafter import Drafter, DrafterError, Reply
from grounded_builder.llm.endpoint import ChatEndpoint, Place, ReplyBounds
from grounded_builder.llm.local import LocalModel
from grounded_builder.settings import LOCAL, PLANNER, LocalSetting, Settings

# Told of each drafter that gave no reply: its name, and why.
Missed = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class DrafterReply:
    """A reply and the name of the drafter that wrote it."""

    drafter: str
    reply: Reply


class DrafterChain:
    """Asks the first drafter that answers; one that failed is not asked again.

    ``repairing`` are asked from the second round on, after them the others. With
    ``ends_in_planner`` the planner drafts where none of them came to a result.
    """

    def __init__(
        self,
        drafting: Iterable[Drafter],
        repairing: Iterable[Drafter] = (),
        *,
        ends_in_planner: bool = True,
    ) -> None:
        self._drafting = tuple(drafting)
        self._repairing = tuple(dict.fromkeys([*repairing, *self._drafting]))
        self._failed: set[Drafter] = set()
        self.ends_in_planner = ends_in_planner

    def __enter__(self) -> Self:
        """Lets a ``with`` close what the drafters opened."""
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        for drafter in self._repairing:
            if not isinstance(drafter, LocalModel):  # it stays for the next generation
                drafter.close()

    @property
    def first(self) -> str:
        """The name of whoever drafts first, the planner's where there is no other."""
        return self._drafting[0].name if self._drafting else PLANNER

    def reply(
        self,
        number: int,
        messages: Iterable[Message],
        schema: Mapping[str, Any],
        deadline: float,
        missed: Missed,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> DrafterReply:
        """The reply of round ``number``; DrafterError of the last one where none answered.

        ``deadline`` is in seconds of ``time.monotonic``.
        """
        asked = tuple(messages)
        last = DrafterError("absent", "no model is left to ask")
        for drafter in self._drafting if number == 1 else self._repairing:
            if drafter in self._failed:
                continue
            try:
                # What comes late still ends the conversation in order.
                left = max(1.0, deadline - time.monotonic())
                return DrafterReply(drafter.name, drafter.reply(asked, schema, left, tools))
            except DrafterError as error:
                self._failed.add(drafter)
                missed(drafter.name, str(error))
                last = error
        raise last


def drafter_chain(settings: Settings) -> DrafterChain:
    """The drafters that the settings name, in their order."""
    made: dict[str, Drafter] = {}
    for name in (*settings.drafters, *settings.repairers):
        if name != PLANNER and name not in made:
            made[name] = _drafter(name, settings)
    return DrafterChain(
        (made[name] for name in settings.drafters if name != PLANNER),
        (made[name] for name in settings.repairers if name != PLANNER),
        ends_in_planner=PLANNER in settings.drafters,
    )


def _drafter(name: str, settings: Settings) -> Drafter:
    seconds = float(settings.model_seconds)
    if name == LOCAL:
        return _local(settings.local, seconds)
    model_setting = settings.models[name]
    return ChatEndpoint(
        Place(model_setting.url, model_setting.model, model_setting.key),
        ReplyBounds(seconds=seconds),
    )


@cache
def _local(setting: LocalSetting, seconds: float) -> LocalModel:
    """One process serves all generations of this one."""
    return LocalModel(setting, seconds)
