"""Read how tools were named and asked for: labels and titles of workflows, by repository."""

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
# Nodes that titles never speak of: what they do is said by the whole.
SILENT = re.compile(
    r"\.(set|if|code|merge|noOp|function|functionItem|switch|filter|splitInBatches|splitOut|wait"
    r"|aggregate|stickyNote|manualTrigger|itemLists|executeWorkflow|executeWorkflowTrigger|limit)$"
)
_LONGEST_STORY = 600


@dataclass(frozen=True, slots=True)
class Label:
    """A name that somebody gave a step, the tool it stood on, and the folds that have it."""

    text: str
    tool: str
    folds: frozenset[int]


@dataclass(frozen=True, slots=True)
class Title:
    """What a workflow is for, in short and at length; its tools, but for silent ones."""

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
    """The labels and titles of a data folder, each repository wholly in one fold."""
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
    """Repository, name and tool of every node that has them."""
    return {
        (row["source_repo"], node["name"], node["type"])
        for row in workflows
        for node in row["workflow"].get("nodes", ())
        if isinstance(node, Mapping)
        and isinstance(node.get("name"), str)
        and isinstance(node.get("type"), str)
    }


def without(usage: Usage, fold: int) -> Usage:
    """What shares no repository with a fold."""
    return Usage(
        tuple(label for label in usage.labels if fold not in label.folds),
        tuple(title for title in usage.titles if title.fold != fold),
    )


def only(usage: Usage, fold: int) -> Usage:
    """What belongs to a fold."""
    return Usage(
        tuple(label for label in usage.labels if fold == min(label.folds)),
        tuple(title for title in usage.titles if title.fold == fold),
    )


def lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """The rows of a JSON Lines file, packed or not."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    yield from map(json.loads, content.splitlines())


def _folds(repositories: Iterable[str]) -> dict[str, int]:
    """Repositories, largest first, each to the fold that has least so far."""
    load: Sequence[int] = [0] * FOLDS
    load = list(load)
    fold: dict[str, int] = {}
    for repository, size in Counter(repositories).most_common():
        lightest = min(range(FOLDS), key=lambda item: load[item])
        fold[repository] = lightest
        load[lightest] += size
    return fold
