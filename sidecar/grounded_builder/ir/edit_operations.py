"""Defines edits of a document (add, replace, set, remove, connect, rename) and their result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from grounded_builder.diagnostics import Route
from grounded_builder.ir.plan import Step

Relation = Literal["after", "before", "between", "on_error_of", "for", "beside", "alone"]


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a new step relative to existing nodes.

    ``output`` is the port of the preceding node. With ``inline`` the nodes after it follow the new
    step; otherwise the new step is a branch of its own.
    """

    relation: Relation
    nodes: tuple[str, ...]
    at: Route
    output: str | int | None = None
    inline: bool = False


@dataclass(frozen=True, slots=True)
class Add:
    """Adds a step at a position."""

    step: Step
    spot: Position
    at: Route


@dataclass(frozen=True, slots=True)
class Replace:
    """Replaces the tool of a node; parameters that both tools have are kept, ``step`` has the
    others.
    """

    node: str
    step: Step
    at: Route


@dataclass(frozen=True, slots=True)
class Set:
    """Sets parameters of a node, by loose names; the value None removes one."""

    node: str
    params: Mapping[str, Any]
    at: Route
    params_at: Route


@dataclass(frozen=True, slots=True)
class Remove:
    """Removes a node; with ``join`` its predecessors are connected to its successors."""

    node: str
    at: Route
    join: bool = True


@dataclass(frozen=True, slots=True)
class Connect:
    """Adds an edge between two nodes or, with ``cut``, removes it."""

    source: str
    target: str
    at: Route
    output: str | int | None = None
    input: str | int | None = None
    role: str | None = None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Rename:
    """Renames a node and every reference to it."""

    node: str
    to: str
    at: Route


@dataclass(frozen=True, slots=True)
class Switch:
    """Enables or disables a node."""

    node: str
    on: bool
    at: Route


Change = Add | Replace | Set | Remove | Connect | Rename | Switch


@dataclass(frozen=True, slots=True)
class EditResult:
    """A document after changes; ``touched`` are the names of changed and new nodes.

    ``notes`` has one line per change; ``renamed`` maps old names to new ones.
    """

    document: Any
    diagnostics: tuple[Any, ...]
    touched: frozenset[str]
    notes: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
