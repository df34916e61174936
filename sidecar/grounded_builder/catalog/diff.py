"""Compares two catalogs: tools and credential types added, changed and removed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from grounded_builder.catalog.tool import CredentialRow, ToolRow


@dataclass(frozen=True, slots=True)
class ToolChange:
    """A tool whose content differs between two catalogs."""

    id: str
    versions_added: tuple[float, ...]
    versions_removed: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CatalogDiff:
    """Ids of tools and credential types added, changed and removed, each in sorted order."""

    added: tuple[str, ...] = ()
    changed: tuple[ToolChange, ...] = ()
    removed: tuple[str, ...] = ()
    credentials_added: tuple[str, ...] = ()
    credentials_changed: tuple[str, ...] = ()
    credentials_removed: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the catalogs have the same tools and credential types."""
        return self == CatalogDiff()


class Rows(Protocol):
    """The index rows of a catalog, in a Registry or as stored."""

    @property
    def tools(self) -> Mapping[str, ToolRow]:
        """Tool rows by id."""

    @property
    def credentials(self) -> Mapping[str, CredentialRow]:
        """Credential type rows by id."""


def diff(old: Rows, new: Rows) -> CatalogDiff:
    """Returns the differences between two catalogs, by the fingerprints of their entries."""
    return CatalogDiff(
        added=_ids_only_in(new.tools, old.tools),
        changed=tuple(
            _compare_tool(old.tools[key], new.tools[key])
            for key in _changed_ids(old.tools, new.tools)
        ),
        removed=_ids_only_in(old.tools, new.tools),
        credentials_added=_ids_only_in(new.credentials, old.credentials),
        credentials_changed=_changed_ids(old.credentials, new.credentials),
        credentials_removed=_ids_only_in(old.credentials, new.credentials),
    )


def _compare_tool(old: ToolRow, new: ToolRow) -> ToolChange:
    before, after = set(old.versions), set(new.versions)
    return ToolChange(new.id, tuple(sorted(after - before)), tuple(sorted(before - after)))


def _ids_only_in(
    entries: Mapping[str, ToolRow] | Mapping[str, CredentialRow],
    other: Mapping[str, ToolRow] | Mapping[str, CredentialRow],
) -> tuple[str, ...]:
    return tuple(sorted(entries.keys() - other.keys()))


def _changed_ids(
    old: Mapping[str, ToolRow] | Mapping[str, CredentialRow],
    new: Mapping[str, ToolRow] | Mapping[str, CredentialRow],
) -> tuple[str, ...]:
    shared = sorted(old.keys() & new.keys())
    return tuple(key for key in shared if old[key].fingerprint != new[key].fingerprint)
