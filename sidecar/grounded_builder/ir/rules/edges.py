"""The rules about names, edges and ports that several domains share."""

from __future__ import annotations

from grounded_builder.diagnostics import Rule

DUPLICATE_NAME = Rule.wrong("GB311", "duplicate-name", "DuplicateName", "Two nodes share one name.")
DANGLING_EDGE = Rule.wrong(
    "GB313", "dangling-edge", "InvalidConnection", "An edge touches a node that is absent."
)
UNKNOWN_PORT = Rule.wrong(
    "GB314", "unknown-port", "InvalidConnection", "An edge uses a port the node lacks."
)
MISMATCHED_EDGE = Rule.wrong(
    "GB315", "mismatched-edge", "InvalidConnection", "The two ends differ in kind."
)
TOO_MANY_EDGES = Rule.wrong(
    "GB317", "too-many-edges", "InvalidConnection", "An input has more edges than it takes."
)
