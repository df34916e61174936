"""The seam to a domain that can change documents: a frozen value of callables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.edit_operations import Change, EditResult
from grounded_builder.ir.options import CompileOptions


@dataclass(frozen=True, slots=True)
class EditContext:
    """What changes are compiled against."""

    domain: Domain
    registry: Registry
    setting: CompileOptions


@dataclass(frozen=True, slots=True)
class Editor:
    """How a domain changes a document.

    ``apply`` carries changes out; ``told`` puts a document into lines for a drafter. ``meant``
    are the names of the nodes that words speak of, ``ends`` those after which nothing comes.
    ``timed`` makes changes by which a graph runs at the times that words tell, None when they
    tell none. ``alarm`` is a step that tells of a failed run by the named tool, or by one that
    the document uses. ``passes`` says whether a tool's result is made for what follows it.
    """

    apply: Callable[[Any, tuple[Change, ...], EditContext], EditResult]
    told: Callable[[Any, EditContext], str]
    meant: Callable[[Any, str, EditContext], tuple[str, ...]]
    ends: Callable[[Any, EditContext], tuple[str, ...]]
    timed: Callable[[Any, str, EditContext], list[dict[str, Any]] | None]
    alarm: Callable[[Any, str | None, EditContext], Mapping[str, Any]]
    passes: Callable[[str, EditContext], bool]
