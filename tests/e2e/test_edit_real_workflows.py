"""Twenty edits of real workflows in a real n8n, which leave everything else unchanged."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.edit.editor import EDITOR
from grounded_builder.ir.options import CompileOptions
from grounded_builder.services.conversation_record import PLANNER, Answer, DraftRequest
from grounded_builder.services.edit_sessions import EditSetup, edit
from runtime.paths import ROOT
from tests.support.import_desk import Desk

SHARED = ROOT.parent / "shared" / "data" / "n8n" / "workflows.jsonl.gz"
SEED, EACH = 20_261_122, 2
Document = Mapping[str, Any]
# What n8n keeps of a node; the rest it may add to.
_BASE = "n8n-nodes-base."


def _uses(tool: str) -> Callable[[Document], bool]:
    return lambda document: any(node["type"] == _BASE + tool for node in _steps(document))


def _always(document: Document) -> bool:
    return len(_steps(document)) > 2


def _pick_node(document: Document) -> str:
    """A node with a name of its own that is no start."""
    fed = {
        entry["node"]
        for outputs in document["connections"].values()
        for way in outputs.get("main", ())
        for entry in way or ()
    }
    return next(
        (
            node["name"]
            for node in _steps(document)
            if node["name"] in fed and '"' not in node["name"]
        ),
        "",
    )


def _steps(document: Document) -> list[Document]:
    return [node for node in document["nodes"] if not node["type"].endswith("stickyNote")]


def _unread(document: Document) -> bool:
    """No expression reads the node: without it nothing else breaks."""
    name = _pick_node(document)
    return _always(document) and not any(
        name in json.dumps(node["parameters"], ensure_ascii=False) for node in _steps(document)
    )


# The words, and whether they can be said of a workflow.
REQUESTS: dict[str, tuple[Callable[[Document], str], Callable[[Document], bool]]] = {
    "alarm": (lambda _: "add an error notification by Slack", _always),
    "times": (lambda _: "run it hourly", _uses("scheduleTrigger")),
    "monday": (lambda _: "run it every Monday at 9", _uses("manualTrigger")),
    "teams": (lambda _: "replace Slack by Microsoft Teams", _uses("slack")),
    "outlook": (lambda _: "use Microsoft Outlook instead of Gmail", _uses("gmail")),
    "rename": (
        lambda document: f'rename "{_pick_node(document)}" to "Step of another name"',
        _always,
    ),
    "disable": (lambda document: f'disable "{_pick_node(document)}"', _always),
    "remove": (lambda document: f'remove "{_pick_node(document)}"', _unread),
    "wait": (lambda document: f'add Wait after "{_pick_node(document)}"', _always),
    "two": (
        lambda document: f'disable "{_pick_node(document)}" and add an error notification by Gmail',
        _always,
    ),
}


@pytest.fixture(scope="module")
def workflows() -> list[Document]:
    """All real workflows, in an order of their own."""
    with gzip.open(SHARED, "rt", encoding="utf-8") as lines:
        documents = [json.loads(line)["workflow"] for line in lines]
    random.Random(SEED).shuffle(documents)
    return documents


@pytest.mark.skipif(not SHARED.exists(), reason=f"needs {SHARED.relative_to(ROOT.parent)}")
@pytest.mark.parametrize("kind", REQUESTS)
def test_a_change_leaves_the_rest_alone(
    kind: str, workflows: list[Document], desk: Desk, client: N8nClient
) -> None:
    """Untouched nodes keep every byte, in the answer and in n8n; the result runs, or asks."""
    findings, fits = REQUESTS[kind]
    chosen = list(_pick_workflows(workflows, fits, desk, kind))
    assert len(chosen) == EACH
    for document in chosen:
        first = desk.draft(document)
        assert first.outcome == "imported", [diagnostic.message for diagnostic in first.diagnostics]
        stored = client.get(first.workflow_id or "")
        request = findings(stored)
        answer = _edit_document(request, stored, desk)
        assert answer["outcome"] in ("built", "incomplete"), (request, answer["summary"])
        listed = answer["edit"]
        assert listed["done"]
        assert listed["difference"].startswith("--- ")
        touched = _find_changed_nodes(stored, listed["workflow"])
        assert 1 <= len(touched) <= 12, touched
        result = desk.artifact(
            answer["artifact"],
            answer["receipt"],
            key=answer["session"],
            workflow_id=first.workflow_id,
            publish=True,
        )
        assert result.outcome == "imported", [
            diagnostic.message for diagnostic in result.diagnostics
        ]
        assert result.published or result.todo, [
            diagnostic.message for diagnostic in result.diagnostics
        ]
        after = client.get(first.workflow_id or "")
        assert _bytes(after) == _bytes(answer["artifact"])
        bytes_ = {key: value for key, value in _bytes(stored).items() if key not in touched}
        assert bytes_.items() <= _bytes(after).items()
        print(f"| {request} | {len(stored['nodes'])} | {len(touched)} | {_state(result)} |")


def _edit_document(request: str, document: Document, desk: Desk) -> Answer:
    context = EditSetup(desk.store, N8N, desk.registry, tuple, editor=EDITOR)
    return edit(DraftRequest(request, drafter=PLANNER), document, context)


def _pick_workflows(
    workflows: list[Document], fits: Callable[[Document], bool], desk: Desk, kind: str
) -> Iterator[Document]:
    """The first sound workflows of which a request can be said; each kind begins elsewhere."""
    begin = list(REQUESTS).index(kind) * len(workflows) // len(REQUESTS)
    result = 0
    for document in (*workflows[begin:], *workflows[:begin]):
        is_sound = fits(document) and _pick_node(document)
        if (
            is_sound
            and compile_draft(document, N8N, desk.registry, CompileOptions()).verdict != "wrong"
        ):
            result += 1
            yield document
        if result == EACH:
            return


def _bytes(document: Document) -> dict[str, str]:
    """Every node by its id, as text."""
    return {node["id"]: json.dumps(node, sort_keys=True) for node in document["nodes"]}


def _find_changed_nodes(before: Document, after: Document) -> set[str]:
    entries, other = _bytes(before), _bytes(after)
    return {key for key in entries.keys() | other.keys() if entries.get(key) != other.get(key)}


def _state(result: Any) -> str:
    return "published" if result.published else f"{len(result.todo)} to do"
