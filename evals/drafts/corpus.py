"""Reads the drafts of models and the corrupted workflows beside the checkout."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from runtime import paths

DATA = paths.ROOT.parent / "shared" / "data" / "n8n"
_WRITTEN = DATA / "llm_generated.jsonl.gz"
_PAIRS = DATA / "repair_pairs.jsonl.gz"


@dataclass(frozen=True, slots=True)
class Draft:
    """What a model wrote: a JSON value, or text that may hold one; and for which request."""

    id: str
    content: Any
    asked: str = "a workflow"


@dataclass(frozen=True, slots=True)
class Twin:
    """A corrupted workflow beside the clean one that it was made of."""

    id: str
    corrupted: dict[str, Any]
    clean: dict[str, Any]


def is_there() -> bool:
    """Whether the corpora lie beside the checkout."""
    return _WRITTEN.exists() and _PAIRS.exists()


def read_drafts() -> list[Draft]:
    """All drafts that models wrote, in the order of the file."""
    return [
        Draft(
            str(entry["id"]),
            entry["workflow"] if "workflow" in entry else entry["raw_text"],
            str(entry.get("prompt") or "").strip() or "a workflow",
        )
        for entry in _entries(_WRITTEN)
    ]


def twins() -> list[Twin]:
    """All corrupted and clean pairs, in the order of the file."""
    return [
        Twin(str(entry["id"]), entry["corrupted"], entry["clean"]) for entry in _entries(_PAIRS)
    ]


def _entries(path: Any) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
