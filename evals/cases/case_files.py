"""Reads cases from a folder: a conversation each, with the workflow that it changes, if any."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PLAIN_ANSWER = "choose what fits"


@dataclass(frozen=True, slots=True)
class Case:
    """What a person writes in one conversation, in order.

    ``answers`` are texts that only answer questions. ``workflow`` is the one to change.
    """

    name: str
    turns: tuple[str, ...]
    answers: tuple[str, ...] = ()
    workflow: Mapping[str, Any] | None = None


def read_cases(folder: Path, only: str = "") -> Iterator[Case]:
    """Yields the cases of a folder by name; ``only`` names one of them.

    A file has ``prompt`` or ``conversation``: texts with the ``role`` of their writer. A text with
    ``"when": "asked"`` answers a question. ``seed.workflows`` has the workflow to change.
    """
    for path in sorted(folder.glob("*.json")):
        if only in ("", path.stem):
            yield _read_case(path.stem, json.loads(path.read_text("utf-8")))


def _read_case(name: str, content: Mapping[str, Any]) -> Case:
    if not (content.get("conversation") or content.get("prompt")):
        raise SystemExit(f"{name} has neither a prompt nor a conversation")
    listed = content.get("conversation") or [{"role": "user", "text": content["prompt"]}]
    texts = [turn for turn in listed if turn["role"] == "user"]
    workflows = content.get("seed", {}).get("workflows", [])
    return Case(
        name,
        tuple(_text(turn) for turn in texts if turn.get("when") != "asked"),
        tuple(_text(turn) for turn in texts if turn.get("when") == "asked"),
        workflows[0] if workflows else None,
    )


def _text(turn: Mapping[str, Any]) -> str:
    text = turn["text"]
    return "\n".join(text) if isinstance(text, list) else str(text)
