"""Apply the edits of fixes to a document, each change a copy along its route only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Edit, Route, new_diagnostic
from grounded_builder.ir.rules.artifact import CORRECTED


class StaleEditError(Exception):
    """An edit points to a place that the document does not have."""


def apply_fixes(
    document: Any, diagnostics: Iterable[Diagnostic]
) -> tuple[Any, tuple[Diagnostic, ...]]:
    """Apply the fix of each diagnostic that still applies; returns the document and those applied.

    Two fixes that touch one place, or a list from which one takes an entry, are not applied
    together: the second waits for the next round. The given document is never changed.
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
            reach = _reach(edit)
            touched.add(reach)
            above.update(reach[:length] for length in range(len(reach)))
        applied.append(diagnostic)
    return document, tuple(applied)


def apply_edit(document: Any, edit: Edit) -> Any:
    """One edit on a copy; StaleEditError when its place is not there."""
    if not edit.at:
        return edit.value
    return _apply_to(document, edit.at, edit)


def corrections_of(diagnostic: Diagnostic) -> Diagnostic:
    """The note that a finding was corrected and how."""
    reason = diagnostic.fix.reason if diagnostic.fix else diagnostic.message
    return new_diagnostic(
        CORRECTED,
        diagnostic.at,
        reason,
        node=diagnostic.node,
        token=diagnostic.token,
        alternatives=diagnostic.alternatives,
    )


def _apply_to(value: Any, route: Route, edit: Edit) -> Any:
    key, rest = route[0], route[1:]
    copy: Any
    if isinstance(value, dict) and isinstance(key, str):
        copy = dict(value)
        present = key in copy
    elif isinstance(value, list) and isinstance(key, int):
        copy = list(value)
        present = 0 <= key < len(copy)
    else:
        raise StaleEditError(route)
    if rest:
        if not present:
            if edit.op != "set" or not isinstance(copy, dict) or not isinstance(rest[0], str):
                raise StaleEditError(route)
            copy[key] = {}
        copy[key] = _apply_to(copy[key], rest, edit)
        return copy
    return _last(copy, key, present, edit)


def _last(copy: Any, key: str | int, present: bool, edit: Edit) -> Any:
    if edit.op == "set":
        if isinstance(copy, list) and not present:
            raise StaleEditError((key,))
        copy[key] = edit.value
        return copy
    if not present:
        raise StaleEditError((key,))
    if edit.op == "remove":
        del copy[key]
        return copy
    if not isinstance(copy, dict) or edit.value in copy:
        raise StaleEditError((key,))
    return {edit.value if name == key else name: item for name, item in copy.items()}


def _reach(edit: Edit) -> Route:
    """The part of the document that an edit moves: a list as a whole when it loses an entry."""
    removed = edit.op == "remove" and isinstance(edit.at[-1:][0], int) if edit.at else False
    return edit.at[:-1] if removed else edit.at


def _overlaps(route: Route, touched: set[Route], above: set[Route]) -> bool:
    """Whether a touched route is this one, above it or below it; ``above`` are those above one."""
    return route in above or any(route[:length] in touched for length in range(len(route) + 1))
