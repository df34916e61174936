"""Lists the rules of the core, collected from the modules that define them."""

from __future__ import annotations

from grounded_builder.compiler import (
    approval,
    duplicate_keys,
    goal_coverage,
    name_search,
    parse,
    receipt,
    resolve_graph,
    resolve_plan,
    stated_values,
)
from grounded_builder.diagnostics import Rule, rules_in
from grounded_builder.ir.rules import artifact, comments, edges, order, parameters, reading
from grounded_builder.resolve import diagnose

RULES: tuple[Rule, ...] = rules_in(
    approval,
    artifact,
    comments,
    diagnose,
    duplicate_keys,
    edges,
    goal_coverage,
    name_search,
    order,
    parameters,
    parse,
    reading,
    receipt,
    resolve_graph,
    resolve_plan,
    stated_values,
)
