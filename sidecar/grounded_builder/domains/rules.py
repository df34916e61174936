"""Collects the rules of the core and of all domains into one table.

A rule is a constant beside the code that emits it. A module that defines one is named in the
``rules.py`` of its package.
"""

from __future__ import annotations

from grounded_builder.compiler.rules import RULES as CORE_RULES
from grounded_builder.diagnostics import Rule
from grounded_builder.domains.n8n.rules import RULES as N8N_RULES
from grounded_builder.domains.simulink.rules import RULES as SIMULINK_RULES
from grounded_builder.domains.tools.rules import RULES as TOOLS_RULES

# Sorted by code: the core's (GB), then those of the domains (N8N, SLX, TLS).
RULES: tuple[Rule, ...] = tuple(
    sorted({*CORE_RULES, *N8N_RULES, *SIMULINK_RULES, *TOOLS_RULES}, key=lambda rule: rule.code)
)
BY_CODE: dict[str, Rule] = {rule.code: rule for rule in RULES}
BY_NAME: dict[str, Rule] = {rule.name: rule for rule in RULES}
