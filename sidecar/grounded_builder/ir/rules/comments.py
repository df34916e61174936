"""Defines the rule constants about the comments of a document that hide findings."""

from __future__ import annotations

from grounded_builder.diagnostics import Rule

UNUSED_IGNORE = Rule.advice("GB113", "unused-ignore", "Note", "An ignore comment hides nothing.")
UNKNOWN_RULE = Rule.advice(
    "GB114", "unknown-rule", "Note", "An ignore comment names an unknown rule."
)
