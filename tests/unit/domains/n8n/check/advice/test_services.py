"""Tests the advice on requests, schedules and deprecated nodes from the services of a catalog."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.check.advice.request_address import parse_address
from tests.unit.domains.n8n.drafts import (
    START,
    STEP,
    Line,
    compile_workflow,
    node,
    registry,
    text,
    tool,
    workflow,
)

HTTP = "n8n-nodes-base.httpRequest"
CLOCK = "acme-nodes.clock"
LAMPS, TRIGGER = "acme-nodes.lamps", "acme-nodes.lampsTrigger"
CREATE = {"resource": "lamp", "operation": "create"}
OPERATIONS = [
    {"params": CREATE, "name": "Create a lamp"},
    {"params": {"resource": "lamp", "operation": "getAll"}, "name": "Get many lamps"},
]
REQUESTS = [
    {"path": "api.lamps.test/v1/rooms/*/lamps", "method": "POST", "params": CREATE},
    {"path": "/rooms/*", "method": "GET", "params": {"resource": "room", "operation": "get"}},
    {"path": "/rooms/*", "method": "GET", "params": {"resource": "room", "operation": "peek"}},
    {"path": "/colours", "method": "GET"},
]
LAMPS_LINE = tool(
    LAMPS, parameters=[text("resource"), text("operation"), text("q")], operations=OPERATIONS
) | {"name": "Lamps", "hosts": ["api.lamps.test", "*.lampstore.test"], "requests": REQUESTS}
LINES = (
    tool(HTTP, parameters=[text("url"), text("method"), text("authentication")])
    | {"is_generic": True},
    LAMPS_LINE,
    LAMPS_LINE | {"id": LAMPS + "Tool", "equivalent_to": [LAMPS]},
    tool(TRIGGER, inputs=[], traits={"trigger": True, "polling": True})
    | {"name": "Lamps Trigger", "hosts": ["api.lamps.test"], "capabilities": ["trigger"]},
    tool(CLOCK, inputs=[], traits={"trigger": True}, parameters=[{"name": "rule", "type": "json"}])
    | {"capabilities": ["schedule", "trigger"]},
    tool("acme-nodes.bulbs", traits={"hidden": True})
    | {"hidden": True, "replaced_by": [LAMPS], "version_deprecated": "9"},
    tool(
        "acme-nodes.wick",
        parameters=[
            text("mode", default="new"),
            {
                "name": "note",
                "type": "notice",
                "displayName": "The <b>old</b> mode is deprecated",
                "default": "",
                "displayOptions": {"show": {"mode": ["old"]}},
            },
        ],
    ),
)
KNOWN: Registry = registry(*LINES)


def advice(draft: Line, code: str) -> list[Diagnostic]:
    """The findings of one code over the catalog of this file."""
    return [d for d in compile_workflow(draft, known=KNOWN).diagnostics if d.code == code]


def make_calling_workflow(*requests: Line, **more: Any) -> Line:
    """A workflow of HTTP requests one after another."""
    nodes = [node("S", START)]
    nodes += [node(f"R{index}", HTTP, request, **more) for index, request in enumerate(requests)]
    names = [item["name"] for item in nodes]
    return workflow(nodes, list(pairwise(names)))


@pytest.mark.parametrize(
    ("url", "host", "path"),
    [
        ("https://api.acme.test/v1/users", "api.acme.test", ("v1", "users")),
        ("=https://api.acme.test/users/{{ $json.id }}.json?x=1", "api.acme.test", ("users", "*")),
        ("=https://{{ $json.shop }}.acme.test/x", "*.acme.test", ("x",)),
        ('={{ "https://api.acme.test/users/" + $json.id }}', "api.acme.test", ("users", "*")),
        (
            "={{ `https://api.acme.test/users/${$json.id}/posts` }}",
            "api.acme.test",
            ("users", "*", "posts"),
        ),
    ],
)
def test_an_address_is_read_out_of_text_and_expressions(
    url: str, host: str, path: tuple[str, ...]
) -> None:
    """The literal part of a host is kept, what is only known at run time is a star."""
    address = parse_address(url)
    assert address is not None
    assert (address.host, address.path) == (host, path)


@pytest.mark.parametrize(
    "url", ["={{ $json.url }}", "=https://{{ $json.host }}/x", "/x", "http://10.0.0.1/x", None, 3]
)
def test_an_address_without_a_known_host_is_none(url: Any) -> None:
    """No node is advised for an address whose host is unknown."""
    assert parse_address(url) is None


def test_a_request_that_an_operation_makes_names_node_and_operation() -> None:
    """Host, path and method of an operation are that operation, whatever the values in the path."""
    (diagnostic,) = advice(
        make_calling_workflow(
            {"url": "=https://api.lamps.test/v1/rooms/{{ $json.room }}/lamps", "method": "POST"}
        ),
        "N8N333",
    )
    assert diagnostic.alternatives == (LAMPS,)
    assert "Create a lamp" in diagnostic.message
    assert diagnostic.at[-1] == "url"


def test_a_path_without_its_host_may_follow_a_version_and_nothing_else() -> None:
    """The beginning of an API is no resource; a resource before the path makes another request."""
    (diagnostic,) = advice(
        make_calling_workflow({"url": "https://api.lamps.test/api/v2/rooms/7"}), "N8N333"
    )
    assert "Get" not in diagnostic.message  # two operations make it
    assert not advice(
        make_calling_workflow({"url": "https://api.lamps.test/floors/rooms/7"}), "N8N333"
    )


def test_a_request_whose_body_is_computed_is_kept() -> None:
    """The fields of its body are unknown: a search by mail is none that the node has."""
    body = "={{ JSON.stringify({ emails: [$json.email] }) }}"
    url = "https://api.lamps.test/v1/rooms/7/lamps"
    computed = {"url": url, "method": "POST", "sendBody": True, "jsonBody": body}
    assert advice(make_calling_workflow({"url": url, "method": "POST"}), "N8N333")
    assert not advice(make_calling_workflow(computed), "N8N333")


def test_another_method_is_another_request() -> None:
    """A node is not advised for a request that it is not known to make."""
    draft = make_calling_workflow(
        {"url": "https://api.lamps.test/v1/rooms/7/lamps", "method": "DELETE"}
    )
    assert not advice(draft, "N8N333")
    assert [d.alternatives for d in advice(draft, "N8N334")] == [(LAMPS,)]


def test_a_request_that_no_operation_is_known_for_is_only_the_service() -> None:
    """A request of a node for its own lists is no operation of it."""
    draft = make_calling_workflow({"url": "https://api.lamps.test/colours"})
    assert not advice(draft, "N8N333")
    assert len(advice(draft, "N8N334")) == 1


def test_a_service_is_reported_once_a_workflow() -> None:
    """Requests to one service are one finding that leads to all of them."""
    draft = make_calling_workflow(
        {"url": "https://api.lamps.test/a"}, {"url": "https://shop.lampstore.test/b"}
    )
    (diagnostic,) = advice(draft, "N8N334")
    assert len(diagnostic.related) == 1


@pytest.mark.parametrize(
    "request_",
    [
        {"url": "https://api.other.test/x"},
        {"url": "https://lamps.test.evil.test/x"},
        {"url": "https://api.lamps.test/x", "authentication": "predefinedCredentialType"},
    ],
)
def test_other_hosts_and_signed_requests_are_left_alone(request_: Line) -> None:
    """Requests with the credential of a service, and requests to other hosts, get no advice."""
    draft = make_calling_workflow(request_)
    assert not advice(draft, "N8N333") + advice(draft, "N8N334")


def test_a_disabled_request_is_left_alone() -> None:
    """Disabled nodes get no advice."""
    assert not advice(
        make_calling_workflow({"url": "https://api.lamps.test/x"}, disabled=True), "N8N334"
    )


def make_polling_workflow(rule: Line, params: Line) -> Line:
    """A schedule before a read."""
    nodes = [node("C", CLOCK, {"rule": {"interval": [rule]}}), node("L", LAMPS, params)]
    return workflow(nodes, [("C", "L")])


MINUTES = {"field": "minutes", "minutesInterval": 5}
SEARCH = {"resource": "lamp", "operation": "getAll", "q": "is:new"}


def test_a_frequent_search_of_a_service_with_a_trigger_is_polling() -> None:
    """The trigger of the same service stands in for schedule and search."""
    (diagnostic,) = advice(make_polling_workflow(MINUTES, SEARCH), "N8N336")
    assert diagnostic.alternatives == (TRIGGER,)
    cron = {"field": "cronExpression", "expression": "*/5 * * * *"}
    assert advice(make_polling_workflow(cron, SEARCH), "N8N336")


def test_a_search_of_what_is_still_to_do_is_no_polling() -> None:
    """A later node of the service may mark what was read, so that the next search leaves it out."""
    draft = make_polling_workflow(MINUTES, SEARCH)
    draft["nodes"].append(node("D", LAMPS, {"resource": "lamp", "operation": "create"}))
    assert not advice(draft, "N8N336")


@pytest.mark.parametrize(
    ("rule", "params"),
    [
        ({"field": "days"}, SEARCH),
        ({"field": "hours", "hoursInterval": 6}, SEARCH),
        ({"field": "cronExpression", "expression": "0 8 * * *"}, SEARCH),
        (MINUTES, SEARCH | {"operation": "create"}),
        (MINUTES, SEARCH | {"operation": "get"}),
        (MINUTES, SEARCH | {"q": ""}),
        (MINUTES, SEARCH | {"q": "={{ $now }}"}),
    ],
)
def test_plans_writes_and_whole_reads_are_no_polling(rule: Line, params: Line) -> None:
    """A daily report, a single thing, everything each time and what needs the clock stay."""
    assert not advice(make_polling_workflow(rule, params), "N8N336")


def test_runs_that_nobody_watches_are_reported_once() -> None:
    """A clock, a call and nothing for failures: said at the clock; anything set silences it."""
    draft = make_polling_workflow({"field": "days"}, {})
    assert [d.node for d in advice(draft, "N8N338")] == ["C"]
    watched = draft | {"settings": {"errorWorkflow": "1"}}
    assert not advice(watched, "N8N338")
    for guard in (
        {"onError": "continueErrorOutput"},
        {"retryOnFail": True},
        {"continueOnFail": True},
    ):
        nodes = [draft["nodes"][0], draft["nodes"][1] | guard]
        assert not advice(draft | {"nodes": nodes}, "N8N338")


def test_manual_and_local_runs_need_no_error_workflow() -> None:
    """A person who starts a run sees its failure, and a run without a service call rarely fails."""
    assert not advice(make_calling_workflow({"url": "https://api.lamps.test/x"}), "N8N338")
    quiet = workflow([node("C", CLOCK), node("T", STEP)], [("C", "T")])
    assert not advice(quiet, "N8N338")


def test_a_node_put_aside_names_its_successor() -> None:
    """The finding names the successor and the end of support."""
    (diagnostic,) = advice(workflow([node("B", "acme-nodes.bulbs")]), "N8N331")
    assert diagnostic.alternatives == (LAMPS,)
    assert "version 9" in diagnostic.message


def test_a_notice_speaks_only_of_the_settings_that_show_it() -> None:
    """A deprecated setting is reported where it is chosen, in n8n's own words without markup."""
    (diagnostic,) = advice(workflow([node("W", "acme-nodes.wick", {"mode": "old"})]), "N8N339")
    assert "The old mode is deprecated" in diagnostic.help
    assert not advice(workflow([node("W", "acme-nodes.wick")]), "N8N339")


@pytest.mark.parametrize(
    "junk", [None, 3, [], {}, [None], [{}], {"interval": [None]}, "={{", "https://["]
)
def test_advice_survives_malformed_settings(junk: Any) -> None:
    """Any value in place of a setting gives no advice and no exception."""
    nodes = [
        node("C", CLOCK, {"rule": junk, "unit": junk, "triggerTimes": junk}, onError=junk),
        node("L", LAMPS, {"operation": junk, "resource": junk, "q": junk}, retryOnFail=junk),
        node("R", HTTP, {"url": junk, "method": junk}, onError=junk),
    ]
    draft = workflow(nodes, [("C", "L"), ("L", "R")])
    assert not advice(draft, "N8N333") + advice(draft, "N8N336")
