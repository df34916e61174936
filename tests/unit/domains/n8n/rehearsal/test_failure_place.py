"""A failure is placed on a parameter only where its message names exactly one that is shown."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.rehearsal.execution import Execution
from grounded_builder.domains.n8n.rehearsal.failure_place import (
    find_parameter_route,
    place_failure,
)
from grounded_builder.domains.n8n.trial.execution_result import Failure
from grounded_builder.ir.graph import ResolvedGraph
from tests.unit.domains.n8n.drafts import node, registry, text, tool, workflow

_OPTIONS = {
    "name": "options",
    "type": "collection",
    "default": {},
    "options": [text("timeout", displayName="Timeout"), text("proxy", displayName="Proxy")],
}
_HIDDEN = {"displayOptions": {"show": {"url": ["never"]}}}
_SEND = tool(
    "acme-nodes.send",
    parameters=[
        text("url", displayName="URL"),
        text("sendTo", displayName="To"),
        text("format", displayName="Format"),
        text("kind", displayName="Format"),
        text("secret", displayName="Secret", **_HIDDEN),
        _OPTIONS,
    ],
)


def _resolve(parameters: dict[str, Any]) -> ResolvedGraph:
    graph = N8N.reading.read(workflow([node("A", "acme-nodes.send", parameters)])).graph
    assert graph is not None
    return resolve_graph(graph, N8N, registry(_SEND), tuple)[0]


@pytest.mark.parametrize(
    ("message", "parameter"),
    [
        ('The value in the "To" field is not a mail address', "sendTo"),
        ("Could not get parameter 'sendTo'", "sendTo"),
        ("'Send To' is empty", "sendTo"),
        ("Invalid \u2018URL\u2019 given", "url"),
        ('"Timeout" is no number', "options.timeout"),
        ('"Proxy" is unknown', ""),
        ('"Format" is unknown', ""),
        ('"Secret" is unknown', ""),
        ('"To" and "URL" are equal', ""),
        ("To is unknown", ""),
    ],
)
def test_one_shown_parameter_is_named(message: str, parameter: str) -> None:
    """By its key or its name in the editor; what is hidden, absent or ambiguous does not count."""
    resolved = _resolve({"url": "https://a", "options": {"timeout": "x"}})
    execution = Execution("error", (), Failure("A", message))
    failure = place_failure(execution, resolved).failure
    assert failure is not None
    assert failure.parameter == parameter


@pytest.mark.parametrize(
    ("parameter", "route"),
    [
        ("url", ("parameters", "url")),
        ("options.timeout", ("parameters", "options", "timeout")),
        ("rows[1].name", ("parameters", "rows", 1, "name")),
        ("rows[7].name", ("parameters", "rows")),
        ("absent", ()),
        ("", ()),
    ],
)
def test_a_route_leads_as_far_as_the_node_goes(
    parameter: str, route: tuple[str | int, ...]
) -> None:
    """Lists are followed by their numbers; a parameter that the node lacks is placed on it."""
    rows = [{"name": "a"}, {"name": "b"}]
    resolved = _resolve({"url": "https://a", "options": {"timeout": "x"}, "rows": rows})
    bound = resolved.by_name["A"]
    assert find_parameter_route(bound, parameter) == (*bound.node.at, *route)
