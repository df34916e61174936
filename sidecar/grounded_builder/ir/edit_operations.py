"""The language of changes: what a drafter may write about a document that exists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from grounded_builder.diagnostics import Route
from grounded_builder.ir.plan import Step

Relation = Literal["after", "before", "between", "on_error_of", "for", "beside", "alone"]


@dataclass(frozen=True, slots=True)
class Position:
    """Where a new step goes, told by the nodes around it.

    ``output`` is the port of the node before. With ``inline`` what followed that node follows
    the new step; without it the step is a branch of its own.
    """

    relation: Relation
    nodes: tuple[str, ...]
    at: Route
    output: str | int | None = None
    inline: bool = False


@dataclass(frozen=True, slots=True)
class Add:
    """A new step and where it goes."""

    step: Step
    spot: Position
    at: Route


@dataclass(frozen=True, slots=True)
class Replace:
    """Another tool in the place of a node's; what both take is kept, ``step`` says the rest."""

    node: str
    step: Step
    at: Route


@dataclass(frozen=True, slots=True)
class Set:
    """Parameters of a node, loosely named; a value of None takes one away."""

    node: str
    params: Mapping[str, Any]
    at: Route
    params_at: Route


@dataclass(frozen=True, slots=True)
class Remove:
    """A node goes; with ``join`` what led to it leads to what it led to."""

    node: str
    at: Route
    join: bool = True


@dataclass(frozen=True, slots=True)
class Connect:
    """An edge between two nodes, made or, with ``cut``, taken away."""

    source: str
    target: str
    at: Route
    output: str | int | None = None
    input: str | int | None = None
    role: str | None = None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Rename:
    """Another name for a node, wherever it is spoken of."""

    node: str
    to: str
    at: Route


@dataclass(frozen=True, slots=True)
class Switch:
    """A node is turned on or off and stays where it is."""

    node: str
    on: bool
    at: Route


Change = Add | Replace | Set | Remove | Connect | Rename | Switch


@dataclass(frozen=True, slots=True)
class EditResult:
    """A document after changes; ``touched`` are the names of nodes that changed or are new.

    ``notes`` tell what was done, a line for each; ``renamed`` leads from old names to new ones.
    """

    document: Any
    diagnostics: tuple[Any, ...]
    touched: frozenset[str]
    notes: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
