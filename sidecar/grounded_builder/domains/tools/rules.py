"""Lists the rules of the tools domain, collected from the modules that define them."""

from __future__ import annotations

from grounded_builder.diagnostics import Rule, rules_in
from grounded_builder.domains.tools.check import arguments

RULES: tuple[Rule, ...] = rules_in(
    arguments,
)
