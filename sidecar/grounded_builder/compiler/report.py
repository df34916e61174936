"""Formats the result of a compilation as the JSON that every interface returns."""

from __future__ import annotations

from typing import Any

from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.diagnostics.finding_json import as_json, to_short_form


def compilation_report(
    compilation: Compilation, ms: float | None = None, **extra: Any
) -> dict[str, Any]:
    """Returns the report of one compilation; ``extra`` fields such as ``id`` come first."""
    report: dict[str, Any] = {
        **extra,
        "verdict": compilation.verdict,
        "diagnostics": [as_json(diagnostic) for diagnostic in compilation.diagnostics],
        "errors": to_short_form(compilation.diagnostics),
        "catalog": compilation.catalog,
    }
    if compilation.corrections:
        report["fixes"] = [as_json(diagnostic) for diagnostic in compilation.corrections]
    if ms is not None:
        report["ms"] = round(ms, 3)
    return report
