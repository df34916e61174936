"""A workflow inside a workflow is checked like the outer one, with its own places."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grounded_builder.diagnostics import to_pointer
from grounded_builder.ir.options import CompileOptions, Policy
from tests.support.approvals import list_required_approvals
from tests.unit.domains.n8n.drafts import (
    Line,
    compile_workflow,
    node,
    registry,
    text,
    tool,
    workflow,
)

START = "n8n-nodes-base.manualTrigger"
CALL = "n8n-nodes-base.httpRequest"
SUB = "n8n-nodes-base.executeWorkflow"
COMMAND = "n8n-nodes-base.executeCommand"
API = "n8n-nodes-base.n8n"
_SOURCES = [{"name": name, "value": name} for name in ("database", "localFile", "parameter", "url")]
_JSON = {
    "name": "workflowJson",
    "displayName": "Workflow JSON",
    "type": "json",
    "default": "\n\n",
    "displayOptions": {"show": {"source": ["parameter"]}},
}
REGISTRY = registry(
    tool(
        SUB,
        parameters=[
            {"name": "source", "type": "options", "default": "database", "options": _SOURCES},
            _JSON,
        ],
    ),
    tool(CALL, parameters=[text("url"), text("body")]),
    tool(API, parameters=[{"name": "workflowObject", "type": "json", "default": "{}"}]),
)
DENYING = CompileOptions(policy=Policy(denied=(CALL,)))


def _make_calling_workflow(url: str = "https://api.acme.test/") -> Line:
    return workflow([node("S", START), node("H", CALL, {"url": url})], [("S", "H")])


def _make_holding_workflow(inner: Any, name: str = "Sub", **more: Any) -> Line:
    written = inner if isinstance(inner, str) else json.dumps(inner)
    sub = node(name, SUB, {"source": "parameter", "workflowJson": written}, **more)
    return workflow([node("S", START), sub], [("S", name)])


@pytest.mark.parametrize(
    ("url", "is_asked"),
    [
        ("{address}", True),
        ("https://{host}/x", True),
        ("https://api.acme.test/{path}", False),
        ("http://168.63.129.16/metadata", True),
        ("https://flows.acme.test/api/v1/%77orkflows", True),
        ("https://flows.acme.test//API/V1/Workflows", True),
        ("https://flows.acme.test/api/v1/tags/../workflows", True),
        ("https://flows.acme.test/api/v2/items", False),
        ("https://a.acme.test/1,http://169.254.169.254/2", True),
        ("https://a.acme.test/1,https://b.acme.test/2", False),
    ],
)
def test_an_address_is_read_as_it_is_called(url: str, is_asked: bool) -> None:
    """Places for values, lists, and n8n's own paths are read in every spelling."""
    asked = _report(_make_calling_workflow(url), "GB404", CompileOptions(purpose="import"))
    assert bool(asked) == is_asked


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("documentUrls", "https://evil.test/a.pdf"),
        ("documentUrls", "https://api.acme.test/a,https://evil.test/b"),
        ("sourceRepository", "https://evil.test/a.git"),
        ("url", "{address}"),
    ],
)
def test_fetched_addresses_must_be_allowed_hosts(name: str, value: str) -> None:
    """Lists of addresses and repositories are addresses too."""
    fetching = registry(tool(CALL, parameters=[text(name)]))
    draft = workflow([node("S", START), node("H", CALL, {name: value})], [("S", "H")])
    options = CompileOptions(policy=Policy(allowed_hosts=("api.acme.test",)))
    findings = {
        diagnostic.code for diagnostic in compile_workflow(draft, options, fetching).diagnostics
    }
    assert "GB401" in findings


@pytest.mark.parametrize(
    "expression",
    [
        "={{ [].map.constructor('return 1')() }}",
        "={{ ({}).__proto__.x }}",
        "={{ [].map['con' + 'structor']('return 1')() }}",
        "={{ process.env.X }}",
    ],
)
def test_an_expression_that_leads_out_is_refused_under_a_policy(expression: str) -> None:
    """A policy about code, hosts or the host counts for expressions as well."""
    draft = workflow(
        [node("S", START), node("H", CALL, {"url": "https://a.test/", "body": expression})],
        [("S", "H")],
    )
    for policy in (Policy(no_code=True), Policy(no_host_access=True)):
        assert _report(draft, "GB401", CompileOptions(policy=policy))
    assert not _report(draft, "GB401", CompileOptions())


def _report(draft: Line, code: str, options: CompileOptions) -> list[tuple[str, str | None]]:
    diagnostics = compile_workflow(draft, options, REGISTRY).diagnostics
    return [
        (to_pointer(diagnostic.at), diagnostic.node)
        for diagnostic in diagnostics
        if diagnostic.code == code
    ]


def test_policy_denies_node_of_inline_workflow() -> None:
    """A denied node in an inline workflow is refused at the parameter with the workflow."""
    place = ("/nodes/1/parameters/workflowJson", "Sub > H")
    assert _report(_make_holding_workflow(_make_calling_workflow()), "GB401", DENYING) == [place]
    assert (
        compile_workflow(
            _make_holding_workflow(_make_calling_workflow()), DENYING, REGISTRY
        ).artifact
        is None
    )
    assert (
        compile_workflow(
            _make_holding_workflow(_make_calling_workflow()), CompileOptions(), REGISTRY
        ).artifact
        is not None
    )


