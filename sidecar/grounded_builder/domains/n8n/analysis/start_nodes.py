"""Which nodes start a workflow."""

from __future__ import annotations

from grounded_builder.ir.graph import ResolvedNode

# n8n refuses to publish a workflow that only these start.
MANUAL = frozenset({"n8n-nodes-base.manualTrigger", "@n8n/n8n-nodes-langchain.manualChatTrigger"})


def is_start(bound: ResolvedNode) -> bool:
    """Returns whether a run can begin at this node, by a person, a clock, a poll or a call."""
    traits = bound.spec.traits
    return bool(traits.get("trigger") or traits.get("polling"))
