"""Selects training examples from recorded runs: chats whose last message compiled."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from grounded_builder.compiler.parse import parse
from grounded_builder.ir.options import Limits
from grounded_builder.redaction.redact import redact
from grounded_builder.services.training_redaction import (
    secrets_in,
    secrets_in_text,
    without_secrets,
)
from grounded_builder.storage.runs import Run

Chat = dict[str, list[dict[str, str]]]

_MADE = ("built", "incomplete")
_COMPILED = ("ok", "incomplete")


def pairs(run: Run) -> Iterator[Chat]:
    """Yields the chats of a run that made an artifact, without secrets.

    The first asks for the last draft that compiled; where that draft followed findings about an
    earlier one, a second asks for the repair. A draft made without a prompt gives no chat.
    """
    drafts = [draft for draft in run.drafts if draft["messages"] and draft["reply"]]
    good = next((draft for draft in reversed(drafts) if draft["verdict"] in _COMPILED), None)
    if run.line.outcome not in _MADE or good is None or run.drafts[-1] is not good:
        return
    known = frozenset(_secrets(run, drafts))
    answer = _document(good["parsed"], known)
    yield _chat(drafts[0]["messages"], answer, known)
    if good is not drafts[0] and len(good["messages"]) > len(drafts[0]["messages"]):
        yield _chat(good["messages"], answer, known)


def _secrets(run: Run, drafts: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    yield from secrets_in_text(run.line.request)
    yield from secrets_in(run.constraints)
    for draft in drafts:
        yield from secrets_in(draft["parsed"])
        value, _ = parse(draft["reply"], Limits())
        yield from secrets_in(value)


def _chat(messages: Iterable[Mapping[str, str]], answer: str, known: frozenset[str]) -> Chat:
    prompt = [
        {"role": message["role"], "content": _content(message, known)} for message in messages
    ]
    return {"messages": [*prompt, {"role": "assistant", "content": answer}]}


def _content(message: Mapping[str, str], known: frozenset[str]) -> str:
    """Returns a message without secrets; a draft in it is serialized again."""
    text = message["content"]
    if message["role"] == "assistant":
        value, _ = parse(text, Limits())
        if isinstance(value, dict | list):
            return _document(value, known)
    return redact(text, known)


def _document(value: Any, known: frozenset[str]) -> str:
    return json.dumps(without_secrets(value, known), ensure_ascii=False)
