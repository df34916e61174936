"""Lists the approvals that findings ask for."""

from __future__ import annotations

from collections.abc import Iterable

from grounded_builder.diagnostics import Diagnostic


def list_required_approvals(diagnostics: Iterable[Diagnostic]) -> tuple[str, ...]:
    """Returns the approvals that a person who approves everything would give."""
    return tuple(
        diagnostic.token
        for diagnostic in diagnostics
        if diagnostic.code == "GB404" and diagnostic.token
    )
