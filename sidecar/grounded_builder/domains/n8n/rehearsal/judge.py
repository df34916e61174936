"""Judges the runs of a rehearsal by expectations, without a model.

An expectation is met or unmet by what a run did. One about something that the run did not reach is
not judged: a node that never ran, a request that only such a node can send, or the absence of
something in a run that ended early.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from grounded_builder.domains.n8n.expectations import Expectation
from grounded_builder.domains.n8n.rehearsal.match import (
    Sent,
    describe,
    fits,
    fits_request,
    read_bodies,
    shorten,
)
from grounded_builder.domains.n8n.rehearsal.rehearse import RehearsedRun
from grounded_builder.domains.n8n.trial.node_role import treatment_of
from grounded_builder.ir.graph import ResolvedGraph

State = Literal["met", "unmet", "unjudged"]

_MOST_SHOWN = 3
# The kinds of run that have all nodes as the workflow has them.
_UNCHANGED = frozenset({"natural", "sample", "scenario"})
_NAMED = 4


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on an expectation; ``miss`` states what happened instead, or why none is given.

    ``sent`` are requests of the run. ``scenario`` names the scenario of the expectation.
    """

    expectation: str
    state: State
    miss: str = ""
    sent: tuple[str, ...] = ()
    scenario: str = ""

    @property
    def is_met(self) -> bool:
        """Whether a run showed what is expected."""
        return self.state == "met"


@dataclass(frozen=True, slots=True)
class Reach:
    """The nodes of a workflow, those of them that may send requests, and those that are to fail."""

    nodes: frozenset[str] = frozenset()
    senders: frozenset[str] = frozenset()
    faulty: frozenset[str] = frozenset()


def find_reach(resolved: ResolvedGraph) -> Reach:
    """Returns the nodes of a workflow that runs can reach; disabled ones send nothing."""
    senders = (
        name
        for name, bound in resolved.by_name.items()
        if treatment_of(bound, (), ()).kind == "stand-in"
    )
    return Reach(frozenset(resolved.by_name), frozenset(senders))


def describe_expectation(expectation: Expectation) -> str:
    """Returns the words of an expectation, or its JSON."""
    return expectation.why or shorten(expectation.content)


def judge(
    expectations: Sequence[Expectation], run: RehearsedRun, reach: Reach | None = None
) -> tuple[Verdict, ...]:
    """Returns the verdict on each expectation about this run, in order."""
    sent = _list_sent(run)
    return tuple(
        _judge(expectation, run, sent, reach or Reach())
        for expectation in expectations
        if expectation.content.get("trigger", run.trigger) == run.trigger
    )


def judge_runs(
    expectations: Sequence[Expectation], runs: Sequence[RehearsedRun], reach: Reach
) -> tuple[Verdict, ...]:
    """Returns one verdict on each expectation about the runs of a workflow, in order.

    The first run of a trigger that shows something decides for that trigger. What must not happen
    is judged by all runs. A run with changed nodes can show that an expectation is met, and not
    that it is not.
    """
    return tuple(_judge_all(expectation, runs, reach) for expectation in expectations)


def _judge_all(expectation: Expectation, runs: Sequence[RehearsedRun], reach: Reach) -> Verdict:
    decided: dict[str, Verdict] = {}
    unjudged: list[Verdict] = []
    forbids = _forbids(expectation.content)
    for run in runs:
        for verdict in judge([expectation], run, reach):
            known = decided.get(run.trigger)
            if verdict.state == "unjudged":
                unjudged.append(verdict)
            elif run.variant.kind not in _UNCHANGED:
                if verdict.is_met and known is None and not forbids:
                    decided[run.trigger] = replace(
                        verdict, miss=f"in a run where {run.variant.reason}"
                    )
            elif known is None or (forbids and known.is_met):
                decided[run.trigger] = verdict
    for verdict in decided.values():
        if not verdict.is_met:
            return verdict
    if decided:
        return next(iter(decided.values()))
    if unjudged:
        return unjudged[0]
    trigger = expectation.content.get("trigger")
    reason = f'no run began with "{trigger}"' if trigger else "there was no run"
    return Verdict(describe_expectation(expectation), "unjudged", reason)


