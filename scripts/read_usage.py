"""Reads the node labels and titles of collected workflows, split into folds by repository."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDS = 5
# Nodes that titles do not name.
SILENT = re.compile(
    r"\.(set|if|code|merge|noOp|function|functionItem|switch|filter|splitInBatches|splitOut|wait"
    r"|aggregate|stickyNote|manualTrigger|itemLists|executeWorkflow|executeWorkflowTrigger|limit)$"
)
_LONGEST_STORY = 600


@dataclass(frozen=True, slots=True)
class Label:
    """A name of a step, its tool, and the folds that have it."""

    text: str
    tool: str
    folds: frozenset[int]


@dataclass(frozen=True, slots=True)
class Title:
    """The short and the long title of a workflow, and the tools that titles can name."""

    text: str
    story: str
    tools: frozenset[str]
    fold: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Everything that is learnt from; no two folds share a repository.

    ``names`` are those of all nodes with their tools, once a repository.
    """

    labels: tuple[Label, ...]
    titles: tuple[Title, ...]
    names: tuple[tuple[str, str], ...] = ()


def read_usage(folder: Path) -> Usage:
    """Return the labels and titles of a data folder; each repository is in one fold."""
    workflows = list(lines(folder / "workflows.jsonl.gz"))
    repositories = {row["id"]: row["source_repo"] for row in workflows}
    labels = list(lines(folder / "labels.jsonl.gz"))
    titles = list(lines(folder / "intents.jsonl.gz"))
    fold = _folds([repositories[row["workflow_id"]] for row in labels])
    for row in titles:
        fold.setdefault(row["source_repo"], len(fold) % FOLDS)
    return Usage(
        labels=tuple(
            Label(
                row["label"],
                row["type"],
                frozenset(fold[repositories[workflow_id_]] for workflow_id_ in row["workflow_ids"]),
            )
            for row in labels
        ),
        titles=tuple(
            Title(
                row["title"],
                f"{row['title']} {row.get('description') or ''}"[:_LONGEST_STORY],
                frozenset(
                    node_type_ for node_type_ in row["node_types"] if not SILENT.search(node_type_)
                ),
                fold[row["source_repo"]],
            )
            for row in titles
        ),
        names=tuple((name, tool) for _, name, tool in sorted(_list_named(workflows))),
    )


def _list_named(workflows: Iterable[Mapping[str, Any]]) -> set[tuple[str, str, str]]:
    """Yield repository, name and tool of every node that has them."""
    return {
        (row["source_repo"], node["name"], node["type"])
        for row in workflows
        for node in row["workflow"].get("nodes", ())
        if isinstance(node, Mapping)
        and isinstance(node.get("name"), str)
        and isinstance(node.get("type"), str)
    }


def without(usage: Usage, fold: int) -> Usage:
    """Return the usage from the repositories outside a fold."""
    return Usage(
        tuple(label for label in usage.labels if fold not in label.folds),
        tuple(title for title in usage.titles if title.fold != fold),
    )


def only(usage: Usage, fold: int) -> Usage:
    """Return the usage from the repositories of a fold."""
    return Usage(
        tuple(label for label in usage.labels if fold == min(label.folds)),
        tuple(title for title in usage.titles if title.fold == fold),
    )


def lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a JSON Lines file, compressed or not."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    yield from map(json.loads, content.splitlines())


def _folds(repositories: Iterable[str]) -> dict[str, int]:
    """Assign each repository, largest first, to the smallest fold."""
    load: Sequence[int] = [0] * FOLDS
    load = list(load)
    fold: dict[str, int] = {}
    for repository, size in Counter(repositories).most_common():
        lightest = min(range(FOLDS), key=lambda item: load[item])
        fold[repository] = lightest
        load[lightest] += size
    return fold
