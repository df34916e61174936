"""Reads the drafts of models and the corrupted workflows next to the checkout."""

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
    """A draft of a model, as a JSON value or as text that may contain one, with its request."""

    id: str
    content: Any
    asked: str = "a workflow"


@dataclass(frozen=True, slots=True)
class Twin:
    """A corrupted workflow with the clean one from which it was made."""

    id: str
    corrupted: dict[str, Any]
    clean: dict[str, Any]


def has_corpora() -> bool:
    """Checks whether the corpora are next to the checkout."""
    return _WRITTEN.exists() and _PAIRS.exists()


def read_drafts() -> list[Draft]:
    """Returns all drafts of models, in the order of the file."""
    return [
        Draft(
            str(entry["id"]),
            entry["workflow"] if "workflow" in entry else entry["raw_text"],
            str(entry.get("prompt") or "").strip() or "a workflow",
        )
        for entry in _read_entries(_WRITTEN)
    ]


def read_twins() -> list[Twin]:
    """Returns all corrupted and clean pairs, in the order of the file."""
    return [
        Twin(str(entry["id"]), entry["corrupted"], entry["clean"])
        for entry in _read_entries(_PAIRS)
    ]


def _read_entries(path: Any) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
