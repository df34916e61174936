"""Requests that people wrote, and drafts as a model might write them for some."""

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
class Said:
    """A request, the tools that its author used, and where it is from."""

    text: str
    tools: frozenset[str]
    source: str


def intents(path: Path = INTENTS) -> dict[str, Mapping[str, Any]]:
    """All requests by the id of their workflow; none where the file is absent."""
    if not path.exists():
        return {}
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return {row["workflow_id"]: row for row in rows}


def title(row: Mapping[str, Any]) -> str:
    """The title, as it was written."""
    return str(row["title"])


def sentence(row: Mapping[str, Any]) -> str:
    """The first sentence of the description, as it was written."""
    return str(_SENTENCE.split(str(row["description"]).strip())[0])


def pick_titles(rows: Mapping[str, Mapping[str, Any]], number: int, seed: int) -> list[Said]:
    """Titles of several words picked by a seed, among workflows of installed tools."""
    fit = sorted(
        key
        for key, row in rows.items()
        if row["all_in_catalog"] and row["english_like"] and row["title_words"] >= 4
    )
    return [_request_of(rows[key]) for key in random.Random(seed).sample(fit, number)]


def _request_of(row: Mapping[str, Any]) -> Said:
    note = "n8n-nodes-base.stickyNote"
    return Said(title(row), frozenset(row["node_types"]) - {note}, row["workflow_id"])
