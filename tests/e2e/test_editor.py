"""The node and its workflows in n8n's editor."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from grounded_builder.domains.n8n.deploy.client import N8nClient
from runtime import paths
from runtime.n8n_server import N8nServer
from runtime.sidecar_server import Sidecar
from tests.support.browser import list_marked_nodes, measure_nodes, save_picture
from tests.support.n8n_workflows import clean_up_after, hook, store_credential, workflow
from tests.support.sidecar import ask_sidecar

PLANS = Path(__file__).parent / "plans"
EXAMPLES = paths.N8N_NODE / "examples"


@pytest.fixture(autouse=True)
def clean(n8n: N8nServer) -> Iterator[N8nClient]:
    """What a test makes in n8n is gone after it."""
    with clean_up_after(n8n) as client:
        yield client


@pytest.fixture
def credentials(clean: N8nClient) -> None:
    """One credential of each type that the plans ask for; no secret in them is real."""
    store_credential(
        clean,
        "A model",
        "openAiApi",
        {"apiKey": "k", "url": "http://127.0.0.1:9/v1", "header": False},
    )
    client = {"clientId": "a", "clientSecret": "b"}
    extra = {"serverUrl": "", "sendAdditionalBodyProperties": False, "additionalBodyProperties": ""}
    store_credential(clean, "A mailbox", "gmailOAuth2", {**client, **extra})


def test_the_node_is_found_and_opened(editor: Page, clean: N8nClient) -> None:
    """The nodes panel finds the node by its name, and it opens with its parameters."""
    start = clean._call("POST", "/workflows", workflow(hook()))
    editor.goto(f"/workflow/{start['id']}")
    editor.get_by_test_id("canvas-node").first.wait_for()
    editor.get_by_test_id("node-creator-plus-button").click()
    editor.get_by_test_id("node-creator-search-bar").fill("Grounded Builder")
    locator = editor.get_by_test_id("node-creator-item-name").filter(has_text="Grounded Builder")
    expect(locator).to_have_count(1)
    save_picture(editor, "node-in-the-panel")
    locator.click()
    for action in ("Generate a workflow", "Import a workflow", "Validate a workflow"):
        expect(editor.get_by_text(action, exact=True)).to_be_visible()
    editor.get_by_text("Generate a workflow", exact=True).click()
    for shown in ("operation", "request", "import", "publish"):
        expect(editor.get_by_test_id(f"parameter-input-{shown}")).to_be_visible()
    expect(editor.get_by_test_id("add-subnode-ai_languageModel-0")).to_be_visible()
    save_picture(editor, "node-opened")


@pytest.mark.parametrize("plan", sorted(PLANS.glob("*.json")), ids=lambda path: path.stem)
def test_a_built_workflow_opens_whole(
    plan: Path, editor: Page, sidecar: Sidecar, credentials: None
) -> None:
    """Every built node is on the canvas, none is marked, none lies on another."""
    built = _import_plan(plan, sidecar)
    _open(editor, built["workflow_id"], len(built["nodes"]))
    save_picture(editor, f"built-{plan.stem}")
    names = sorted(node["name"] for node in built["nodes"])
    assert sorted(box.name for box in measure_nodes(editor)) == names
    assert list_marked_nodes(editor) == []
    _apart(editor)


def test_only_missing_credentials_are_marked(editor: Page, sidecar: Sidecar) -> None:
    """n8n marks in a built workflow what the workflow's note leaves to a person."""
    built = _import_plan(PLANS / "agent.json", sidecar)
    assert len(built["todo"]) == 3  # two credentials, and the address is a placeholder
    _open(editor, built["workflow_id"], len(built["nodes"]))
    save_picture(editor, "built-agent-without-credentials")
    assert sorted(list_marked_nodes(editor)) == ["OpenAI Chat Model", "Tell the team"]
    note = editor.get_by_test_id("sticky")
    for name in list_marked_nodes(editor):
        expect(note.get_by_text(name).first).to_be_visible()
    _apart(editor)


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.json")), ids=lambda path: path.stem)
def test_nothing_overlaps_in_an_example(example: Path, editor: Page, clean: N8nClient) -> None:
    """The package's workflows open whole, and no node or name covers another or the note."""
    document = json.loads(example.read_text("utf-8"))
    created = clean.create(
        {key: document[key] for key in ("name", "nodes", "connections", "settings")}
    )
    _open(editor, str(created["id"]), len(document["nodes"]))
    save_picture(editor, f"example-{example.stem}")
    _apart(editor)


def _import_plan(plan: Path, sidecar: Sidecar) -> dict[str, Any]:
    """What came of the import, and the nodes that were built."""
    built = ask_sidecar(sidecar, "POST", "/v1/n8n/build", {"draft": plan.read_text("utf-8")}).json()
    assert built["artifact"] is not None, json.dumps(built["diagnostics"], indent=1)
    order = {"workflow": built["artifact"], "receipt": built["receipt"], "key": uuid.uuid4().hex}
    done = ask_sidecar(sidecar, "POST", "/v1/n8n/import", order).json()
    assert done["outcome"] == "imported", done
    return {**done, "nodes": built["artifact"]["nodes"]}


def _open(page: Page, workflow_id: str, nodes: int) -> None:
    page.goto(f"/workflow/{workflow_id}")
    expect(page.locator(".vue-flow__node")).to_have_count(nodes)
    page.get_by_test_id("zoom-to-fit").click()
    # The canvas glides into place.
    previous = None
    while (current := measure_nodes(page)) != previous:
        previous = current
        page.wait_for_timeout(200)


def _apart(page: Page) -> None:
    on_top = [
        (box.name, other.name)
        for box, other in combinations(measure_nodes(page), 2)
        if box.overlaps(other)
    ]
    assert on_top == []
