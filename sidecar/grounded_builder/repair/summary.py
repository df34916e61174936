"""One sentence for a person: what was made, of which tools, what was corrected, what is open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grounded_builder.pipeline import Compilation
from grounded_builder.registry.registry import Registry

_NAMED = 12


def summary(
    compilation: Compilation, registry: Registry, todo: Sequence[str], unplaced: Iterable[str] = ()
) -> str:
    """The sentence for a compilation; tools are named as people see them."""
    if compilation.artifact is None:
        wrong = [d for d in compilation.diagnostics if d.rule.kind == "wrong"]
        reasons = "; ".join(d.message for d in wrong[:3])
        return f"Nothing was built: {reasons}." if reasons else "Nothing was built."
    tools = compilation.plan.nodes if compilation.plan is not None else ()
    ids = [str(node["tool_id"]) for node in tools if node.get("tool_id") in registry.tools]
    names = list(dict.fromkeys(registry.tools[tool].name for tool in ids))
    parts = [f"Built of {_joined(names[:_NAMED])}" if names else "Built"]
    if compilation.corrections:
        parts.append(f"{len(compilation.corrections)} faults were corrected")
    missed = list(unplaced)
    if missed:
        parts.append(f"not covered: {', '.join(missed)}")
    if todo:
        parts.append(f"still to fill in: {len(todo)} ({todo[0]}{', ...' if todo[1:] else ''})")
    return "; ".join(parts) + "."


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
