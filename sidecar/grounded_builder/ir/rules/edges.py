"""Defines the rule constants about names, edges and ports that several domains share."""

from __future__ import annotations

from grounded_builder.diagnostics import Rule

DUPLICATE_NAME = Rule.wrong(
    "GB311", "duplicate-name", "DuplicateName", "Two nodes have the same name."
)
DANGLING_EDGE = Rule.wrong(
    "GB313", "dangling-edge", "InvalidConnection", "An edge refers to a missing node."
)
UNKNOWN_PORT = Rule.wrong(
    "GB314", "unknown-port", "InvalidConnection", "An edge uses a port the node lacks."
)
MISMATCHED_EDGE = Rule.wrong(
    "GB315", "mismatched-edge", "InvalidConnection", "The two ends of an edge differ in kind."
)
TOO_MANY_EDGES = Rule.wrong(
    "GB317", "too-many-edges", "InvalidConnection", "An input has more edges than it takes."
)
