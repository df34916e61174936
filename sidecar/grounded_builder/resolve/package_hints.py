"""Say of a name's package what can be said: one to install, or one that only looks like a known."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from rapidfuzz.distance import OSA

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import normal
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.resolve.diagnose import UNKNOWN_TOOL, UNVERIFIED_TOOL

_SHORTEST = 5
_LONG = 20
_OF_UNKNOWN = (UNKNOWN_TOOL, UNVERIFIED_TOOL)


def package_hints(
    diagnostics: Iterable[Diagnostic],
    registry: Registry,
    package_of: Callable[[str], str],
    core: Collection[str],
    installable: Collection[str],
) -> tuple[Diagnostic, ...]:
    """The findings, those about unknown names with what their package is.

    Only an ``installable`` package is ever suggested for installation; one that merely looks
    like another, installed, of the ``core`` or installable, is flagged.
    """
    known = {*registry.packages, *core, *installable}
    return tuple(
        _told(diagnostic, registry, package_of, known, installable) for diagnostic in diagnostics
    )


def look_alike(package: str, known: Iterable[str]) -> str | None:
    """The known package that another name could be taken for: a letter or two apart, or none."""
    shown = normal(package).strip().casefold()
    for name in sorted(known):
        if name == package or len(name) < _SHORTEST:
            continue
        most = 2 if len(name) >= _LONG else 1
        if OSA.distance(shown, name.casefold(), score_cutoff=most) <= most or _seems(shown, name):
            return name
    return None


def _seems(shown: str, name: str) -> bool:
    """Whether a name is another but for a few letters of other alphabets."""
    foreign = sum(not mark.isascii() for mark in shown)
    return (
        0 < 2 * foreign <= len(shown)
        and len(shown) == len(name)
        and all(
            mark == own or not mark.isascii()
            for mark, own in zip(shown, name.casefold(), strict=True)
        )
    )


def _told(
    finding: Diagnostic,
    registry: Registry,
    package_of: Callable[[str], str],
    known: Collection[str],
    installable: Collection[str],
) -> Diagnostic:
    package = package_of(finding.token or "") if finding.rule in _OF_UNKNOWN else ""
    if not package or package in registry.packages:
        return finding
    if package in installable:
        help_text = f"install {package}, which is allowed here, and sync the catalog"
        return replace(finding, help=f"{help_text}; or {finding.help}")
    similar = look_alike(package, known)
    if similar is None:
        return finding
    message = f'{finding.message}; its package "{package}" looks like {similar} and is another one'
    return replace(finding, message=message, help=f"do not install it; {finding.help}")
