"""Determines the library of a block path, and its category if the base library removed that."""

from __future__ import annotations

# The categories of the base library since R2007; older files link to others.
_CATEGORIES = frozenset(
    {
        "Additional Math & Discrete",
        "Commonly Used Blocks",
        "Continuous",
        "Dashboard",
        "Discontinuities",
        "Discrete",
        "Logic and Bit Operations",
        "Lookup Tables",
        "Math Operations",
        "Matrix Operations",
        "Messages & Events",
        "Model Verification",
        "Model-Wide Utilities",
        "Ports & Subsystems",
        "Quick Insert",
        "Signal Attributes",
        "Signal Routing",
        "Sinks",
        "Sources",
        "String",
        "User-Defined Functions",
    }
)


def package_of(path: str) -> str:
    """Returns the library of a path; for a removed category of the base library, with its name."""
    root, slash, rest = path.partition("/")
    if not slash:
        return ""
    category = rest.partition("/")[0]
    if root == "simulink" and category not in _CATEGORIES:
        return f"{root}/{category}"
    return root
