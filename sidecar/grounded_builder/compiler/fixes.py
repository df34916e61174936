"""Applies fixes to a document, and reports what each one corrected and which values it lost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Edit, Route, new_diagnostic
from grounded_builder.ir.rules.artifact import CORRECTED
from grounded_builder.ir.rules.reading import UNREAD_KEY


class StaleEditError(Exception):
    """An edit refers to a place that the document does not have."""


def apply_fixes(
    document: Any, diagnostics: Iterable[Diagnostic]
) -> tuple[Any, tuple[Diagnostic, ...]]:
    """Applies the fixes that still fit; returns the document and the fixed diagnostics.

    Two fixes of one place, or of a list from which one removes an entry, are not applied together:
    the second waits for the next round. The given document is never changed.
    """
    touched: set[Route] = set()
    above: set[Route] = set()
    applied: list[Diagnostic] = []
    for diagnostic in diagnostics:
        edits = diagnostic.fix.edits if diagnostic.fix else ()
        if not diagnostic.fix or any(_overlaps(edit.at, touched, above) for edit in edits):
            continue
        changed = document
        try:
            for edit in edits:
                changed = apply_edit(changed, edit)
        except StaleEditError:
            continue
        document = changed
        for edit in edits:
            reach = _affected_route(edit)
            touched.add(reach)
            above.update(reach[:length] for length in range(len(reach)))
        applied.append(diagnostic)
    return document, tuple(applied)


def apply_edit(document: Any, edit: Edit) -> Any:
    """Returns a copy with the edit; raises StaleEditError if its place does not exist."""
    if not edit.at:
        return edit.value
    return _apply_to(document, edit.at, edit)


def note_correction(diagnostic: Diagnostic) -> Diagnostic:
    """Returns the note that a diagnostic was fixed, and how."""
    reason = diagnostic.fix.reason if diagnostic.fix else diagnostic.message
    return new_diagnostic(
        CORRECTED,
        diagnostic.at,
        reason,
        node=diagnostic.node,
        token=diagnostic.token,
        alternatives=diagnostic.alternatives,
    )


def report_losses(fixed: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Returns an open point for each diagnostic whose fix took a value out of the document."""
    return [
        new_diagnostic(
            UNREAD_KEY,
            diagnostic.at,
            f"{diagnostic.message}; it was left out",
            help=diagnostic.help,
            node=diagnostic.node,
            token=diagnostic.token,
            alternatives=diagnostic.alternatives,
        )
        for diagnostic in fixed
        if diagnostic.fix is not None and diagnostic.fix.loses
    ]


def _apply_to(value: Any, route: Route, edit: Edit) -> Any:
    key, rest = route[0], route[1:]
    copy: Any
    if isinstance(value, dict) and isinstance(key, str):
        copy = dict(value)
        is_present = key in copy
    elif isinstance(value, list) and isinstance(key, int):
        copy = list(value)
        is_present = 0 <= key < len(copy)
    else:
        raise StaleEditError(route)
    if rest:
        if not is_present:
            if edit.op != "set" or not isinstance(copy, dict) or not isinstance(rest[0], str):
                raise StaleEditError(route)
            copy[key] = {}
        copy[key] = _apply_to(copy[key], rest, edit)
        return copy
    return _apply_last(copy, key, is_present, edit)


def _apply_last(copy: Any, key: str | int, is_present: bool, edit: Edit) -> Any:
    if edit.op == "set":
        if isinstance(copy, list) and not is_present:
            raise StaleEditError((key,))
        copy[key] = edit.value
        return copy
    if not is_present:
        raise StaleEditError((key,))
    if edit.op == "remove":
        del copy[key]
        return copy
    if not isinstance(copy, dict) or edit.value in copy:
        raise StaleEditError((key,))
    return {edit.value if name == key else name: value for name, value in copy.items()}


def _affected_route(edit: Edit) -> Route:
    """Returns the route that an edit affects: the whole list if it removes an entry."""
    removed = edit.op == "remove" and isinstance(edit.at[-1:][0], int) if edit.at else False
    return edit.at[:-1] if removed else edit.at


def _overlaps(route: Route, touched: set[Route], above: set[Route]) -> bool:
    """Returns whether a touched route equals this one, contains it or is inside it.

    ``above`` are the routes that contain a touched one.
    """
    return route in above or is_inside(route, touched)


def is_inside(route: Route, routes: set[Route]) -> bool:
    """Returns whether a route is one of these, or leads into one."""
    return any(route[:length] in routes for length in range(len(route) + 1))
