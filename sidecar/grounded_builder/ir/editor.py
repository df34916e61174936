"""Defines a domain's callables that change its documents, and the context in which they compile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.ir.edit_operations import Change, EditResult
from grounded_builder.ir.options import CompileOptions

if TYPE_CHECKING:
    from grounded_builder.ir.domain import Domain  # which holds an editor


@dataclass(frozen=True, slots=True)
class EditContext:
    """The domain, registry and options with which changes are compiled."""

    domain: Domain
    registry: Registry
    options: CompileOptions


@dataclass(frozen=True, slots=True)
class Editor:
    """How a domain changes a document.

    ``apply`` carries out changes. ``describe`` returns a document as lines for a drafter.
    ``nodes_named`` returns the names of the nodes that a text mentions, ``final_nodes`` the nodes
    without successors. ``schedule_changes`` returns the changes that run a graph at the times in a
    text, None if it has none. ``failure_notification`` returns a step that reports a failed run
    with the given tool, or with one that the document uses. ``gives_items`` returns whether a
    tool's result is meant for the nodes after it.
    """

    apply: Callable[[Any, tuple[Change, ...], EditContext], EditResult]
    describe: Callable[[Any, EditContext], str]
    nodes_named: Callable[[Any, str, EditContext], tuple[str, ...]]
    final_nodes: Callable[[Any, EditContext], tuple[str, ...]]
    schedule_changes: Callable[[Any, str, EditContext], list[dict[str, Any]] | None]
    failure_notification: Callable[[Any, str | None, EditContext], Mapping[str, Any]]
    gives_items: Callable[[str, EditContext], bool]
