"""Reads the result of an execution: which nodes ran, and where it failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from grounded_builder.catalog.text_cleaning import sub_closed
from grounded_builder.domains.n8n.analysis.ports import MAIN

Status = Literal["success", "error", "stopped", "unknown"]

_SHOWN = 500
_MARKUP = re.compile(r"<[^>]+>")
_KIND_OF_ERROR = re.compile(r"\w*Error")


@dataclass(frozen=True, slots=True)
class Failure:
    """The place where a run failed; ``parameter`` is the parameter that n8n names, if any."""

    node: str
    message: str
    parameter: str = ""


@dataclass(frozen=True, slots=True)
class NodeRun:
    """A node that was run: its runs, and its items in total."""

    node: str
    runs: int
    items: int


@dataclass(frozen=True, slots=True)
class Report:
    """One run, started by ``start``, with the nodes in the order of their first run."""

    start: str
    status: Status
    ran: tuple[NodeRun, ...]
    failure: Failure | None = None


def report(start: str, execution: Mapping[str, Any]) -> Report:
    """Reads an execution from n8n's public API, with its data."""
    result = _mapping(_mapping(execution.get("data")).get("resultData"))
    data = _mapping(result.get("runData"))
    first = {name: _order(runs) for name, runs in data.items()}
    ran = tuple(_ran(name, data[name]) for name in sorted(data, key=lambda name: first[name]))
    state = execution.get("status")
    if state == "success":
        return Report(start, "success", ran)
    if state == "canceled":
        return Report(start, "stopped", ran)
    failure = _failure(result, data)
    return Report(start, "error" if failure is not None else "unknown", ran, failure)


def _failure(result: Mapping[str, Any], data: Mapping[str, Any]) -> Failure | None:
    error = _mapping(result.get("error"))
    last = result.get("lastNodeExecuted")
    node = _mapping(error.get("node")).get("name")
    for name in (node, last):
        if isinstance(name, str) and name:
            own = next(_errors(data.get(name)), error)
            context = _mapping(own.get("context"))
            parameter = context.get("parameter")
            return Failure(name, _message_of(own), parameter if isinstance(parameter, str) else "")
    return None


def _errors(runs: Any) -> Iterator[Mapping[str, Any]]:
    for run in runs if isinstance(runs, list) else ():
        error = _mapping(run).get("error")
        if isinstance(error, Mapping):
            yield error


def _message_of(error: Mapping[str, Any]) -> str:
    """Returns n8n's message with its description, without the mere kind of the error."""
    message, more = error.get("message"), error.get("description")
    text = message if isinstance(message, str) and message else "it failed"
    if isinstance(more, str) and more and more not in text and not _KIND_OF_ERROR.fullmatch(more):
        text = f"{text}: {more}"
    return " ".join(sub_closed(_MARKUP, ">", " ", text).split())[:_SHOWN]


def _ran(name: str, runs: Any) -> NodeRun:
    listed = runs if isinstance(runs, list) else []
    items = 0
    for run in listed:
        outputs = _mapping(_mapping(run).get("data")).get(MAIN)
        items += sum(len(output) for output in outputs or () if isinstance(output, list))
    return NodeRun(name, len(listed), items)


def _order(runs: Any) -> int:
    first = _mapping(runs[0]) if isinstance(runs, list) and runs else {}
    index = first.get("executionIndex")
    return index if isinstance(index, int) else 1 << 30


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
