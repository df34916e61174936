"""The library that a block's path lies in."""

from __future__ import annotations

# The categories of the base library since R2007; older files link into others.
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
    """The library of a path; of the base library, with a category that it does not have now."""
    root, slash, rest = path.partition("/")
    if not slash:
        return ""
    category = rest.partition("/")[0]
    if root == "simulink" and category not in _CATEGORIES:
        return f"{root}/{category}"
    return root
