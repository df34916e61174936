"""Judges the run of a workflow by the checks of a scenario; nothing is asked of a model.

A check has one subject: ``requests`` (how many fit), ``order``, ``texts`` (what the fitting
requests say together), ``rows`` (of spreadsheets), ``matches`` (of a pattern, by request),
``nodes`` and ``every_node`` (of the workflow), ``document``, ``ran`` (nodes of a type),
``output``, ``binary``, ``answer`` (of the webhook), ``failure``, or ``any`` of several lists of
checks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from evals.cases.described import fits_request, fits_text, read_text
from grounded_builder.domains.n8n.rehearsal.exchange import Request
from grounded_builder.domains.n8n.rehearsal.execution import Step
from grounded_builder.domains.n8n.rehearsal.match import fits
from grounded_builder.domains.n8n.rehearsal.rehearse import RehearsedRun

Check = Mapping[str, Any]
_NOTE = "n8n-nodes-base.stickyNote"
_SHOWN = 300
_BYTES = {"B": 1, "kB": 1_000, "MB": 1_000_000}


@dataclass(frozen=True, slots=True)
class Scene:
    """A workflow with the run of one of its triggers."""

    workflow: Mapping[str, Any]
    run: RehearsedRun

    @property
    def nodes(self) -> list[Mapping[str, Any]]:
        """The nodes but notes."""
        return [node for node in self.workflow["nodes"] if node.get("type") != _NOTE]

    def requests(self) -> list[Request]:
        """Returns all requests in the order of their time."""
        exchanges = [exchange for step in self.run.steps for exchange in step.exchanges]
        listed = [exchange.request for exchange in (*exchanges, *self.run.loose)]
        return sorted(listed, key=lambda request: request.at_ms)

    def fitting(self, described: Mapping[str, Any]) -> list[Request]:
        """Returns the requests that are as described."""
        return [request for request in self.requests() if fits_request(described, request)]

    def steps(self, kind: str) -> list[Step]:
        """Returns the runs of the nodes of a type, a pattern."""
        types = {str(node["name"]): str(node.get("type")) for node in self.nodes}
        steps = [rehearsed.step for rehearsed in self.run.steps]
        return [step for step in steps if fnmatchcase(types.get(step.node, ""), kind)]


def list_misses(checks: Sequence[Check], scene: Scene) -> list[str]:
    """Returns in words what does not agree with the checks."""
    return [f"{_name(check)}: {miss}" for check in checks for miss in _list_of(check, scene)]


def _list_of(check: Check, scene: Scene) -> Iterator[str]:
    subject = next((name for name in _JUDGES if name in check), None)
    if subject is None:
        raise ValueError(f"a check needs one of {', '.join(_JUDGES)}: {check}")
    yield from _JUDGES[subject](check, scene)


def _judge_requests(check: Check, scene: Scene) -> Iterator[str]:
    number = len(scene.fitting(check["requests"]))
    yield from _judge_count(check.get("count", {"at_least": 1}), number, "requests")


def _judge_order(check: Check, scene: Scene) -> Iterator[str]:
    firsts = [scene.fitting(described)[:1] for described in check["order"]]
    if not all(firsts):
        yield "a request is missing"
    elif [first[0].at_ms for first in firsts] != sorted(first[0].at_ms for first in firsts):
        yield "another order"


def _judge_texts(check: Check, scene: Scene) -> Iterator[str]:
    text = "\n".join(read_text(request) for request in scene.fitting(check["texts"]))
    for part in check.get("has", ()):
        if not fits_text({"has": [part]}, text):
            yield f'"{part}" is in none of the requests'
    for part in check.get("lacks", ()):
        if fits_text({"has": [part]}, text):
            yield f'"{part}" is in the requests'
    for pattern in check.get("pattern", ()):
        if not fits_text({"pattern": pattern}, text):
            yield f"{pattern} is not in: {text[-_SHOWN:]}"
    for pattern in check.get("no_pattern", ()):
        if fits_text({"pattern": pattern}, text):
            yield f"{pattern} is in: {text[-_SHOWN:]}"


def _judge_rows(check: Check, scene: Scene) -> Iterator[str]:
    rows = [
        json.dumps(row, ensure_ascii=False)
        for request in scene.fitting(check["rows"])
        for row in _rows_of(request)
    ]
    number = sum(fits_text({"has": check["has"]}, row) for row in rows)
    yield from _judge_count(check["count"], number, f"rows of {len(rows)}")


def _rows_of(request: Request) -> Iterator[Any]:
    """Yields the rows that a request writes to a spreadsheet."""
    try:
        content = json.loads(request.body or b"null")
    except ValueError:
        return
    if isinstance(content, Mapping):
        ranges = [content, *(content.get("data") or ())]
        for written in ranges:
            if isinstance(written, Mapping):
                yield from written.get("values") or ()


def _judge_matches(check: Check, scene: Scene) -> Iterator[str]:
    texts = [request.body.decode("utf-8", "replace") for request in scene.fitting(check["matches"])]
    counts = [len(set(re.findall(check["pattern"], text))) for text in texts]
    if sorted(counts, reverse=True) != check["counts"]:
        yield f"{counts} matches, {check['counts']} expected"


def _judge_nodes(check: Check, scene: Scene) -> Iterator[str]:
    number = sum(_fits_node(check["nodes"], node) for node in scene.nodes)
    yield from _judge_count(check.get("count", {"at_least": 1}), number, "nodes")


def _judge_every_node(check: Check, scene: Scene) -> Iterator[str]:
    for node in scene.nodes:
        if _fits_node(check["every_node"], node):
            parameters = node.get("parameters") or {}
            for key, wanted in check["parameters"].items():
                if not fits({key: wanted}, parameters):
                    yield f'{key} of "{node["name"]}" is {json.dumps(parameters.get(key))}'[:_SHOWN]


def _fits_node(described: Mapping[str, Any], node: Mapping[str, Any]) -> bool:
    parameters = node.get("parameters") or {}
    if not fnmatchcase(str(node.get("type")), described.get("type", "*")):
        return False
    if "parameters" in described and not fits(described["parameters"], parameters):
        return False
    return fits_text(described, json.dumps(parameters, ensure_ascii=False))


def _judge_document(check: Check, scene: Scene) -> Iterator[str]:
    text = json.dumps(scene.workflow, ensure_ascii=False)
    for part in check.get("has", ()):
        if part.casefold() not in text.casefold():
            yield f'"{part}" is not in the workflow'


def _judge_ran(check: Check, scene: Scene) -> Iterator[str]:
    steps = scene.steps(check["ran"]["type"])
    numbers = {"runs": len(steps), "items": sum(step.count_items() for step in steps)}
    for key, number in numbers.items():
        if key in check:
            yield from _judge_count(check[key], number, key)
    if any(step.error for step in steps) and check.get("runs") != 0:
        yield f"failed: {next(step.error for step in steps if step.error)}"[:_SHOWN]


def _judge_output(check: Check, scene: Scene) -> Iterator[str]:
    described = check["output"]
    steps = scene.steps(described.get("type", "*"))
    taken = steps if described.get("where") == "any" else _last(steps)
    text = "\n".join(json.dumps(_items(step), ensure_ascii=False) for step in taken)
    for part in check.get("has", ()):
        if part.casefold() not in text.casefold():
            yield f'"{part}" is not in the output: {text[:_SHOWN]}'
    for part in check.get("lacks", ()):
        if part.casefold() in text.casefold():
            yield f'"{part}" is in the output'


def _last(steps: Sequence[Step]) -> list[Step]:
    """Returns the last node that gave items; a sub-node gives none of its own."""
    main = [step for step in steps if any(step.outputs.get("main", ()))]
    return main[-1:]


def _items(step: Step) -> list[Any]:
    return [item for outputs in step.outputs.values() for items in outputs for item in items]


def _judge_binary(check: Check, scene: Scene) -> Iterator[str]:
    wanted = check["binary"]
    for step in scene.steps(check["type"]):
        for item in _items(step):
            content = (item.get("binary") or {}).get(wanted["key"])
            facts = ("mimeType", "fileExtension")
            if content and all(content.get(key) == wanted[key] for key in facts):
                if _size_of(content) >= wanted.get("min_bytes", 1):
                    return
                yield f"the file has {content.get('fileSize')}"
                return
    yield "no such file is in the output"


def _size_of(content: Mapping[str, Any]) -> float:
    if isinstance(content.get("bytes"), int):
        return float(content["bytes"])
    number, _, unit = str(content.get("fileSize", "0 B")).partition(" ")
    return float(number) * _BYTES.get(unit, 1)


def _judge_answer(check: Check, scene: Scene) -> Iterator[str]:
    answer = scene.run.answer
    if answer is None:
        # The webhook answers at once, before the workflow has done anything.
        if check.get("has"):
            yield "the webhook does not answer with what the workflow makes"
        return
    status = check["answer"].get("status", 200)
    if answer.status != status:
        yield f"the webhook answers with {answer.status}"
    text = answer.body.decode("utf-8", "replace")
    if not fits_text({"has": check.get("has", ())}, text):
        yield f"the webhook answers {text[:_SHOWN]}"


def _judge_failure(check: Check, scene: Scene) -> Iterator[str]:
    failure = scene.run.execution.failure
    if failure is None:
        yield "the run did not fail"
    elif not fits_text({"has": check.get("has", ())}, failure.message):
        yield f"it failed with {failure.message}"[:_SHOWN]


def _judge_any(check: Check, scene: Scene) -> Iterator[str]:
    misses = [list_misses(checks, scene) for checks in check["any"]]
    if all(misses):
        yield " / or ".join(missed[0] for missed in misses)


def _judge_count(wanted: Any, number: int, what: str) -> Iterator[str]:
    if isinstance(wanted, Mapping):
        if not wanted.get("at_least", 0) <= number <= wanted.get("at_most", number):
            yield f"{number} {what}, {json.dumps(wanted)} expected"
    elif number != wanted:
        yield f"{number} {what}, {wanted} expected"


def _name(check: Check) -> str:
    return str(check.get("why") or json.dumps(check, ensure_ascii=False)[:120])


_JUDGES: Mapping[str, Callable[[Check, Scene], Iterator[str]]] = {
    "requests": _judge_requests,
    "order": _judge_order,
    "texts": _judge_texts,
    "rows": _judge_rows,
    "matches": _judge_matches,
    "nodes": _judge_nodes,
    "every_node": _judge_every_node,
    "document": _judge_document,
    "ran": _judge_ran,
    "output": _judge_output,
    "binary": _judge_binary,
    "answer": _judge_answer,
    "failure": _judge_failure,
    "any": _judge_any,
}
