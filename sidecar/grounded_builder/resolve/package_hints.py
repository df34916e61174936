"""Adds package hints to findings on unknown names, and finds packages with lookalike names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from grounded_builder.catalog.likeness import is_near
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import normalize_text
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.resolve.diagnose import UNKNOWN_TOOL, UNVERIFIED_TOOL

_MIN_CHARS = 5
_LONG_CHARS = 20
_UNKNOWN_RULES = (UNKNOWN_TOOL, UNVERIFIED_TOOL)


def add_package_hints(
    diagnostics: Iterable[Diagnostic],
    registry: Registry,
    package_of: Callable[[str], str],
    core: Collection[str],
    installable: Collection[str],
) -> tuple[Diagnostic, ...]:
    """Returns the findings, with those about unknown names extended by a hint on the package.

    Only an ``installable`` package is suggested for installation. One whose name looks like an
    installed, ``core`` or installable package is flagged.
    """
    known = {*registry.packages, *core, *installable}
    return tuple(
        _add_package_hint(diagnostic, registry, package_of, known, installable)
        for diagnostic in diagnostics
    )


def find_lookalike(package: str, known: Iterable[str]) -> str | None:
    """Returns the known package whose name differs by one or two letters, None if there is none."""
    shown = normalize_text(package).strip().casefold()
    for name in sorted(known):
        if name == package or len(name) < _MIN_CHARS:
            continue
        max_edits = 2 if len(name) >= _LONG_CHARS else 1
        if is_near(shown, name.casefold(), max_edits) or _differs_by_foreign_letters(shown, name):
            return name
    return None


def _differs_by_foreign_letters(shown: str, name: str) -> bool:
    """Returns whether two names differ only in letters of other alphabets."""
    foreign_count = sum(not char.isascii() for char in shown)
    return (
        0 < 2 * foreign_count <= len(shown)
        and len(shown) == len(name)
        and all(
            char == name_char or not char.isascii()
            for char, name_char in zip(shown, name.casefold(), strict=True)
        )
    )


def _add_package_hint(
    finding: Diagnostic,
    registry: Registry,
    package_of: Callable[[str], str],
    known: Collection[str],
    installable: Collection[str],
) -> Diagnostic:
    package = package_of(finding.token or "") if finding.rule in _UNKNOWN_RULES else ""
    if not package or package in registry.packages:
        return finding
    if package in installable:
        help_text = f"install {package}, which is allowed here, and sync the catalog"
        return replace(finding, help=f"{help_text}; or {finding.help}")
    similar = find_lookalike(package, known)
    if similar is None:
        return finding
    message = f'{finding.message}; its package "{package}" looks like {similar} and is another one'
    return replace(finding, message=message, help=f"do not install it; {finding.help}")
