"""HTTP requests that an installed node makes, or that go to the service of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.catalog.tool import ToolRow
from grounded_builder.diagnostics import Diagnostic, Related, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.check.advice.request_address import Address, address_of
from grounded_builder.domains.n8n.check.advice.services import Match, Services
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

REPLACEABLE_REQUEST = Rule.advice(
    "N8N333", "replaceable-request", "SuboptimalTool", "An installed node makes this request."
)
SERVICE_REQUEST = Rule.info(
    "N8N334", "service-request", "The called service has a node of its own."
)

_TOOLS = frozenset({"n8n-nodes-base.httpRequestTool", "@n8n/n8n-nodes-langchain.toolHttpRequest"})
REQUESTS = _TOOLS | {"n8n-nodes-base.httpRequest"}
# A host with more nodes than this is shared by services that have little in common.
_MOST = 3

Elsewhere = dict[tuple[str, ...], tuple[ResolvedNode, Address, list[Route]]]


def advise(resolved: ResolvedGraph, services: Services) -> Iterator[Diagnostic]:
    """Find requests that a dedicated node makes; services only once a workflow."""
    elsewhere: Elsewhere = {}
    for bound in resolved.nodes:
        if bound.node.tool not in REQUESTS or bound.spec is None or bound.node.disabled:
            continue
        address = address_of(bound.node.params.get("url"))
        if address is None:
            continue
        makers = services.makers(_method(bound.node.params), address)
        if makers and len(makers) <= _MOST and any(maker.known for maker in makers):
            yield _replaceable(bound, address, [maker for maker in makers if maker.known])
        elif bound.node.params.get("authentication") != "predefinedCredentialType":
            # Who signs a request with a service's own credential knows that service's node.
            likely = services.likely(address)
            if 0 < len(likely) <= _MOST:
                key = tuple(row.id for row in likely)
                elsewhere.setdefault(key, (bound, address, []))[2].append(_place(bound))
    for key, (bound, address, places) in elsewhere.items():
        yield _service(bound, address, services, key, places)


def _replaceable(bound: ResolvedNode, address: Address, makers: list[Match]) -> Diagnostic:
    names = [_told(maker) for maker in makers]
    return new_diagnostic(
        REPLACEABLE_REQUEST,
        _place(bound),
        f'"{bound.node.name}" makes a request to {address.host} that {" or ".join(names)} makes',
        help=f"use {_ids(bound, [maker.tool for maker in makers])[0]}: it knows the credentials, "
        "the pages and the fields of the service",
        node=bound.node.name,
        token=address.host,
        alternatives=_ids(bound, [maker.tool for maker in makers]),
    )


def _service(
    bound: ResolvedNode,
    address: Address,
    services: Services,
    key: tuple[str, ...],
    places: list[Route],
) -> Diagnostic:
    rows = services.likely(address)
    names = " or ".join(row.name for row in rows)
    more = f", and {len(places) - 1} more do so" if len(places) > 1 else ""
    return new_diagnostic(
        SERVICE_REQUEST,
        places[0],
        f'"{bound.node.name}" calls {address.host}, for which {names} is installed{more}',
        help="look whether it has the operation; where it has none, the request is right",
        node=bound.node.name,
        token=address.host,
        alternatives=_ids(bound, rows) or key,
        related=(Related(at, f"another request to {address.host}") for at in places[1:]),
    )


def _told(match: Match) -> str:
    if not match.params:
        return match.tool.name
    label = next(
        (operation.name for operation in match.tool.operations if operation.params == match.params),
        ", ".join(str(value) for value in match.params.values()),
    )
    return f'{match.tool.name} ("{label}")'


def _ids(bound: ResolvedNode, rows: list[ToolRow] | tuple[ToolRow, ...]) -> tuple[str, ...]:
    """The ids to use instead; of a tool of an agent the tools that n8n makes of the nodes."""
    suffix = "Tool" if bound.node.tool in _TOOLS else ""
    return tuple(row.id + suffix for row in rows)


def _place(bound: ResolvedNode) -> Route:
    return (*bound.node.at, "parameters", "url")


def _method(params: Mapping[str, Any]) -> str:
    """The method, empty where it is an expression; the oldest versions call it otherwise."""
    method = params.get("method", params.get("requestMethod", "GET"))
    return method if isinstance(method, str) and not method.startswith("=") else ""
