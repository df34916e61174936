"""Which installed tools call a host, and which of them make a request."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tool import Request, ToolRow
from grounded_builder.domains.n8n.check.advice.base_path import is_base
from grounded_builder.domains.n8n.check.advice.request_address import ANY, Address

# A host that depends on the account tells nothing when more tools than this share its ending.
_SHARED = 5
# Two parts of a path tell the services of one host apart: calendar/v3.
_TELLING = 2
_SECOND_LEVEL = frozenset({"ac", "co", "com", "edu", "gov", "net", "org"})


@dataclass(frozen=True, slots=True)
class Match:
    """A tool that makes a request; ``params`` is empty where several operations do."""

    tool: ToolRow
    params: Mapping[str, Any]
    known: bool


class Services:
    """The tools of a registry by the hosts that they call."""

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
            if stands_in(row):
                self._able.add(row.id)
            for host in row.hosts:
                self._by_host[host].append(row)
            if row.hosts:
                for owner in {row.family, _service(row.id)} - {""}:
                    self._by_owner[owner].append(row)

    def at(self, host: str) -> tuple[ToolRow, ...]:
        """The tools of a host: those that call it, else those of its owner by name."""
        exact = self._by_host.get(host)
        if exact:
            return tuple(exact)
        labels = host.split(".")
        for start in range(1, len(labels) - 1):
            shared = self._by_host.get(".".join((ANY, *labels[start:])), ())
            if shared:
                return tuple(shared) if len(shared) <= _SHARED else ()
        owner, domain = _owner(labels)
        owned = self._by_owner.get(owner, ())
        if len(owned) > _SHARED or any(_is_elsewhere(row, owner, domain) for row in owned):
            return ()
        return tuple(owned)

    def makers(self, method: str, address: Address) -> tuple[Match, ...]:
        """The tools that make this very request, best first; none where none is known to."""
        best = 0
        matches: list[Match] = []
        for row in self._standing_in(address.host):
            score = 0
            params: list[Mapping[str, Any]] = []
            for host, parts, request in self._parsed(row):
                if host and len(parts) != len(address.path):
                    continue
                if request.method and method and request.method != method:
                    continue
                fit = _fit(host, parts, address)
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
        """The tools that stand in for requests to a host, narrowed by the beginning of its path."""
        able = self._standing_in(address.host)
        if len(able) < 2 or not address.path:
            return able
        start = address.path[:_TELLING]
        if is_base(start[:1]):
            return ()
        return tuple(
            row
            for row in able
            if any(host and parts[:_TELLING] == start for host, parts, _ in self._parsed(row))
        )

    def _standing_in(self, host: str) -> tuple[ToolRow, ...]:
        return tuple(row for row in self.at(host) if row.id in self._able)

    def _parsed(self, row: ToolRow) -> tuple[tuple[str, tuple[str, ...], Request], ...]:
        known = self._requests.get(row.id)
        if known is None:
            known = self._requests[row.id] = tuple(_split(request) for request in row.requests)
        return known


_KNOWN: WeakKeyDictionary[Registry, Services] = WeakKeyDictionary()


def services_of(registry: Registry) -> Services:
    """The services of a registry, indexed once."""
    services = _KNOWN.get(registry)
    if services is None:
        services = _KNOWN[registry] = Services(registry.tools)
    return services


def stands_in(row: ToolRow) -> bool:
    """Whether a tool can stand where a request stood: no trigger, no part of another node."""
    return not any(
        capability == "trigger" or capability.startswith("ai_") for capability in row.capabilities
    )


def _split(request: Request) -> tuple[str, tuple[str, ...], Request]:
    host, _, path = request.path.partition("/")
    return host, tuple(path.split("/")), request


def _fit(host: str, parts: tuple[str, ...], address: Address) -> int:
    """How many literal parts of a path agree, 0 where it is another path.

    A path that names its host is whole; before another may stand what an address begins with.
    """
    before = len(address.path) - len(parts)
    if before < 0 or (host and (before or host != address.host)):
        return 0
    if before and not is_base(address.path[:before]):
        return 0
    literal = 0
    for known, asked in zip(parts, address.path[before:], strict=True):
        if known == ANY:
            continue
        if known.casefold() != asked.casefold():
            return 0
        literal += 1
    return literal


def _service(tool_id: str) -> str:
    return tool_id.rpartition(".")[2].removesuffix("Trigger").lower()


def _is_generated(tool_id: str, tools: Mapping[str, ToolRow]) -> bool:
    """Whether n8n made a tool for agents of another node, which knows the same hosts."""
    return any(
        tool_id.endswith(suffix) and tool_id.removesuffix(suffix) in tools
        for suffix in ("HitlTool", "Tool")
    )


def _is_elsewhere(row: ToolRow, owner: str, domain: str) -> bool:
    """Whether the owner is known to be at another domain of its name and not at this one."""
    domains = {known[1] for host in row.hosts if (known := _owner(host.split(".")))[0] == owner}
    return bool(domains) and domain not in domains


def _owner(labels: list[str]) -> tuple[str, str]:
    """The name that a domain is registered under, and the domain: ``acme`` and ``acme.co.uk``."""
    country = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    place = -3 if country else -2
    if len(labels) < -place:
        return "", ""
    return labels[place].replace("-", ""), ".".join(labels[place:])
