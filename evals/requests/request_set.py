"""Reads the requests of the evaluation with the workflows made for them."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from runtime import paths

Kind = Literal["title", "description", "prompt", "own"]

DATA = paths.ROOT.parent / "shared" / "data" / "n8n"
SHARES: Mapping[Kind, int] = {"title": 20, "description": 15, "prompt": 15}
SLICE: Mapping[Kind, int] = {"title": 1, "description": 1, "prompt": 1}
SEED = 20_261_204
_NOTE = "n8n-nodes-base.stickyNote"
_LONGEST = 1_500
_FEWEST_WORDS = 4
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_BASE = "n8n-nodes-base."
# Used without the collection: requests with the node types that fulfil them.
OWN: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "Every weekday at 7:30 get the rows from Google Sheets, then post to #stock in Slack",
        ("scheduleTrigger", "googleSheets", "slack"),
    ),
    (
        "When a form is submitted, if the age is under 18, email a@x.org, otherwise use Airtable",
        ("formTrigger", "if", "emailSend", "airtable"),
    ),
    (
        "Wait 10 minutes after the webhook is called, then call https://example.org/done",
        ("webhook", "wait", "httpRequest"),
    ),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A request and the node types of the author's workflow."""

    key: str
    kind: Kind
    text: str
    tools: frozenset[str]


def pick_requests(shares: Mapping[Kind, int] = SHARES, seed: int = SEED) -> list[Asked]:
    """Returns seeded requests of each kind, or the built-in ones without the collection."""
    if not DATA.exists():
        return [
            Asked(f"own-{number}", "own", text, frozenset(_BASE + tool for tool in tools))
            for number, (text, tools) in enumerate(OWN, 1)
        ]
    chosen = random.Random(seed)
    picked: list[Asked] = []
    taken: set[str] = set()
    for kind, number in shares.items():
        pool = [item for item in _read_kind(kind) if item.key not in taken]
        picked += chosen.sample(sorted(pool, key=lambda entry: entry.key), number)
        taken |= {item.key for item in picked}
    return picked


def _read_kind(kind: Kind) -> Iterator[Asked]:
    if kind == "prompt":
        yield from _read_prompts()
        return
    for row in _read_rows(DATA / "intents.jsonl.gz"):
        text = _PICTURE.sub("", str(row.get(kind) or "")).strip()[:_LONGEST]
        fits = row["all_in_catalog"] and row["english_like"]
        if fits and text and len(text.split()) >= _FEWEST_WORDS:
            tools = frozenset(row["node_types"]) - {_NOTE}
            yield Asked(row["workflow_id"], kind, text, tools)


def _read_prompts() -> Iterator[Asked]:
    """Yields every prompt once, with the types of the first workflow that a model wrote for it."""
    seen: set[str] = set()
    for row in _read_rows(DATA / "llm_generated.jsonl.gz"):
        text = str(row.get("prompt") or "").strip()[:_LONGEST]
        workflow = row.get("workflow")
        nodes = workflow.get("nodes") if isinstance(workflow, dict) else None
        if not text or text in seen or not isinstance(nodes, list):
            continue
        seen.add(text)
        types = {str(node.get("type")) for node in nodes if isinstance(node, dict)}
        yield Asked(row["id"], "prompt", text, frozenset(types) - {_NOTE})


def _read_rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)
