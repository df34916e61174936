"""Adds a client's report on opening a model file to its job, checked against the model's blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grounded_builder.domains.simulink.read.document import block_path
from grounded_builder.storage.jobs import Job
from grounded_builder.storage.timestamps import utc_now

_MOST = 20
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class OpenResult:
    """A client's report: ``release`` is the program, ``blocks`` are paths and BlockTypes."""

    is_open: bool
    release: str
    message: str
    blocks: tuple[tuple[str, str], ...]


def with_opening(job: Job, opening: OpenResult) -> Job:
    """Returns the job with the report; it is verified where the file has every block of
    the model.
    """
    lacks = () if not opening.is_open else tuple(_list_missing_blocks(job, dict(opening.blocks)))
    message = opening.message
    if lacks:
        more = f" and {len(lacks) - _SHOWN} more" if len(lacks) > _SHOWN else ""
        message = f"opened, but {'; '.join(lacks[:_SHOWN])}{more}"
    elif not opening.is_open:
        message = message or "it did not open"
    record = {
        "release": opening.release,
        "verified": opening.is_open and not lacks,
        "message": message,
        "at": utc_now(),
    }
    openings = [*openings_of(job), record][-_MOST:]
    return replace(job, answer={**job.answer, "openings": openings})


def openings_of(job: Job) -> Sequence[Mapping[str, Any]]:
    """Returns the reports on the file of the current draft, newest last."""
    return job.answer.get("openings") or ()


def _list_missing_blocks(job: Job, blocks: Mapping[str, str]) -> Iterator[str]:
    """Returns a description of each block that is missing or has another type."""
    kinds = {" ".join(path.split()): kind for path, kind in blocks.items()}
    artifact = job.answer["artifact"]
    types = {fact["sid"]: fact["block_type"] for fact in artifact["blocks"]}
    for path, sid in _paths(artifact["model"]["system"], ()):
        kind = kinds.get(" ".join(path.split()))
        if kind is None:
            yield f'block "{path}" is absent'
        elif types.get(sid, kind) != kind:
            yield f'block "{path}" is a {kind}, not a {types[sid]}'


def _paths(system: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for block in system["blocks"]:
        here = (*above, block["name"])
        yield block_path(here), block["sid"]
        if block.get("system") is not None:
            yield from _paths(block["system"], here)
