"""Reads from an execution of n8n what each node did: its items, its time, its error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grounded_builder.domains.n8n.rehearsal.flatted import parse_flatted
from grounded_builder.domains.n8n.trial.execution_result import Failure, Status, report

WAITING = "waiting"
_WAITS = "it waits for a person, a call or a moment; what follows was not rehearsed"


@dataclass(frozen=True, slots=True)
class Step:
    """One run of a node, from ``start_ms`` since 1970 for ``duration_ms``.

    ``outputs`` are the items by kind of connection and by output.
    """

    node: str
    index: int
    start_ms: int
    duration_ms: int
    outputs: Mapping[str, Sequence[Sequence[Mapping[str, Any]]]]
    error: str = ""

    @property
    def end_ms(self) -> int:
        """The time at which the run ended, since 1970."""
        return self.start_ms + self.duration_ms

    def count_items(self) -> int:
        """Returns the number of items of all outputs."""
        return sum(len(items) for outputs in self.outputs.values() for items in outputs)


@dataclass(frozen=True, slots=True)
class Execution:
    """An execution that has ended, with its steps in the order in which they began.

    One that ``waits`` for a person, a call or a moment was stopped there; the failure names the
    node. ``number`` is n8n's number of it, ``started`` its start in ISO 8601.
    """

    status: Status
    steps: tuple[Step, ...]
    failure: Failure | None
    waits: bool = False
    number: str = ""
    started: str = ""


def read_execution(trigger: str, raw: Mapping[str, Any]) -> Execution:
    """Reads an execution as the editor's route returns it."""
    data = parse_flatted(raw["data"]) if isinstance(raw.get("data"), str) else raw.get("data")
    result = data.get("resultData") if isinstance(data, Mapping) else None
    runs = result.get("runData") if isinstance(result, Mapping) else None
    steps = [
        _read_step(name, run)
        for name, listed in (runs or {}).items()
        for run in listed or ()
        if isinstance(run, Mapping)
    ]
    steps.sort(key=lambda step: (step.start_ms, step.index))
    number, started = str(raw.get("id") or ""), str(raw.get("startedAt") or "")
    if raw.get("status") == WAITING:
        last = result.get("lastNodeExecuted") if isinstance(result, Mapping) else None
        stop = Failure(str(last or ""), _WAITS)
        return Execution("stopped", tuple(steps), stop, waits=True, number=number, started=started)
    summary = report(trigger, {"status": raw.get("status"), "data": data})
    failure = summary.failure or _read_refusal(result)
    status = "error" if failure is not None else summary.status
    return Execution(status, tuple(steps), failure, number=number, started=started)


def join_executions(executions: Sequence[Execution]) -> Execution:
    """Returns executions of one trigger as one, which failed where any of them did."""
    steps = sorted(
        (step for execution in executions for step in execution.steps),
        key=lambda step: (step.start_ms, step.index),
    )
    failed = (execution for execution in executions if execution.failure is not None)
    return replace(next(failed, executions[0]), steps=tuple(steps))


def _read_refusal(result: Any) -> Failure | None:
    """Returns why n8n ran nothing: a node lacks a value, for example."""
    error = result.get("error") if isinstance(result, Mapping) else None
    if not isinstance(error, Mapping):
        return None
    return Failure("", " ".join(str(error.get("message") or "it failed").split()))


def _read_step(name: str, run: Mapping[str, Any]) -> Step:
    data = run.get("data")
    error = run.get("error")
    return Step(
        node=name,
        index=int(run.get("executionIndex") or 0),
        start_ms=int(run.get("startTime") or 0),
        duration_ms=int(run.get("executionTime") or 0),
        outputs={
            kind: [list(_read_items(items)) for items in outputs or ()]
            for kind, outputs in (data.items() if isinstance(data, Mapping) else ())
        },
        error=str(error.get("message") or "it failed") if isinstance(error, Mapping) else "",
    )


def _read_items(items: Any) -> Iterator[Mapping[str, Any]]:
    for item in items or ():
        if isinstance(item, Mapping):
            yield item
