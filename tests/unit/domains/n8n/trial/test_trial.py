"""The nodes that a trial runs, the stand-ins, and their items, decided without n8n."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.trial.assign_roles import cast_of
from grounded_builder.domains.n8n.trial.choose_samples import example
from grounded_builder.domains.n8n.trial.sandbox_copy import Cast, SandboxCopy, replica_of
from tests.unit.domains.n8n.drafts import START, STEP, node, registry, text, tool, workflow

CODE, SET, WAIT = "n8n-nodes-base.code", "n8n-nodes-base.set", "n8n-nodes-base.wait"
REGISTRY = registry(
    tool(CODE, parameters=[text("jsCode", typeOptions={"editor": "codeNodeEditor"})]),
    tool(SET, parameters=[{"name": "assignments", "type": "json", "default": {}}]),
    tool(WAIT),
)


def cast(*nodes: dict[str, Any], given: Any = None, **more: Any) -> Cast:
    names = [item["name"] for item in nodes]
    document = {**workflow(list(nodes), pairwise(names)), **more}
    graph = N8N.reading.read(document).graph
    assert graph is not None
    resolved, _ = resolve_graph(graph, N8N, REGISTRY)
    return cast_of(resolved, frozenset(), given or {}, lambda *_: None)


def make_copy(*nodes: dict[str, Any], **more: Any) -> SandboxCopy:
    return replica_of(cast(*nodes, **more), "a name")


def types(replica: SandboxCopy) -> dict[str, str]:
    return {item["name"]: item["type"].rpartition(".")[2] for item in replica.workflow["nodes"]}


def go() -> dict[str, Any]:
    return node("Go", START)


@pytest.mark.parametrize(
    "script",
    [
        "return await this.helpers.httpRequest({ url: 'x' });",
        "return helpers['http' + 'Request'];",
        "const g = globalThis; return g;",
        "return require('fs').readFileSync('/etc/passwd');",
        "return [].filter['constru' + 'ctor'] && eval('1');",
        "const { a } = await import('fs'); return a;",
        "return [][`constructor`]('x')();",
    ],
)
def test_code_with_a_way_out_is_not_run(script: str) -> None:
    """Code that may leave the sandbox gets a stand-in."""
    kinds = cast(go(), node("Code", CODE, {"jsCode": script})).treatments
    assert kinds["Code"].kind == "stand-in"


def test_code_that_computes_is_run_without_a_way_out() -> None:
    """The functions that call out are taken away before its first line, on that line."""
    script = "// this, helper\nreturn $input.all().map((one) => one);"
    (code,) = [
        item
        for item in make_copy(go(), node("Code", CODE, {"jsCode": script})).workflow["nodes"]
        if item["name"] == "Code"
    ]
    assert code["parameters"]["jsCode"].endswith(script)
    assert "helpers.httpRequest = helpers.request = undefined" in code["parameters"]["jsCode"]
    assert code["parameters"]["jsCode"].count("\n") == script.count("\n")


def test_only_what_is_known_to_compute_is_run() -> None:
    """Nodes of other packages, with credentials or of no known type are stood in for."""
    kinds = cast(
        go(),
        node("Set", SET),
        node("Login", SET, credentials={"any": {"id": "1", "name": "x"}}),
        node("Other", STEP),
        node("Unknown", "n8n-nodes-base.neverHeardOf"),
        node("Off", STEP, disabled=True),
        node("Pause", WAIT),
    ).treatments
    assert {name: kind.kind for name, kind in kinds.items()} == {
        "Go": "start",
        "Set": "run",
        "Login": "stand-in",
        "Other": "stand-in",
        "Unknown": "stand-in",
        "Off": "pass",
        "Pause": "pass",
    }


def test_a_copy_has_nothing_that_reaches_outside() -> None:
    """The copy has no trigger, credential, setting of other workflows or node of a package."""
    login = {"any": {"id": "1", "name": "x"}}
    copy = make_copy(
        go(),
        node("Step", STEP, {"text": "={{ $json.a }}"}, credentials=login, retryOnFail=True),
        settings={"errorWorkflow": "w1", "timezone": "Europe/Oslo"},
    )
    assert types(copy) == {
        "Go (call)": "webhook",
        "Go": "set",
        "Step (parameters)": "set",
        "Step": "set",
    }
    assert "errorWorkflow" not in copy.workflow["settings"]
    assert copy.workflow["settings"]["timezone"] == "Europe/Oslo"
    assert all("credentials" not in item for item in copy.workflow["nodes"])
    assert copy.owner["Step (parameters)"] == "Step"


def test_items_are_given_pinned_or_made_of_what_is_read() -> None:
    """Given items come before pinned ones, and these before generated ones."""
    steps = (go(), node("A", STEP), node("B", SET, {"assignments": {"x": "={{ $json.k.n }}"}}))
    pinned = {"pinData": {"A": [{"json": {"p": 1}}]}}
    assert cast(*steps).samples["A"].items == ({"json": {"k": {"n": "sample"}}},)
    assert cast(*steps).samples["A"].origin == "read"
    assert cast(*steps, **pinned).samples["A"].items == ({"json": {"p": 1}},)
    given = cast(*steps, given={"A": [{"g": 1}]}, **pinned).samples["A"]
    assert (given.items, given.origin) == (({"json": {"g": 1}},), "given")


def test_a_name_that_is_taken_is_not_given_twice() -> None:
    """A workflow may have a node of the name that a trial would give."""
    copy = make_copy(go(), node("Go (call)", SET))
    assert len(set(types(copy))) == len(copy.workflow["nodes"]) == 3


def test_a_schema_becomes_an_item() -> None:
    """Objects, lists and plain types, as deep as they are reported."""
    schema = {
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "owner": {"type": "object", "properties": {"ok": {"type": "boolean"}}},
        },
    }
    assert example(schema) == {"id": 1, "tags": ["sample"], "owner": {"ok": True}}
