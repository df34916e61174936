"""Defines rules, diagnostics and verdicts, and formats them for people and programs."""

from grounded_builder.diagnostics.diagnostic import (
    Diagnostic,
    Edit,
    Fix,
    Related,
    Route,
    Verdict,
    new_diagnostic,
    sorted_unique,
    to_pointer,
    verdict_of,
    within_size,
)
from grounded_builder.diagnostics.rules import Kind, Rule, Severity, Stage

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
    "new_diagnostic",
    "sorted_unique",
    "to_pointer",
    "verdict_of",
    "within_size",
]
