"""Defines how a run of a rehearsal differs from the workflow's own run, and describes it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from grounded_builder.domains.n8n.expectations import Fault
from grounded_builder.ir.graph import Edge

ABSENT = object()
"""The value of a field that is not there."""

Kind = Literal["natural", "sample", "fault", "called", "forced", "scenario"]
"""The workflow as it is, with other values, with failing services, with sub-nodes that a rehearsed
agent calls, with changed nodes, or in the scenario of an expectation."""


@dataclass(frozen=True, slots=True)
class WantedValue:
    """A value that an item of a node gets: of the trigger's sample, or of an invented answer.

    ``ABSENT`` removes the field.
    """

    node: str
    path: tuple[str | int, ...]
    value: Any

    def write(self, item: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the item with the value; containers on the way are made where they lack."""
        written = _write(item, self.path, self.value)
        return written if isinstance(written, dict) else dict(item)


def _write(level: Any, path: tuple[str | int, ...], value: Any) -> Any:
    if not path:
        return value
    step = path[0]
    if isinstance(step, int):
        listed = list(level) if isinstance(level, list) else []
        if value is ABSENT and not path[1:]:
            return listed[:step]
        listed += [{} for _ in range(step + 1 - len(listed))]
        listed[step] = _write(listed[step], path[1:], value)
        return listed
    fields = dict(level) if isinstance(level, Mapping) else {}
    fields[step] = _write(fields.get(step), path[1:], value)
    return {name: field for name, field in fields.items() if field is not ABSENT}


@dataclass(frozen=True, slots=True)
class Variant:
    """One run to make, from a trigger.

    ``forced`` has the outputs whose followers get the input of a node, without a decision;
    ``replaced`` the nodes that give sample items in place of their own, with the reason;
    ``callers`` the nodes in whose place an agent calls sub-nodes.
    ``reason`` says why the run is made, nothing for the workflow's own run.
    """

    trigger: str
    kind: Kind = "natural"
    reason: str = ""
    values: tuple[WantedValue, ...] = ()
    faults: Mapping[str, Fault] = field(default_factory=dict)
    forced: Mapping[str, frozenset[int]] = field(default_factory=dict)
    replaced: Mapping[str, str] = field(default_factory=dict)
    callers: Mapping[str, tuple[Edge, ...]] = field(default_factory=dict)

    @property
    def is_natural(self) -> bool:
        """Whether the run is the workflow's own, which expectations judge."""
        return self.kind == "natural"

    def is_changed(self, node: str) -> bool:
        """Returns whether the run has something else in place of a node."""
        return node in self.forced or node in self.replaced or node in self.callers


NATURAL = Variant("")


def describe_values(values: Sequence[WantedValue]) -> Iterator[str]:
    """Yields what items have in a run."""
    for wanted in values:
        path = ".".join(map(str, wanted.path))
        content = "absent" if wanted.value is ABSENT else json.dumps(wanted.value)
        yield f'{path} of "{wanted.node}" is {content}'


def describe_changes(forced: Mapping[str, str], replaced: Mapping[str, str]) -> Iterator[str]:
    """Yields what a run changes; the values name the outputs, and the reasons."""
    for node, outputs in forced.items():
        yield f'"{node}" is forced to give its input to {outputs}'
    for node, reason in replaced.items():
        yield f'"{node}" is replaced by sample items, since {reason}'
