"""Edits on routes."""

from __future__ import annotations

import pytest

from grounded_builder.compiler.fixes import StaleEditError, apply_edit, apply_fixes
from grounded_builder.diagnostics import Edit, Fix, new_diagnostic
from grounded_builder.domains.rules import BY_CODE

DOCUMENT = {"nodes": [{"name": "a", "parameters": {"x": 1}}], "other": {"kept": True}}


@pytest.mark.parametrize(
    ("edit", "place", "value"),
    [
        (Edit("set", ("nodes", 0, "name"), "b"), ("nodes", 0, "name"), "b"),
        (Edit("set", ("nodes", 0, "new", "deep"), 1), ("nodes", 0, "new"), {"deep": 1}),
        (Edit("remove", ("nodes", 0, "parameters", "x")), ("nodes", 0, "parameters"), {}),
        (
            Edit("rename", ("nodes", 0, "parameters", "x"), "y"),
            ("nodes", 0, "parameters"),
            {"y": 1},
        ),
    ],
)
def test_an_edit_changes_its_place_and_nothing_else(
    edit: Edit, place: tuple[str | int, ...], value: object
) -> None:
    """The copy has the change, the original is untouched, and the rest is shared."""
    changed = apply_edit(DOCUMENT, edit)
    at = changed
    for part in place:
        at = at[part]
    assert at == value
    assert DOCUMENT["nodes"] == [{"name": "a", "parameters": {"x": 1}}]
    assert changed["other"] is DOCUMENT["other"]


@pytest.mark.parametrize(
    "edit",
    [
        Edit("remove", ("nodes", 3)),
        Edit("set", ("nodes", 3, "name"), "b"),
        Edit("rename", ("nodes", 0, "absent"), "y"),
        Edit("rename", ("nodes", 0, "name"), "parameters"),
        Edit("set", ("other", "kept", "deeper"), 1),
    ],
)
def test_an_edit_of_an_absent_place_is_stale(edit: Edit) -> None:
    """An edit never invents list entries, overwrites a name or enters a scalar."""
    with pytest.raises(StaleEditError):
        apply_edit(DOCUMENT, edit)


def test_fixes_on_one_place_wait_for_each_other() -> None:
    """If two fixes touch one place, the first is applied."""
    diagnostic = new_diagnostic(
        BY_CODE["GB203"], (), "one", fix=Fix(True, (Edit("set", ("other",), 1),), "one")
    )
    two = new_diagnostic(
        BY_CODE["GB203"], (), "two", fix=Fix(True, (Edit("remove", ("other", "kept")),), "two")
    )
    changed, applied = apply_fixes(DOCUMENT, [diagnostic, two])
    assert changed["other"] == 1
    assert applied == (diagnostic,)


def test_a_fix_applies_whole_or_not() -> None:
    """A fix with one stale edit leaves the document as it was."""
    edits = (Edit("set", ("other",), 1), Edit("remove", ("absent",)))
    changed, applied = apply_fixes(
        DOCUMENT, [new_diagnostic(BY_CODE["GB203"], (), "m", fix=Fix(True, edits, "r"))]
    )
    assert changed is DOCUMENT
    assert applied == ()


def test_a_list_that_lost_an_entry_waits() -> None:
    """The places of the other entries have moved: their fixes come in the next round."""
    document = {"nodes": ["a", "b", "c"]}
    diagnostic = new_diagnostic(
        BY_CODE["GB312"], (), "one", fix=Fix(True, (Edit("remove", ("nodes", 0)),), "one")
    )
    two = new_diagnostic(
        BY_CODE["GB312"], (), "two", fix=Fix(True, (Edit("remove", ("nodes", 1)),), "two")
    )
    assert apply_fixes(document, [diagnostic, two]) == ({"nodes": ["b", "c"]}, (diagnostic,))
