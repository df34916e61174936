"""Defines the index rows of a catalog (tools with operations, credential types) and its header."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Availability = Literal["installed", "excluded", "broken"]
Origin = Literal["installed", "login", "assumed", "builtin"]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of a tool: preset parameters with a name."""

    name: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request that a tool is known to make.

    ``path`` is ``/users/*``, or with its host ``api.example.com/users/*``. An empty ``method`` or
    ``params`` is unknown.
    """

    path: str
    method: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolRow:
    """The facts of a tool that resolving and searching need; the rest is decoded on first use."""

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
    def is_superseded(self) -> bool:
        """Whether other tools replace this one, or it is no longer offered."""
        return self.hidden or bool(self.replaced_by)

    @property
    def newest(self) -> float:
        """The newest version in the catalog."""
        return self.versions[-1]

    @property
    def preferred_version(self) -> float:
        """The version that a new node gets."""
        known = self.default_version
        return known if known in self.versions else self.newest


@dataclass(frozen=True, slots=True)
class CredentialRow:
    """The facts of a credential type that checks need; ``notice`` is the text its form begins with.

    ``notice`` is HTML as its author wrote it, empty if the form begins with a field.
    """

    id: str
    name: str
    fingerprint: str
    extends: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    traits: Mapping[str, Any] = field(default_factory=dict)
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Package:
    """One package that the catalog was read from; ``error`` is why it could not be read.

    ``complete`` is true if the catalog has all its tools, whatever the catalog's origin.
    """

    name: str
    version: str | None = None
    community: bool = False
    error: str | None = None
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Header:
    """The origin of a catalog."""

    domain: str
    schema: int
    origin: Origin
    versions: Mapping[str, str]
    packages: tuple[Package, ...]
    generator: str = ""
