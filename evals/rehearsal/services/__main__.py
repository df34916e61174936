"""Holds the requests of n8n's service nodes against the public references of the services.

``python -m evals.rehearsal.services [--only NAME] [--show] [--page]`` rehearses a workflow of one
writing node for each line of ``requests.jsonl``, and compares the request that n8n's node sends
with the documented one. A line has ``documented``, a request in the form of expectations, the
address of its ``reference``, and ``differs`` where the node is known to send another request than
the documented one: ``sent`` describes that one, and ``why`` gives the cause. ``--show`` prints all
requests, ``--page`` writes docs/rehearsed-services.md with ten of them.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.expectations import read_expectations
from grounded_builder.domains.n8n.rehearsal.judge import judge
from grounded_builder.domains.n8n.rehearsal.rehearse import Rehearsal, RehearsedRun, rehearse
from grounded_builder.domains.n8n.rehearsal.stage import Installation, Stage
from grounded_builder.domains.n8n.rehearsal.workflow_copy import CopyOrder
from runtime import paths
from tests.support.n8n_server import provide_catalog
from tests.support.n8n_workflows import node, workflow
from tests.support.registries import registry_from

REQUESTS = Path(__file__).parent / "requests.jsonl"
PAGE = paths.ROOT / "docs" / "rehearsed-services.md"
_SENDER = "Send"
_SHOWN_SERVICES = (
    "Slack",
    "Gmail",
    "Google Sheets",
    "Notion",
    "Airtable",
    "Telegram",
    "Discord",
    "GitHub",
    "Stripe",
    "Jira",
)
_INTRODUCTION = """# Requests of ten services

What a rehearsal shows for one writing node of each service: the request that n8n's own node sends,
with an invented credential and without a network. Below each one is the page of the service that
describes the request. `python -m evals.rehearsal.services --page` writes this file and holds the
nodes of 49 services against their references. [rehearsal.md](rehearsal.md) describes rehearsals.
"""

_ENCODED = re.compile(r"[A-Za-z0-9+=_-]{60,}")
# What n8n says of itself and differs from run to run: its port and the id of the workflow.
_OF_N8N = re.compile(r"127\.0\.0\.1:\d+/workflow/\w+")

Outcome = Literal["as documented", "differs as noted", "differs"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What one node sent, held against the reference; ``notes`` are misses and failures."""

    service: str
    outcome: Outcome
    is_ended: bool
    sent: tuple[str, ...]
    notes: tuple[str, ...]


def read_lines() -> list[dict[str, Any]]:
    """Returns the documented requests, one of each service."""
    return [json.loads(line) for line in REQUESTS.read_text("utf-8").splitlines()]


def compare(stage: Stage, registry: Registry, line: Mapping[str, Any]) -> Comparison:
    """Rehearses the node of a line, and compares its requests with the documented one."""
    sender = node(_SENDER, line["node"], line["version"], line["parameters"])
    graph = N8N.reading.read(workflow(node("Start", "manualTrigger", 1), sender)).graph
    if graph is None:
        raise ValueError(f"{line['service']}: the workflow cannot be read")
    resolved, _ = resolve_graph(graph, N8N, registry, tuple)
    rehearsal = rehearse(stage, CopyOrder(resolved, {}), f"{line['service']} as documented")
    run = rehearsal.runs[0]
    notes = list(_list_failures(rehearsal))
    miss = _find_miss(line["documented"], run)
    outcome: Outcome = "as documented"
    if miss:
        noted = line.get("differs")
        if noted is not None and not _find_miss(noted["sent"], run):
            outcome = "differs as noted"
            notes.append(f"noted: {noted['why']}")
        else:
            outcome = "differs"
            notes.append(f"documented: {miss}")
    return Comparison(
        line["service"], outcome, run.execution.status == "success", tuple(_sent(run)), tuple(notes)
    )


def _find_miss(described: Mapping[str, Any], run: RehearsedRun) -> str:
    """Returns the description of a request that was not sent, "" for one that was."""
    wanted = read_expectations([{"requests": {"node": _SENDER, **described}}])
    (verdict,) = judge(wanted, run)
    return "" if verdict.is_met else json.dumps(described, ensure_ascii=False)


def _list_failures(rehearsal: Rehearsal) -> Iterator[str]:
    for run in rehearsal.runs:
        if run.refusal:
            yield f"n8n does not run it: {run.refusal}"
        elif run.execution.failure is not None:
            yield f"the node fails: {run.execution.failure.message}"


def _sent(run: RehearsedRun) -> Iterator[str]:
    for step in run.steps:
        for exchange in step.exchanges:
            request = exchange.request
            body = request.body.decode("utf-8", "replace")
            yield f"{request.method} {request.url} {body}"[:600]


def print_comparisons(compared: Sequence[Comparison], shows_all: bool) -> None:
    """Prints the table of outcomes, and below each difference what was sent."""
    for item in compared:
        ended = "ended" if item.is_ended else "failed"
        print(f"{item.service:18} {item.outcome:18} {ended}")
        for note in item.notes:
            print(f"    {note}")
        if shows_all or item.outcome == "differs":
            for text in item.sent:
                print(f"    sent: {text}")
    counts = Counter(item.outcome for item in compared)
    print(", ".join(f"{name}: {count}" for name, count in sorted(counts.items())))
    print(f"ended without a failure: {sum(item.is_ended for item in compared)} of {len(compared)}")


def write_page(lines: Sequence[Mapping[str, Any]], compared: Sequence[Comparison]) -> None:
    """Writes the page of examples."""
    parts = [_INTRODUCTION]
    by_name = {item.service: item for item in compared}
    for line in lines:
        if line["service"] not in _SHOWN_SERVICES:
            continue
        item = by_name[line["service"]]
        parameters = json.dumps(line["parameters"], indent=2, ensure_ascii=False)
        sent = "\n".join(shorten_ids(text) for text in item.sent[-1:])
        parts.append(f"## {line['service']}\n\n`{line['node']}` {line['version']:g}:\n")
        parts.append(f"```json\n{parameters}\n```\n\nsends\n\n```http\n{sent}\n```\n")
        noted = line.get("differs")
        if noted is not None and item.outcome == "differs as noted":
            parts.append(f"Differs from the reference: {noted['why']}.\n")
        parts.append(f"Reference: <{line['reference']}>\n")
    PAGE.write_text("\n".join(parts), "utf-8")


def shorten_ids(text: str) -> str:
    """Returns a request with a short text for a long encoded one, equal in every run."""
    named = _OF_N8N.sub("127.0.0.1:5678/workflow/ID", text)
    return _ENCODED.sub(lambda match: f"{match[0][:24]}...", named)


def main() -> None:
    """Prints the comparisons; exits with 1 if a request differs in an unknown way."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", help="the name of one service")
    parser.add_argument("--show", action="store_true", help="print every request")
    parser.add_argument("--page", action="store_true", help="write the page of examples")
    options = parser.parse_args()
    lines = [item for item in read_lines() if options.only in (None, item["service"])]
    registry = registry_from(provide_catalog().read_bytes())
    script = paths.n8n_home() / "node_modules" / "n8n" / "bin" / "n8n"
    installation = Installation(paths.node(), script, paths.REHEARSAL_PROXY / "src" / "proxy.js")
    stage = Stage(installation, paths.cache() / "test-rehearsal")
    stage.start()
    try:
        compared = [compare(stage, registry, line) for line in lines]
    finally:
        stage.close()
    print_comparisons(compared, options.show)
    if options.page:
        write_page(lines, compared)
    sys.exit(any(item.outcome == "differs" for item in compared))


if __name__ == "__main__":
    main()
