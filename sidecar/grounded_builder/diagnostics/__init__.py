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
from grounded_builder.diagnostics.rules import Kind, Rule, Severity, Stage, rules_in

__all__ = [
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
    "rules_in",
    "sorted_unique",
    "verdict_of",
]