def _forbids(content: Mapping[str, Any]) -> bool:
    """Returns whether an expectation is about what must not happen."""
    if "runs" in content:
        return _is_zero(content["runs"])
    return _is_zero(content.get("count"))


def _is_zero(count: Any) -> bool:
    return count == 0 or (isinstance(count, Mapping) and count.get("at_most") == 0)


def _list_sent(run: RehearsedRun) -> list[Sent]:
    sent = [
        *(
            Sent(rehearsed.step.node, exchange.request)
            for rehearsed in run.steps
            for exchange in rehearsed.exchanges
        ),
        *(Sent("", exchange.request) for exchange in run.loose),
    ]
    return sorted(sent, key=lambda item: item.request.at_ms)


def _judge(
    expectation: Expectation, run: RehearsedRun, sent: Sequence[Sent], reach: Reach
) -> Verdict:
    text = describe_expectation(expectation)
    why = _explain_gap(expectation, run, sent, reach)
    if why:
        return Verdict(text, "unjudged", why)
    misses = "; ".join(_list_misses(expectation, run, sent))
    if not misses:
        return Verdict(text, "met")
    failure = run.execution.failure
    if failure is not None and failure.node:
        misses += f'; "{failure.node}" {"waits" if run.execution.waits else "failed"}: '
        misses += failure.message
    return Verdict(text, "unmet", misses, tuple(describe(item) for item in sent[:_MOST_SHOWN]))


def _explain_gap(
    expectation: Expectation, run: RehearsedRun, sent: Sequence[Sent], reach: Reach
) -> str:
    """Returns why a run shows nothing about an expectation, "" where it shows something."""
    content = expectation.content
    if run.refusal:
        return f"n8n did not run the workflow: {run.refusal}"
    reached = {rehearsed.step.node for rehearsed in run.steps}
    if expectation.subject == "answer":
        return "" if run.answer is not None else f'no caller gets an answer of "{run.trigger}"'
    if expectation.subject == "node":
        return _explain_node_gap(content, run, reached, reach)
    described = [content["requests"]] if expectation.subject == "requests" else content["order"]
    for wanted in described:
        if any(fits_request(wanted, item) for item in sent):
            continue
        node = wanted.get("node")
        senders = [node] if _is_name(node) else sorted(reach.senders)
        unreached = [name for name in senders if name not in reached]
        if unreached and _is_name(node) and reach.nodes and node not in reach.nodes:
            return f'the workflow has no node "{node}"'
        if expectation.subject == "requests" and _permits_none(content.get("count"), run):
            return _explain_end(run, reach)
        if unreached:
            return f"no run reached {_list_names(unreached)}"
    return ""


def _explain_node_gap(
    content: Mapping[str, Any], run: RehearsedRun, reached: Collection[str], reach: Reach
) -> str:
    node = content["node"]
    if node in reached:
        return ""
    if reach.nodes and node not in reach.nodes:
        return f'the workflow has no node "{node}"'
    if not content.keys() & {"items", "fails"} and _permits_none(content["runs"], run):
        return _explain_end(run, reach)
    return f'no run reached "{node}"'


def _explain_end(run: RehearsedRun, reach: Reach) -> str:
    """Returns why the absence of something in a run shows nothing, "" in a run to its end.

    A run that fails where the scenario has a fault ends as it would.
    """
    failure = run.execution.failure
    if run.execution.status == "success" and failure is None:
        return ""
    if failure is not None and failure.node in reach.faulty:
        return ""
    at = f' at "{failure.node}"' if failure is not None and failure.node else ""
    return f"the run ended early{at}{f': {failure.message}' if failure is not None else ''}"


def _permits_none(count: Any, run: RehearsedRun) -> bool:
    return count is not None and _fits_count(count, 0, run)


def _is_name(node: Any) -> bool:
    return isinstance(node, str) and "*" not in node


