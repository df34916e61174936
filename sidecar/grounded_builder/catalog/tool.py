"""The small index rows that the registry keeps in memory for every tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Availability = Literal["installed", "excluded", "broken"]
Origin = Literal["installed", "login", "assumed", "builtin"]


@dataclass(frozen=True, slots=True)
class Operation:
    """Something a tool does: preset parameters with a name of their own."""

    name: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """A request that a tool is known to make.

    ``path`` is ``/users/*`` or, with its host, ``api.example.com/users/*``; an empty
    ``method`` or ``params`` is unknown.
    """

    path: str
    method: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolRow:
    """What resolving and searching need of a tool; the rest is decoded on first use."""

    id: str
    name: str
    fingerprint: str
    versions: tuple[float, ...]
    default_version: float | None = None
    aliases: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    description: str = ""
    category: str = ""
    family: str = ""
    package: str = ""
    availability: Availability = "installed"
    is_generic: bool = False
    hidden: bool = False
    requires_license: str | None = None
    replaced_by: tuple[str, ...] = ()
    version_deprecated: str | None = None
    equivalent_to: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    operations: tuple[Operation, ...] = ()
    requests: tuple[Request, ...] = ()

    @property
    def superseded(self) -> bool:
        """Whether other tools do its work now, or none is offered for it any more."""
        return self.hidden or bool(self.replaced_by)

    @property
    def newest(self) -> float:
        """The newest version that the catalog lists."""
        return self.versions[-1]

    @property
    def usual(self) -> float:
        """The version that a new node is made with."""
        known = self.default_version
        return known if known in self.versions else self.newest


@dataclass(frozen=True, slots=True)
class CredentialRow:
    """What checks need of a credential type."""

    id: str
    name: str
    fingerprint: str
    extends: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    traits: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Package:
    """One package that the catalog was read from; ``error`` says why it gave nothing.

    ``complete`` says that what the catalog lacks of it is not in it, whatever the origin.
    """

    name: str
    version: str | None = None
    community: bool = False
    error: str | None = None
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Header:
    """Where a catalog comes from."""

    domain: str
    schema: int
    origin: Origin
    versions: Mapping[str, str]
    packages: tuple[Package, ...]
    generator: str = ""
