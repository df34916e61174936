"""Lists the nodes whose protocol has no server in a rehearsal, and what takes their place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.analysis.start_nodes import is_start
from grounded_builder.domains.n8n.rehearsal.workflow_copy import CopyOrder
from grounded_builder.domains.n8n.trial.choose_samples import Ask, samples_of
from grounded_builder.ir.graph import ResolvedNode

State = Literal["replaced", "left_out", "unable"]
"""What a rehearsal does with a node that has no server."""

_PREDICATES: Mapping[State, str] = {
    "replaced": "gives sample items",
    "left_out": "is left out",
    "unable": "cannot connect",
}
_OPTIONAL = frozenset({"ai_memory", "ai_tool"})


@dataclass(frozen=True, slots=True)
class UnservedNode:
    """A node that has no server to connect to, by its protocol.

    A memory or a tool is left out, since an agent runs without it. Another sub-node runs, and
    cannot connect.
    """

    node: str
    protocol: str
    state: State

    @property
    def runs(self) -> bool:
        """Whether the node runs its own code."""
        return self.state == "unable"

    @property
    def reason(self) -> str:
        """What the node does in a rehearsal, and what is not proven."""
        effect = describe_state(self.state)
        proof = "" if self.runs else ", and what it sends is not proven"
        return f"it speaks {self.protocol}, which has no server here: it {effect}{proof}"


def describe_state(state: State) -> str:
    """Returns what a node in this state does, as a predicate."""
    return _PREDICATES[state]


def list_unserved(
    order: CopyOrder, name_protocol: Callable[[ResolvedNode], str]
) -> tuple[UnservedNode, ...]:
    """Returns the enabled nodes without a server, but triggers and those whose items are given."""
    kinds: dict[str, set[str]] = {}
    for edge in order.resolved.graph.edges:
        if edge.source_kind != MAIN:
            kinds.setdefault(edge.source, set()).add(edge.source_kind)
    return tuple(
        UnservedNode(bound.node.name, protocol, _choose_state(kinds.get(bound.node.name)))
        for bound in order.resolved.nodes
        if not bound.node.disabled
        and not is_start(bound)
        and bound.node.name not in order.items
        and (protocol := name_protocol(bound))
    )


def replace_unserved(order: CopyOrder, unserved: Sequence[UnservedNode], ask: Ask) -> CopyOrder:
    """Returns the order with sample items of nodes that are replaced, and without the left out."""
    names = frozenset(item.node for item in unserved if item.state == "replaced")
    samples = samples_of(order.resolved, names, {}, ask) if names else {}
    given = {name: sample.items for name, sample in samples.items()}
    left_out = frozenset(item.node for item in unserved if item.state == "left_out")
    return replace(order, items={**order.items, **given}, left_out=left_out)


def _choose_state(kinds: Collection[str] | None) -> State:
    """Returns the state of a node that serves others by connections of these kinds."""
    if not kinds:
        return "replaced"
    return "left_out" if _OPTIONAL.issuperset(kinds) else "unable"


def explain_replaced(unserved: Sequence[UnservedNode], order: CopyOrder) -> Mapping[str, str]:
    """Returns why nodes without a server do not run, and what of the order has no effect."""
    return dict(_explain(unserved, order))


def _explain(unserved: Sequence[UnservedNode], order: CopyOrder) -> Iterator[tuple[str, str]]:
    for item in unserved:
        if not item.runs:
            given = item.node in order.faults or item.node in order.answers
            unused = "; the fault or answer that is given for it has no effect" if given else ""
            yield item.node, f"{item.reason}{unused}"