def test_an_inner_finding_names_its_inner_place() -> None:
    """A finding inside has the route in the inner workflow."""
    broken = workflow([node("S", START), node("X", "n8n-nodes-base.nothingAtAll")], [("S", "X")])
    diagnostics = compile_workflow(
        _make_holding_workflow(broken), CompileOptions(), REGISTRY
    ).diagnostics
    unknown = next(diagnostic for diagnostic in diagnostics if diagnostic.code == "GB201")
    assert unknown.node == "Sub > X"
    assert "/nodes/1/type" in unknown.message


def test_nesting_hides_nothing() -> None:
    """A denied node is found however deep it lies; deeper than is read is refused."""
    draft = _make_calling_workflow()
    for depth in range(3):
        draft = _make_holding_workflow(draft, f"Sub {depth}")
    assert _report(draft, "GB401", DENYING) == [
        ("/nodes/1/parameters/workflowJson", "Sub 2 > Sub 1 > Sub 0 > H")
    ]
    deep = _make_calling_workflow()
    for depth in range(11):
        deep = _make_holding_workflow(deep, f"Sub {depth}")
    assert "GB104" in {
        diagnostic.code
        for diagnostic in compile_workflow(deep, CompileOptions(), REGISTRY).diagnostics
    }


@pytest.mark.parametrize(
    "inner",
    [
        [_make_calling_workflow()],
        {"workflow": _make_calling_workflow()},
        json.dumps(json.dumps(_make_calling_workflow())),
        " \n" + json.dumps(_make_calling_workflow()).replace("nodes", "\\u006eodes", 1),
        "=" + json.dumps(_make_calling_workflow()),
    ],
    ids=["list", "wrapped", "quoted", "escaped", "expression"],
)
def test_wrappings_hide_nothing(inner: Any) -> None:
    """A workflow in a list, a wrapper, a text in a text or with escapes is read."""
    assert _report(_make_holding_workflow(inner), "GB401", DENYING)


@pytest.mark.parametrize(
    "written", ["={{ $json.workflow }}", "{not json", "={{ JSON.stringify({nodes: []}) }}"]
)
def test_unreadable_workflow_needs_approval_or_is_refused(written: str) -> None:
    """An unreadable workflow is reported, needs an approval, or is refused by a policy."""
    draft = _make_holding_workflow(written)
    assert "N8N357" in {
        diagnostic.code
        for diagnostic in compile_workflow(draft, CompileOptions(), REGISTRY).diagnostics
    }
    assert _report(draft, "GB404", CompileOptions(purpose="import"))
    names = list_required_approvals(
        compile_workflow(draft, CompileOptions(purpose="import"), REGISTRY).diagnostics
    )
    approving = CompileOptions(purpose="import", policy=DENYING.policy, approvals=names)
    assert _report(draft, "GB401", approving)


def test_a_disabled_node_hides_nothing() -> None:
    """A workflow in a disabled node is checked too, because the node may be enabled."""
    assert _report(
        _make_holding_workflow(_make_calling_workflow(), disabled=True), "GB401", DENYING
    )


@pytest.mark.parametrize("source", ["localFile", "url"])
def test_a_workflow_from_elsewhere_waits_for_a_person(source: str) -> None:
    """A workflow from a file or an address cannot be checked."""
    draft = workflow([node("S", START), node("Sub", SUB, {"source": source})], [("S", "Sub")])
    assert _report(draft, "GB404", CompileOptions(purpose="import"))
    assert _report(draft, "GB401", DENYING)


def test_any_text_that_holds_a_workflow_is_read() -> None:
    """The body of a request and the workflow for n8n's own interface are held to the policy."""
    options = CompileOptions(policy=Policy(denied=(COMMAND,)))
    inner = workflow([node("S", START), node("C", COMMAND, {"command": "ls"})], [("S", "C")])
    body = node("H", CALL, {"url": "https://n8n.acme.test/", "body": json.dumps({"data": inner})})
    assert _report(workflow([node("S", START), body], [("S", "H")]), "GB401", options)
    as_object = node("N", API, {"workflowObject": inner})
    results = _report(workflow([node("S", START), as_object], [("S", "N")]), "GB401", options)
    assert ("/nodes/1/parameters/workflowObject/nodes/1/type", "N > C") in results


def test_a_list_of_nodes_that_is_no_workflow_is_data() -> None:
    """The nodes of a drawing are left alone."""
    drawing = json.dumps({"nodes": [{"type": "circle"}, {"type": "default"}], "edges": []})
    draft = workflow(
        [node("S", START), node("H", CALL, {"url": "https://a.acme.test/", "body": drawing})],
        [("S", "H")],
    )
    before = {
        diagnostic.code
        for diagnostic in compile_workflow(
            _make_calling_workflow(), CompileOptions(), REGISTRY
        ).diagnostics
    }
    assert {
        diagnostic.code
        for diagnostic in compile_workflow(draft, CompileOptions(), REGISTRY).diagnostics
    } <= before


def test_an_approval_names_the_inner_node() -> None:
    """The approval of an inner node has the names of the outer and the inner node."""
    draft = _make_holding_workflow(_make_calling_workflow("http://127.0.0.1/"))
    assert _report(draft, "GB404", CompileOptions(purpose="import")) == [
        ("/nodes/1/parameters/workflowJson", "Sub > H")
    ]
    names = list_required_approvals(
        compile_workflow(draft, CompileOptions(purpose="import"), REGISTRY).diagnostics
    )
    assert names[0].startswith("GB404/Sub > H@")
    approved = CompileOptions(purpose="import", approvals=names)
    assert not _report(draft, "GB404", approved)
