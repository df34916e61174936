"""Determines which nodes the runs of a rehearsal reached, and why the others did not run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from grounded_builder.domains.n8n.analysis.links import Wiring, build_wiring, by_output
from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.check.flow.triggers import NOTE
from grounded_builder.domains.n8n.rehearsal.execution import Execution
from grounded_builder.domains.n8n.rehearsal.variants import Kind, Variant
from grounded_builder.ir.graph import ResolvedGraph

NO_TRIGGER = "no trigger leads to it"
"""The reason of a node that data from no trigger reaches."""

_SHOWN_MESSAGE = 120


@dataclass(frozen=True, slots=True)
class UnreachedNode:
    """A node that no run reached, with the reason."""

    node: str
    reason: str


@dataclass(slots=True)
class _NodeRecord:
    """What the runs show of a node: the first run that reached it, outputs with items."""

    first: Variant
    outputs: set[int] = field(default_factory=set)
    natural_outputs: set[int] = field(default_factory=set)
    sends: bool = False


class Coverage:
    """The nodes that runs reached, of a workflow with these triggers.

    A node that a run has replaced does not count as reached by that run. ``unserved`` are nodes
    that every run replaces, with the reason.
    """

    def __init__(
        self,
        resolved: ResolvedGraph,
        triggers: Sequence[str],
        unserved: Mapping[str, str] | None = None,
    ) -> None:
        self.wiring: Wiring = build_wiring(resolved)
        self._resolved = resolved
        self._triggers = triggers
        self._unserved = unserved or {}
        self._records: dict[str, _NodeRecord] = {}
        self._ends: dict[str, str] = {}
        self._startable = {trigger: self._follow([trigger]) for trigger in triggers}

    def add(self, variant: Variant, execution: Execution, senders: Sequence[str]) -> None:
        """Adds a run; ``senders`` are the nodes that sent requests in it."""
        for step in execution.steps:
            given = {i for i, items in enumerate(step.outputs.get(MAIN, ())) if items}
            if variant.is_changed(step.node) or self._skips(step.node):
                continue
            record = self._records.setdefault(step.node, _NodeRecord(variant))
            record.outputs |= given
            record.sends |= step.node in senders
            if variant.is_natural:
                record.natural_outputs |= given
        for name, reason in self._find_ends(execution):
            self._ends.setdefault(name, reason[:_SHOWN_MESSAGE])

    def leave_out(self, trigger: str, reason: str) -> None:
        """Notes why no run began from a trigger."""
        self._ends.setdefault(trigger, reason)

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """The first kind of run that reached each node."""
        return {name: record.first.kind for name, record in self._records.items()}

    @property
    def ends(self) -> Mapping[str, str]:
        """The nodes at which runs ended, with what they did."""
        return self._ends

    def find_first(self, node: str) -> Variant | None:
        """Returns the first run that reached a node."""
        record = self._records.get(node)
        return None if record is None else record.first

    def list_senders(self) -> frozenset[str]:
        """Returns the nodes that sent requests in any run."""
        return frozenset(name for name, record in self._records.items() if record.sends)

    def sends(self, node: str) -> bool:
        """Returns whether a node sent a request in any run."""
        return node in self._records and self._records[node].sends

    def gives_items(self, node: str, output: int, *, natural: bool = False) -> bool:
        """Returns whether an output of a node had items in any run, or in any natural run."""
        record = self._records.get(node)
        if record is None:
            return False
        return output in (record.natural_outputs if natural else record.outputs)

    def _find_ends(self, execution: Execution) -> Iterator[tuple[str, str]]:
        """Yields the nodes that ended a run, or that n8n refuses to run, with the reason."""
        failure = execution.failure
        if failure is not None and failure.node in self._resolved.by_name:
            yield failure.node, "it waits" if execution.waits else f"it failed: {failure.message}"
        elif failure is not None and not execution.steps:
            for name, bound in self._resolved.by_name.items():
                words = (f"'{name}'", f'"{name}"', f"type: {bound.node.tool}")
                if any(word in failure.message for word in words):
                    yield name, f"n8n does not run it: {failure.message}"
        elif execution.status == "stopped" and execution.steps:
            last = max(execution.steps, key=lambda step: step.end_ms)
            for edge in self.wiring.after.get(last.node, ()):
                if edge.target not in self._records and not self._skips(edge.target):
                    yield edge.target, "it did not end in time"

    def list_unreached(self, trigger: str | None = None) -> list[str]:
        """Returns the nodes that no run reached and that a trigger leads to, or this one."""
        chosen = self._triggers if trigger is None else (trigger,)
        startable = set[str]().union(*(self._startable[name] for name in chosen))
        return [
            name
            for name, bound in self._resolved.by_name.items()
            if name in startable
            and name not in self._records
            and name not in self._unserved
            and not bound.node.disabled
        ]

    def list_open_outputs(self, trigger: str) -> Iterator[tuple[str, int]]:
        """Yields the outputs of reached nodes by which an unreached node follows directly."""
        unreached = set(self.list_unreached(trigger))
        for name in self._startable[trigger] & self._records.keys():
            for output, edges in sorted(by_output(name, self.wiring.after).items()):
                if any(self._find_roots(edge.target) & unreached for edge in edges):
                    yield name, output

    def outputs_towards(self, node: str, unreached: set[str]) -> frozenset[int]:
        """Returns the outputs of a node that lead to any of these nodes."""
        return frozenset(
            output
            for output, edges in by_output(node, self.wiring.after).items()
            if self._follow([edge.target for edge in edges]) & unreached
        )

    def explain_unreached(self) -> Iterator[UnreachedNode]:
        """Yields every node that no run reached, with the reason."""
        startable = set[str]().union(*self._startable.values()) if self._startable else set()
        for name, bound in self._resolved.by_name.items():
            if name in self._records or bound.node.tool == NOTE:
                continue
            if bound.node.disabled:
                reason = "it is disabled"
            elif name in self._unserved:
                reason = self._unserved[name]
            elif name not in startable:
                reason = NO_TRIGGER
            else:
                reason = self._explain(name)
            yield UnreachedNode(name, reason)

    def _explain(self, name: str) -> str:
        if name in self._ends:
            return self._ends[name]
        for edge in self.wiring.served.get(name, ()):
            if edge.target in self._records:
                return f'"{edge.target}" ran and did not call it'
            return f'"{edge.target}", which it serves, did not run'
        sources = [
            edge for edge in self.wiring.before.get(name, ()) if not self._skips(edge.source)
        ]
        for edge in sources:
            if edge.source in self._ends:
                return f'it is behind "{edge.source}": {self._ends[edge.source]}'
        for edge in sources:
            if edge.source in self._records:
                output = name_output(self.wiring, edge.source, edge.source_index)
                return f'{output} of "{edge.source}" gave no items'
        return f'it is behind "{sources[0].source}", which did not run' if sources else "unknown"

    def _skips(self, name: str) -> bool:
        bound = self._resolved.by_name.get(name)
        return bound is None or bound.node.disabled

    def _find_roots(self, target: str) -> set[str]:
        """Returns a node, or the first enabled ones behind it where it is disabled."""
        if not self._skips(target):
            return {target}
        return {name for name in self._follow([target]) if not self._skips(name)}

    def _follow(self, starts: Sequence[str]) -> set[str]:
        """Returns these nodes, those that data from them reaches, and the sub-nodes of all."""
        found: set[str] = set()
        stack = list(starts)
        while stack:
            name = stack.pop()
            if name in found:
                continue
            found.add(name)
            stack += [edge.target for edge in self.wiring.after.get(name, ())]
            stack += [edge.source for edge in self.wiring.serving.get(name, ())]
        return found


def name_output(wiring: Wiring, node: str, output: int) -> str:
    """Returns how n8n's editor names an output of a node, or its number."""
    known = wiring.ports[node].outputs if node in wiring.ports else None
    ports = (known or {}).get(MAIN, ())
    named = output < len(ports) and ports[output].name
    return f'output "{ports[output].name}"' if named else f"output {output + 1}"
