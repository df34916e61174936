"""Determines whether a run can start at a node, and lists the manual trigger types."""

from __future__ import annotations

from grounded_builder.ir.graph import ResolvedNode

# n8n does not publish a workflow that has only these triggers.
MANUAL = frozenset({"n8n-nodes-base.manualTrigger", "@n8n/n8n-nodes-langchain.manualChatTrigger"})


def is_start(bound: ResolvedNode) -> bool:
    """Returns whether a run can start at this node."""
    traits = bound.spec.traits
    return bool(traits.get("trigger") or traits.get("polling"))
