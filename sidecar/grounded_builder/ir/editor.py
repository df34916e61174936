"""The seam to a domain that can change documents: a frozen value of callables."""

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
    """What changes are compiled against."""

    domain: Domain
    registry: Registry
    setting: CompileOptions


@dataclass(frozen=True, slots=True)
class Editor:
    """How a domain changes a document.

    ``apply`` carries changes out; ``describe`` puts a document into lines for a drafter.
    ``nodes_named`` are the names of the nodes that words speak of, ``final_nodes`` those after
    which nothing comes. ``schedule_changes`` makes changes by which a graph runs at the times that
    words tell, None when they tell none. ``failure_notification`` is a step that tells of a failed
    run by the named tool, or by one that the document uses. ``gives_items`` says whether a tool's
    result is made for what follows it.
    """

    apply: Callable[[Any, tuple[Change, ...], EditContext], EditResult]
    describe: Callable[[Any, EditContext], str]
    nodes_named: Callable[[Any, str, EditContext], tuple[str, ...]]
    final_nodes: Callable[[Any, EditContext], tuple[str, ...]]
    schedule_changes: Callable[[Any, str, EditContext], list[dict[str, Any]] | None]
    failure_notification: Callable[[Any, str | None, EditContext], Mapping[str, Any]]
    gives_items: Callable[[str, EditContext], bool]
