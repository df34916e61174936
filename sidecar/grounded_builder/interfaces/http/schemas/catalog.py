"""Defines the JSON shapes of catalogs and tools."""

from __future__ import annotations

from typing import Any

from grounded_builder.catalog.diff import CatalogDiff
from grounded_builder.interfaces.http.schemas.base import Shape, with_fields_of
from grounded_builder.storage import StoredCatalog


class PackageShape(Shape):
    """One package that a catalog was read from."""

    name: str
    version: str | None
    community: bool
    error: str | None


@with_fields_of(StoredCatalog)
class CatalogShape(Shape):
    """A stored catalog."""

    packages: list[PackageShape]


class Catalogs(Shape):
    """The stored catalogs of a domain, most recently loaded or used first."""

    catalogs: list[CatalogShape]


@with_fields_of(CatalogDiff)
class DiffShape(Shape):
    """Tools and credential types added, changed and removed."""


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
