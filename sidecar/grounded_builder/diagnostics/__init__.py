"""What the compiler has to say: rules, diagnostics, verdicts and their renderings."""

from grounded_builder.diagnostics.diagnostic import (
    Diagnostic,
    Edit,
    Fix,
    Related,
    Route,
    Verdict,
    nearest,
    new_diagnostic,
    pointer,
    sorted_unique,
    verdict_of,
)
from grounded_builder.diagnostics.rules import BY_CODE, BY_NAME, RULES, Kind, Rule, Severity, Stage

__all__ = [
    "BY_CODE",
    "BY_NAME",
    "RULES",
    "Diagnostic",
    "Edit",
    "Fix",
    "Kind",
    "Related",
    "Route",
    "Rule",
    "Severity",
    "Stage",
    "Verdict",
    "nearest",
    "new_diagnostic",
    "pointer",
    "sorted_unique",
    "verdict_of",
]
