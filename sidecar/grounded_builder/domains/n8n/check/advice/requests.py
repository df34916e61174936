"""Advises an installed node in place of an HTTP request to its service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.catalog.tool import ToolRow
from grounded_builder.diagnostics import Diagnostic, Related, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.check.advice.request_address import Address, parse_address
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
# A host with more nodes than this is shared by unrelated services.
_MAX_TOOLS = 3

ServiceRequests = dict[tuple[str, ...], tuple[ResolvedNode, Address, list[Route]]]


def advise(resolved: ResolvedGraph, services: Services) -> Iterator[Diagnostic]:
    """Reports requests that a dedicated node makes, and requests to a service that has a node.

    The latter are reported once per service.
    """
    service_requests: ServiceRequests = {}
    for bound in resolved.nodes:
        if bound.node.tool not in REQUESTS or bound.spec is None or bound.node.disabled:
            continue
        address = parse_address(bound.node.params.get("url"))
        if address is None:
            continue
        makers = services.makers(_request_method(bound.node.params), address)
        is_known = any(maker.known for maker in makers) and not _computes_body(bound.node.params)
        if makers and len(makers) <= _MAX_TOOLS and is_known:
            yield _report_replaceable(bound, address, [maker for maker in makers if maker.known])
        elif bound.node.params.get("authentication") != "predefinedCredentialType":
            # A request with the credential of the service is a deliberate choice.
            likely = services.likely(address)
            if 0 < len(likely) <= _MAX_TOOLS:
                key = tuple(row.id for row in likely)
                service_requests.setdefault(key, (bound, address, []))[2].append(_url_route(bound))
    for key, (bound, address, places) in service_requests.items():
        yield _report_service(bound, address, services, key, places)


def _report_replaceable(bound: ResolvedNode, address: Address, makers: list[Match]) -> Diagnostic:
    names = [_format_match(maker) for maker in makers]
    ids = _replacement_ids(bound, [maker.tool for maker in makers])
    return new_diagnostic(
        REPLACEABLE_REQUEST,
        _url_route(bound),
        f'"{bound.node.name}" makes a request to {address.host} that {" or ".join(names)} makes',
        help=f"use {ids[0]}: it handles the credentials, the paging and the fields of the service",
        node=bound.node.name,
        token=address.host,
        alternatives=ids,
    )


def _report_service(
    bound: ResolvedNode,
    address: Address,
    services: Services,
    key: tuple[str, ...],
    places: list[Route],
) -> Diagnostic:
    rows = services.likely(address)
    names = " or ".join(row.name for row in rows)
    more = f"; {len(places) - 1} more do so" if len(places) > 1 else ""
    return new_diagnostic(
        SERVICE_REQUEST,
        places[0],
        f'"{bound.node.name}" calls {address.host}, for which {names} is installed{more}',
        help="check whether it has the operation; if not, keep the request",
        node=bound.node.name,
        token=address.host,
        alternatives=_replacement_ids(bound, rows) or key,
        related=(Related(at, f"another request to {address.host}") for at in places[1:]),
    )


def _format_match(match: Match) -> str:
    if not match.params:
        return match.tool.name
    label = next(
        (operation.name for operation in match.tool.operations if operation.params == match.params),
        ", ".join(str(value) for value in match.params.values()),
    )
    return f'{match.tool.name} ("{label}")'


def _replacement_ids(
    bound: ResolvedNode, rows: list[ToolRow] | tuple[ToolRow, ...]
) -> tuple[str, ...]:
    """Returns the ids of the replacements; for a tool of an agent, their tool variants."""
    suffix = "Tool" if bound.node.tool in _TOOLS else ""
    return tuple(row.id + suffix for row in rows)


def _url_route(bound: ResolvedNode) -> Route:
    return (*bound.node.at, "parameters", "url")


def _computes_body(params: Mapping[str, Any]) -> bool:
    """Returns whether an expression makes the body, so that its fields are unknown."""
    body = params.get("jsonBody") or params.get("body")
    return bool(params.get("sendBody")) and isinstance(body, str) and body.startswith("=")


def _request_method(params: Mapping[str, Any]) -> str:
    """Returns the request method, empty if it is an expression.

    The oldest versions of the node name the parameter ``requestMethod``.
    """
    method = params.get("method", params.get("requestMethod", "GET"))
    return method if isinstance(method, str) and not method.startswith("=") else ""
