"""Asks several drafters in the configured order until one replies."""

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

# Called for each drafter without a reply: its name, and the reason.
ReportFailure = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class DrafterReply:
    """A reply and the name of its drafter."""

    drafter: str
    reply: Reply


class DrafterChain:
    """Asks drafters in order; a drafter that failed is not asked again.

    From the second round on, ``repairing`` are asked before the others. With ``ends_in_planner``
    the planner drafts if none of them has a result.
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
        """Returns the chain; leaving the ``with`` closes its drafters."""
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
        """The name of the first drafter, the planner's if there is no other."""
        return self._drafting[0].name if self._drafting else PLANNER

    def reply(
        self,
        number: int,
        messages: Iterable[Message],
        schema: Mapping[str, Any],
        deadline: float,
        report_failure: ReportFailure,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> DrafterReply:
        """Returns the reply of round ``number``; raises the last DrafterError if all failed.

        ``deadline`` is in seconds of ``time.monotonic``.
        """
        messages_ = tuple(messages)
        last = DrafterError("absent", "no model is left to ask")
        for drafter in self._drafting if number == 1 else self._repairing:
            if drafter in self._failed:
                continue
            try:
                # A drafter gets at least a second, so that a late conversation still ends in order.
                left = max(1.0, deadline - time.monotonic())
                return DrafterReply(drafter.name, drafter.reply(messages_, schema, left, tools))
            except DrafterError as error:
                self._failed.add(drafter)
                report_failure(drafter.name, str(error))
                last = error
        raise last


def drafter_chain(settings: Settings) -> DrafterChain:
    """Returns the drafters of the settings, in their order."""
    drafters: dict[str, Drafter] = {}
    for name in (*settings.drafters, *settings.repairers):
        if name != PLANNER and name not in drafters:
            drafters[name] = _make_drafter(name, settings)
    return DrafterChain(
        (drafters[name] for name in settings.drafters if name != PLANNER),
        (drafters[name] for name in settings.repairers if name != PLANNER),
        ends_in_planner=PLANNER in settings.drafters,
    )


def _make_drafter(name: str, settings: Settings) -> Drafter:
    seconds = float(settings.model_seconds)
    if name == LOCAL:
        return _get_local_model(settings.local, seconds)
    model_setting = settings.models[name]
    return ChatEndpoint(
        Place(model_setting.url, model_setting.model, model_setting.key),
        ReplyBounds(seconds=seconds),
    )


@cache
def _get_local_model(setting: LocalSetting, seconds: float) -> LocalModel:
    """Returns the local model: one process serves all generations of this process."""
    return LocalModel(setting, seconds)
