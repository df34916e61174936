"""The checks of the n8n domain, in the order in which they run."""

from __future__ import annotations

from grounded_builder.domain import Check

CHECKS: tuple[Check, ...] = ()
