"""The JSON shapes of catalogs and tools."""

from __future__ import annotations

from typing import Any

from grounded_builder.interfaces.http.schemas.base import Shape


class PackageShape(Shape):
    """One package that a catalog was read from."""

    name: str
    version: str | None
    community: bool
    error: str | None


class CatalogShape(Shape):
    """A stored catalog."""

    fingerprint: str
    domain: str
    origin: str
    versions: dict[str, str]
    packages: list[PackageShape]
    tools: int
    credentials: int
    loaded_at: str
    is_active: bool
    is_reference: bool
    overlay: list[str]


class Catalogs(Shape):
    """The stored catalogs of a domain, most recently loaded or used first."""

    catalogs: list[CatalogShape]


class Change(Shape):
    """A tool with different content."""

    id: str
    versions_added: list[float]
    versions_removed: list[float]


class DiffShape(Shape):
    """Tools and credential types added, changed and removed."""

    added: list[str]
    changed: list[Change]
    removed: list[str]
    credentials_added: list[str]
    credentials_changed: list[str]
    credentials_removed: list[str]


class LoadedShape(Shape):
    """The result of loading a catalog; the counts are of tools, against the one active before."""

    fingerprint: str
    is_new: bool
    added: int
    changed: int
    removed: int
    catalog: CatalogShape


class UseBody(Shape):
    """The catalog to activate: its fingerprint or a unique prefix of it."""

    fingerprint: str


class ToolShape(Shape):
    """A tool in short."""

    id: str
    name: str
    description: str
    versions: list[float]
    package: str
    availability: str
    operations: list[str]


class Tools(Shape):
    """Matching tools, best first; `total` counts all of them."""

    tools: list[ToolShape]
    total: int
    catalog: str


class ToolDetail(Shape):
    """The whole catalog entry of a tool."""

    tool: dict[str, Any]
    fingerprint: str
    catalog: str
