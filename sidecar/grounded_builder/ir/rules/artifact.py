"""Defines the rule constants about what goes into an artifact."""

from __future__ import annotations

from grounded_builder.diagnostics import Rule

NOT_ALLOWED = Rule.wrong("GB401", "not-allowed", "PolicyError", "The policy does not allow this.")
CORRECTED = Rule.info("GB402", "corrected", "A mechanical error was corrected.")
