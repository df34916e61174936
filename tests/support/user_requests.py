"""Reads requests that users wrote, with the tools that they used."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime import paths

# Requests from public workflow collections; they are not part of this repository.
INTENTS = paths.ROOT.parent / "shared" / "data" / "n8n" / "intents.jsonl.gz"
_SENTENCE = re.compile(r"(?<=[.!?])\s|\n")


@dataclass(frozen=True, slots=True)
class UserRequest:
    """A request, the tools that its author used, and its source."""

    text: str
    tools: frozenset[str]
    source: str


def read_intents(path: Path = INTENTS) -> dict[str, Mapping[str, Any]]:
    """Returns all requests by the id of their workflow; empty if the file is absent."""
    if not path.exists():
        return {}
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return {row["workflow_id"]: row for row in rows}


def title(row: Mapping[str, Any]) -> str:
    """Returns the title as written."""
    return str(row["title"])


def sentence(row: Mapping[str, Any]) -> str:
    """Returns the first sentence of the description as written."""
    return str(_SENTENCE.split(str(row["description"]).strip())[0])


def pick_titles(rows: Mapping[str, Mapping[str, Any]], number: int, seed: int) -> list[UserRequest]:
    """Returns seeded titles of at least four words, of workflows of installed tools."""
    fit = sorted(
        key
        for key, row in rows.items()
        if row["all_in_catalog"] and row["english_like"] and row["title_words"] >= 4
    )
    return [_request_of(rows[key]) for key in random.Random(seed).sample(fit, number)]


def _request_of(row: Mapping[str, Any]) -> UserRequest:
    note = "n8n-nodes-base.stickyNote"
    return UserRequest(title(row), frozenset(row["node_types"]) - {note}, row["workflow_id"])
