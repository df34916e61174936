"""Reports why a name or id does not resolve: ambiguous, unavailable, unverified or unknown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from grounded_builder.catalog.misspelled_id import misspelled_id
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tool import ToolRow
from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.resolution import Resolution

UNKNOWN_TOOL = Rule.wrong(
    "GB201", "unknown-tool", "UnknownTool", "No tool of this name is in the catalog."
)
AMBIGUOUS_TOOL = Rule.wrong(
    "GB202", "ambiguous-tool", "AmbiguousTool", "Several tools have this name."
)
NEAR_MISS_NAME = Rule.wrong(
    "GB203", "near-miss-name", "UnknownTool", "The name is inexact and matches one tool."
)
UNAVAILABLE_TOOL = Rule.wrong(
    "GB204", "unavailable-tool", "UnavailableTool", "The tool exists but is unavailable here."
)
UNVERIFIED_TOOL = Rule.advice(
    "GB206", "unverified-tool", "UnverifiedTool", "It is unknown whether the tool is installed."
)
MISSING_TOOL = Rule.wrong("GB207", "missing-tool", "UnknownTool", "A node names no tool.")

ReferenceCatalogs = Callable[[], tuple[Registry, ...]]


def no_reference_catalogs() -> tuple[Registry, ...]:
    """Returns no catalogs to explain unknown names by."""
    return ()


def diagnose_unresolved(
    token: str,
    at: Route,
    node: str,
    resolution: Resolution,
    domain: Domain,
    registry: Registry,
    references: ReferenceCatalogs,
    *,
    drafted: bool = False,
) -> Diagnostic:
    """Returns the finding for a name that resolves to no tool.

    ``references`` explain a name, but never resolve it. A ``drafted`` name is to be built: if it
    cannot be verified, it is unknown.
    """
    if resolution.status == "ambiguous":
        tools = dict.fromkeys(candidate.tool for candidate in resolution.candidates)
        return new_diagnostic(
            AMBIGUOUS_TOOL,
            at,
            f'"{token}" could be {format_names(tools)}',
            help="write the id of one of these tools",
            node=node,
            token=token,
            alternatives=tools,
        )
    return _diagnose_unknown(
        token, at, node, resolution, domain, registry, references, drafted=drafted
    )


def diagnose_exact_id(
    token: str, at: Route, node: str, domain: Domain, registry: Registry
) -> Diagnostic:
    """Returns the finding for an id that a program wrote and the catalog does not have.

    A misspelling is an error, and so is an id that an installed package does not have. Any other id
    cannot be verified.
    """
    similar_id = misspelled_id(token, registry)
    if similar_id is not None:
        return new_diagnostic(
            NEAR_MISS_NAME,
            at,
            f'"{token}" is not the exact name of {similar_id}',
            help=f'write "{similar_id}"',
            node=node,
            token=token,
            alternatives=[similar_id],
        )
    is_complete = registry.header.origin in ("installed", "login")
    package = registry.packages.get(domain.resolving.package_of(token))
    if package is not None and package.complete:
        message = f'{package.name} has no "{token}"'
        help_ = f"use a tool of {package.name}, or add this tool to it"
        return new_diagnostic(UNKNOWN_TOOL, at, message, help=help_, node=node, token=token)
    if is_complete and package is not None:
        help_ = "use the id of an installed tool"
        message = f'no tool "{token}" is installed'
        return new_diagnostic(UNKNOWN_TOOL, at, message, help=help_, node=node, token=token)
    return _diagnose_unverified(token, at, node=node, token=token)


def diagnose_unavailable(tool: ToolRow, at: Route, node: str) -> Diagnostic:
    """Returns the finding for a tool that is in the catalog but cannot be used."""
    reason = (
        "the configuration of the installation excludes it"
        if tool.availability == "excluded"
        else "its package did not load"
    )
    return new_diagnostic(
        UNAVAILABLE_TOOL,
        at,
        f"{tool.id} is not available: {reason}",
        help="use another tool, or make it available and sync the catalog",
        node=node,
        token=tool.id,
        alternatives=tool.replaced_by,
    )


def format_catalog_version(registry: Registry) -> str:
    """Returns the product that a catalog was read from, with its version."""
    versions = registry.header.versions
    version = versions.get(registry.domain)
    if version:
        return f"{registry.domain} {version}"
    return ", ".join(f"{p.name} {p.version or '?'}" for p in registry.header.packages[:2])


def format_names(names: Iterable[str]) -> str:
    """Returns the distinct names on one line."""
    return ", ".join(dict.fromkeys(names))


def _diagnose_unknown(
    token: str,
    at: Route,
    node: str,
    resolution: Resolution,
    domain: Domain,
    registry: Registry,
    references: ReferenceCatalogs,
    *,
    drafted: bool,
) -> Diagnostic:
    alternatives = tuple(
        candidate.tool
        for candidate in resolution.candidates
        if registry.tools[candidate.tool].availability == "installed"
    )
    package = registry.packages.get(domain.resolving.package_of(token))
    elsewhere = [reference for reference in references() if token in reference.tools]
    common: dict[str, Any] = {"node": node, "token": token, "alternatives": alternatives}
    if package is not None and package.error:
        return new_diagnostic(
            UNAVAILABLE_TOOL,
            at,
            f"{token} is not available: its package did not load: {package.error[:200]}",
            help=f"repair or reinstall {package.name}, then sync the catalog",
            **common,
        )
    if elsewhere:
        releases = ", ".join(format_catalog_version(reference) for reference in elsewhere)
        common["alternatives"] = (*_list_equivalents(token, elsewhere, registry), *alternatives)
        return new_diagnostic(
            UNAVAILABLE_TOOL,
            at,
            f"{token} exists in {releases}, but not in {format_catalog_version(registry)}"
            f"{_compare_versions(elsewhere, registry)}",
            help="use a tool that is installed here, or change the installation",
            **common,
        )
    if not drafted and _is_unverifiable(token, domain, registry):
        return _diagnose_unverified(token, at, **common)
    nearest = f"; nearest: {format_names(alternatives)}" if alternatives else ""
    return new_diagnostic(
        UNKNOWN_TOOL,
        at,
        f'no tool "{token}" is installed{nearest}',
        help="use the id of an installed tool",
        **common,
    )


def _list_equivalents(
    token: str, references: Iterable[Registry], registry: Registry
) -> tuple[str, ...]:
    """Returns the installed tools that other catalogs list as equivalents or successors."""
    rows = (reference.tools[token] for reference in references)
    names = dict.fromkeys(name for row in rows for name in (*row.replaced_by, *row.equivalent_to))
    known = (registry.tools.get(name) for name in names)
    return tuple(row.id for row in known if row is not None and row.availability == "installed")


def _compare_versions(references: Iterable[Registry], registry: Registry) -> str:
    """Returns whether a tool is newer than this installation or was removed, "" if unknown."""
    own_version = _parse_version(registry)
    other_versions = [_parse_version(reference) for reference in references]
    if own_version is None or None in other_versions:
        return ""
    if all(other is not None and other > own_version for other in other_versions):
        return ": it is newer than this installation"
    if all(other is not None and other < own_version for other in other_versions):
        return ": it was removed"
    return ""


def _parse_version(registry: Registry) -> tuple[int, ...] | None:
    """Returns the version that a catalog was read from as numbers, None if it states none."""
    numbers = re.match(r"\d+(\.\d+)*", registry.header.versions.get(registry.domain) or "")
    return tuple(map(int, numbers[0].split("."))) if numbers else None


def _diagnose_unverified(name: str, at: Route, **common: Any) -> Diagnostic:
    message = f"{name} cannot be verified: the catalog was not read from an installation"
    help_ = "sync the catalog from the installation that will run this"
    return new_diagnostic(UNVERIFIED_TOOL, at, message, help=help_, **common)


def _is_unverifiable(token: str, domain: Domain, registry: Registry) -> bool:
    package = domain.resolving.package_of(token)
    known = registry.packages.keys() | domain.resolving.core_packages
    is_read = registry.header.origin not in ("assumed", "builtin")
    return not is_read and bool(package) and package not in known
