"""Opens the drafters of the evaluation by name, and stores their replies for later runs."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from grounded_builder.domains.known import read_settings
from grounded_builder.drafting.conversation import Message
from grounded_builder.llm.drafter import Drafter, DrafterError, Reply
from grounded_builder.llm.endpoint import ChatEndpoint, Place, ReplyBounds
from grounded_builder.llm.fallback_chain import DrafterChain
from grounded_builder.llm.local import LocalModel
from grounded_builder.settings import LocalSetting, Settings
from runtime import local_model

Who = Literal["planner", "local", "local+planner", "endpoint", "scripted"]

WHO: tuple[Who, ...] = ("planner", "local", "local+planner", "endpoint", "scripted")
_PATIENCE_S = 600.0


@dataclass(slots=True)
class Cost:
    """The cost of replies: tokens sent and received, seconds, and tokens of the longest reply."""

    sent: int = 0
    received: int = 0
    seconds: float = 0.0
    longest: int = 0

    def add(self, reply: Reply, seconds: float) -> None:
        """Adds the cost of one reply."""
        self.sent += reply.prompt_tokens
        self.received += reply.tokens
        self.seconds += seconds
        self.longest = max(self.longest, reply.tokens)


class Remembering:
    """A drafter that stores replies in a file of lines and sends each prompt only once.

    ``cost`` is the original cost of the replies.
    """

    def __init__(self, drafter: Drafter, file: Path | None) -> None:
        self.name = drafter.name
        self.cost = Cost()
        self._drafter = drafter
        self._file = file
        self._known: dict[str, tuple[Reply, float]] = {}
        if file is not None and file.exists():
            for line in file.read_text().splitlines():
                value = json.loads(line)
                self._known[value["asked"]] = (Reply(**value["reply"]), value["seconds"])

    def reply(
        self,
        messages: Iterable[Message],
        schema: Mapping[str, Any],
        seconds: float | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> Reply:
        """Returns the recorded reply, else asks the drafter."""
        results = [[message.role, message.content] for message in messages]
        text = json.dumps([self.name, results, schema], sort_keys=True)
        asked = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        if asked not in self._known:
            began = time.perf_counter()
            reply = self._drafter.reply(
                [Message(*item) for item in results], schema, seconds, tools
            )
            self._known[asked] = (reply, time.perf_counter() - began)
            self._record(asked)
        self.cost.add(*self._known[asked])
        return self._known[asked][0]

    def close(self) -> None:
        """Closes the drafter."""
        self._drafter.close()

    def _record(self, asked: str) -> None:
        if self._file is None:
            return
        reply, seconds = self._known[asked]
        entries = {"text": reply.text, "prompt_tokens": reply.prompt_tokens, "tokens": reply.tokens}
        with self._file.open("a") as lines:
            lines.write(json.dumps({"asked": asked, "seconds": seconds, "reply": entries}) + "\n")


class Scripted:
    """A drafter that sends scripted replies by request, in order, and repeats the last one."""

    name = "scripted"

    def __init__(self, script: Mapping[str, list[str]]) -> None:
        self._script = script
        self._turns: dict[str, int] = {}

    def reply(
        self,
        messages: Iterable[Message],
        schema: Mapping[str, Any],  # noqa: ARG002 - part of the interface
        seconds: float | None = None,  # noqa: ARG002 - part of the interface
        tools: Sequence[Mapping[str, Any]] = (),  # noqa: ARG002 - part of the interface
    ) -> Reply:
        """Returns the next scripted reply to the request in the conversation."""
        text = "\n".join(message.content for message in messages if message.role == "user")
        request = next((name for name in self._script if name in text), None)
        if request is None:
            raise DrafterError("absent", "no script for this request")
        turn = self._turns.get(request, 0)
        self._turns[request] = turn + 1
        lines = self._script[request]
        return Reply(lines[min(turn, len(lines) - 1)])

    def close(self) -> None:
        """Does nothing."""


@contextmanager
def open_drafter(
    who: Who, file: Path | None, script: Path | None = None
) -> Iterator[Remembering | None]:
    """Yields the drafter of this name, None for the planner; installs a missing local model."""
    if who == "planner":
        yield None
        return
    if who == "scripted":
        text = script.read_text() if script is not None else ""
        entries = [json.loads(line) for line in text.splitlines()]
        yield Remembering(Scripted({entry["request"]: entry["replies"] for entry in entries}), None)
        return
    if who == "endpoint":
        yield Remembering(_make_endpoint(read_settings()), file)
        return
    with local_model.importable():
        # The measured time is that of the model, so it gets a generous limit.
        model = LocalModel(LocalSetting(), _PATIENCE_S)
        try:
            yield Remembering(model, file)
        finally:
            model.close()


def make_chain(who: Who, drafter: Drafter) -> DrafterChain:
    """Returns the chain of drafters, with the planner last if the name asks for it."""
    return DrafterChain((drafter,), ends_in_planner=who.endswith("+planner"))


def _make_endpoint(settings: Settings) -> ChatEndpoint:
    named = settings.models.get("model")
    if named is None:
        raise SystemExit("--drafter endpoint needs GROUNDED_MODEL_URL and GROUNDED_MODEL")
    bounds = ReplyBounds(seconds=float(settings.model_seconds))
    return ChatEndpoint(Place(named.url, named.model, named.key), bounds)
