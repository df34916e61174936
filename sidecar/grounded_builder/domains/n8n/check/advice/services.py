"""Indexes the installed tools by the hosts and requests that they call, to replace a request."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tool import Request, ToolRow
from grounded_builder.domains.n8n.check.advice.request_address import WILDCARD, Address

# A host that depends on the account identifies no service if more tools than this share its domain.
_MAX_SHARED = 5
# Number of path parts that distinguish the services of one host: calendar/v3.
_IDENTIFYING_PARTS = 2
_SECOND_LEVEL = frozenset({"ac", "co", "com", "edu", "gov", "net", "org"})


_BASE_PART = re.compile(r"^(?:v?\d[\w.-]*|latest|beta|api|apis|rest|web|public)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Match:
    """A tool that makes a request; ``params`` is empty if several operations do."""

    tool: ToolRow
    params: Mapping[str, Any]
    known: bool


class Services:
    """The tools of a registry indexed by the hosts that they call."""

    def __init__(self, tools: Mapping[str, ToolRow]) -> None:
        self._by_host: defaultdict[str, list[ToolRow]] = defaultdict(list)
        self._by_owner: defaultdict[str, list[ToolRow]] = defaultdict(list)
        self._able: set[str] = set()
        self._requests: dict[str, tuple[tuple[str, tuple[str, ...], Request], ...]] = {}
        for row in tools.values():
            if row.is_generic or row.hidden or row.availability != "installed":
                continue
            if _is_generated(row.id, tools):
                continue
            if can_replace_request(row):
                self._able.add(row.id)
            for host in row.hosts:
                self._by_host[host].append(row)
            if row.hosts:
                for owner in {row.family, _service_name(row.id)} - {""}:
                    self._by_owner[owner].append(row)

    def at(self, host: str) -> tuple[ToolRow, ...]:
        """Returns the tools that call a host, or else those that are named after its owner."""
        exact = self._by_host.get(host)
        if exact:
            return tuple(exact)
        labels = host.split(".")
        for start in range(1, len(labels) - 1):
            shared = self._by_host.get(".".join((WILDCARD, *labels[start:])), ())
            if shared:
                return tuple(shared) if len(shared) <= _MAX_SHARED else ()
        owner, domain = _split_domain(labels)
        owned = self._by_owner.get(owner, ())
        if len(owned) > _MAX_SHARED or any(_has_other_domain(row, owner, domain) for row in owned):
            return ()
        return tuple(owned)

    def makers(self, method: str, address: Address) -> tuple[Match, ...]:
        """Returns the tools that make exactly this request, best match first."""
        best = 0
        matches: list[Match] = []
        for row in self._standing_in(address.host):
            score = 0
            params: list[Mapping[str, Any]] = []
            for host, parts, request in self._split_requests(row):
                if host and len(parts) != len(address.path):
                    continue
                if request.method and method and request.method != method:
                    continue
                fit = _count_equal_parts(host, parts, address)
                if fit > score:
                    score, params = fit, [request.params]
                elif fit and fit == score and request.params not in params:
                    params.append(request.params)
            if score > best:
                best, matches = score, []
            if score and score == best:
                named = [param for param in params if param]
                matches.append(
                    Match(row, named[0] if len(params) == 1 and named else {}, bool(named))
                )
        return tuple(matches)

    def likely(self, address: Address) -> tuple[ToolRow, ...]:
        """Returns the tools that may replace requests to an address, by its host and path."""
        able = self._standing_in(address.host)
        if len(able) < 2 or not address.path:
            return able
        start = address.path[:_IDENTIFYING_PARTS]
        if _is_base_path(start[:1]):
            return ()
        return tuple(
            row
            for row in able
            if any(
                host and parts[:_IDENTIFYING_PARTS] == start
                for host, parts, _ in self._split_requests(row)
            )
        )

    def _standing_in(self, host: str) -> tuple[ToolRow, ...]:
        return tuple(row for row in self.at(host) if row.id in self._able)

    def _split_requests(self, row: ToolRow) -> tuple[tuple[str, tuple[str, ...], Request], ...]:
        known = self._requests.get(row.id)
        if known is None:
            known = self._requests[row.id] = tuple(
                _split_request(request) for request in row.requests
            )
        return known


_KNOWN: WeakKeyDictionary[Registry, Services] = WeakKeyDictionary()


def services_of(registry: Registry) -> Services:
    """Returns the index of a registry, built once."""
    services = _KNOWN.get(registry)
    if services is None:
        services = _KNOWN[registry] = Services(registry.tools)
    return services


def can_replace_request(row: ToolRow) -> bool:
    """Returns whether a tool can replace a request: neither a trigger nor a sub-node."""
    return not any(
        capability == "trigger" or capability.startswith("ai_") for capability in row.capabilities
    )


def _split_request(request: Request) -> tuple[str, tuple[str, ...], Request]:
    host, _, path = request.path.partition("/")
    return host, tuple(path.split("/")), request


def _count_equal_parts(host: str, parts: tuple[str, ...], address: Address) -> int:
    """Returns the number of equal literal parts of two paths, 0 if they differ.

    A request with a host must match the whole path; otherwise a base path may precede it.
    """
    before = len(address.path) - len(parts)
    if before < 0 or (host and (before or host != address.host)):
        return 0
    if before and not _is_base_path(address.path[:before]):
        return 0
    literal = 0
    for known, asked in zip(parts, address.path[before:], strict=True):
        if known == WILDCARD:
            continue
        if known.casefold() != asked.casefold():
            return 0
        literal += 1
    return literal


def _service_name(tool_id: str) -> str:
    return tool_id.rpartition(".")[2].removesuffix("Trigger").lower()


def _is_generated(tool_id: str, tools: Mapping[str, ToolRow]) -> bool:
    """Returns whether n8n generated the tool from another node, which calls the same hosts."""
    return any(
        tool_id.endswith(suffix) and tool_id.removesuffix(suffix) in tools
        for suffix in ("HitlTool", "Tool")
    )


def _has_other_domain(row: ToolRow, owner: str, domain: str) -> bool:
    """Returns whether the owner is known by other domains of the same name but not by this one."""
    domains = {
        known[1] for host in row.hosts if (known := _split_domain(host.split(".")))[0] == owner
    }
    return bool(domains) and domain not in domains


def _split_domain(labels: list[str]) -> tuple[str, str]:
    """Returns the registered name and the domain, as in ``acme`` and ``acme.co.uk``."""
    country = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    place = -3 if country else -2
    if len(labels) < -place:
        return "", ""
    return labels[place].replace("-", ""), ".".join(labels[place:])


def _is_base_path(parts: Iterable[str]) -> bool:
    """Returns whether the path parts only identify an API and its version, as in ``api/v2``."""
    return all(_BASE_PART.match(part) for part in parts)
