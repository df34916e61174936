"""Defines the rule constants about the order of steps: assumed, missing and cyclic dependencies."""

from __future__ import annotations

from grounded_builder.diagnostics import Rule

ASSUMED_ORDER = Rule.info(
    "GB310", "assumed-order", "A step without inputs follows the one before it."
)
SELF_DEPENDENCY = Rule.wrong(
    "GB320", "self-dependency", "InvalidDependency", "A step depends on itself."
)
MISSING_DEPENDENCY = Rule.wrong(
    "GB321",
    "missing-dependency",
    "InvalidDependency",
    "A step depends on a missing step or output.",
)
FORWARD_DEPENDENCY = Rule.wrong(
    "GB322", "forward-dependency", "InvalidDependency", "A step depends on a later one."
)
DEPENDENCY_CYCLE = Rule.wrong(
    "GB323", "dependency-cycle", "InvalidDependency", "Steps depend on each other in a cycle."
)