def _list_misses(
    expectation: Expectation, run: RehearsedRun, sent: Sequence[Sent]
) -> Iterator[str]:
    """Yields in words what does not agree with an expectation."""
    content = expectation.content
    if expectation.subject == "requests":
        yield from _list_request_misses(content, run, sent)
    elif expectation.subject == "order":
        positions = [
            next((at for at, item in enumerate(sent) if fits_request(wanted, item)), None)
            for wanted in content["order"]
        ]
        yield from _list_disorder(content["order"], positions)
    elif expectation.subject == "answer":
        yield from _list_answer_misses(content["answer"], run)
    else:
        yield from _list_node_misses(content, run)


def _list_request_misses(
    content: Mapping[str, Any], run: RehearsedRun, sent: Sequence[Sent]
) -> Iterator[str]:
    matching = [item for item in sent if fits_request(content["requests"], item)]
    count = content.get("count", {"at_least": 1})
    if not _fits_count(count, len(matching), run):
        yield f"{len(matching)} such requests were sent, {_format_count(count, run)} expected"
    for item in matching:
        if not fits_request(content.get("each", {}), item):
            yield f"one of them is {describe(item)}"
            break
    if content.get("distinct"):
        seen: set[tuple[str, str, bytes]] = set()
        for item in matching:
            key = (item.request.method, item.request.url, item.request.body)
            if key in seen:
                yield f"two of them are {describe(item)}"
                break
            seen.add(key)


def _list_disorder(
    wanted: Sequence[Mapping[str, Any]], positions: Sequence[int | None]
) -> Iterator[str]:
    latest = -1
    for described, position in zip(wanted, positions, strict=True):
        if position is None:
            yield f"no request is {shorten(described)}"
        elif position < latest:
            yield f"{shorten(described)} was sent before the one that it follows"
        latest = max(latest, -1 if position is None else position)


def _list_answer_misses(wanted: Mapping[str, Any], run: RehearsedRun) -> Iterator[str]:
    answer = run.answer
    if answer is None:
        return
    shown = answer.body.decode("utf-8", "replace")
    if "status" in wanted and wanted["status"] != answer.status:
        yield f"the caller gets status {answer.status}, {wanted['status']} expected"
    if "content_type" in wanted and not fits(wanted["content_type"], answer.content_type):
        yield f"the caller gets {answer.content_type or 'no content type'}"
    bodies = read_bodies(answer.body, answer.content_type)
    if "body" in wanted and not any(fits(wanted["body"], body) for body in bodies):
        yield f"the caller gets {shorten(shown)}"


def _list_node_misses(content: Mapping[str, Any], run: RehearsedRun) -> Iterator[str]:
    node = content["node"]
    steps = [item.step for item in run.steps if item.step.node == node]
    for key, number in (("runs", len(steps)), ("items", _count_items(node, run))):
        if key in content and not _fits_count(content[key], number, run):
            yield f'"{node}" has {number} {key}, {_format_count(content[key], run)} expected'
    if "fails" in content:
        failed = any(step.error for step in steps)
        if failed != content["fails"]:
            yield f'"{node}" {"failed" if failed else "did not fail"}'


def _count_items(node: str, run: RehearsedRun) -> int:
    return sum(item.step.count_items() for item in run.steps if item.step.node == node)


def _fits_count(wanted: Any, number: int, run: RehearsedRun) -> bool:
    if isinstance(wanted, Mapping):
        if "items_of" in wanted:
            return number == _count_items(wanted["items_of"], run)
        lowest, highest = wanted.get("at_least", 0), wanted.get("at_most", number)
        return bool(lowest <= number <= highest)
    return bool(number == wanted)


def _format_count(wanted: Any, run: RehearsedRun) -> str:
    if not isinstance(wanted, Mapping):
        return str(wanted)
    if "items_of" in wanted:
        node = wanted["items_of"]
        return f'{_count_items(node, run)} as items of "{node}"'
    return " and ".join(f"{key.replace('_', ' ')} {bound}" for key, bound in wanted.items())


def _list_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    quoted = ", ".join(f'"{name}"' for name in names[:_NAMED])
    return f"{quoted}{more}"
