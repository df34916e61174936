"""Comments that hide findings."""

from __future__ import annotations

import pytest

from grounded_builder.diagnostics import Diagnostic, new_diagnostic
from grounded_builder.domains.n8n.read.comments import comments
from grounded_builder.domains.rules import BY_CODE
from grounded_builder.interfaces.cli.lint.selection import SelectionError, select
from grounded_builder.interfaces.cli.lint.suppressions import hide
from grounded_builder.ir.domain import Comment

AT = ("nodes", 0)
TYPE = new_diagnostic(BY_CODE["GB203"], (*AT, "type"), "near", node="a")
EDGE = new_diagnostic(BY_CODE["GB313"], ("connections", "a"), "dangling", node="a")
OTHER = new_diagnostic(BY_CODE["GB203"], ("nodes", 1, "type"), "near", node="b")
ALL = (TYPE, EDGE, OTHER)


def list_remaining(*texts: str, node: str | None = "a") -> tuple[Diagnostic, ...]:
    at = AT if node else ()
    return hide(ALL, [Comment(at, text, node) for text in texts])[0]


def test_a_note_hides_what_is_reported_of_its_node() -> None:
    """A comment without rules hides all findings of the node and of its edges."""
    assert list_remaining("grounded: ignore") == (OTHER,)


@pytest.mark.parametrize("word", ["GB203", "gb203", "near-miss-name", "GB2", "GB2, GB301"])
def test_a_note_hides_the_rules_it_names(word: str) -> None:
    """Rules are named by code, beginning of codes, or name."""
    assert list_remaining(f"Old node.\ngrounded: ignore {word} -- kept for the audit") == (
        EDGE,
        OTHER,
    )


def test_a_file_comment_hides_everywhere() -> None:
    """``ignore-file``, and any comment on the whole document, count for the whole document."""
    assert list_remaining("grounded: ignore-file GB203") == (EDGE,)
    assert list_remaining("grounded: ignore GB203", node=None) == (EDGE,)


def test_a_comment_that_hides_nothing_is_reported() -> None:
    """A stale comment is a finding at its node, as is one that names no rule."""
    assert [d.code for d in list_remaining("grounded: ignore N8N331")[-1:]] == ["GB113"]
    odd = list_remaining("grounded: ignore GB999x")
    assert [d.code for d in odd] == ["GB203", "GB313", "GB203", "GB114"]


def test_text_that_only_looks_alike_hides_nothing() -> None:
    """Other words after the mark are no comment of ours."""
    assert list_remaining("grounded: ignored by all", "ungrounded ignore") == ALL


def test_a_word_that_is_no_rule_names_the_nearest() -> None:
    """A misspelled rule is refused with what may be meant."""
    with pytest.raises(SelectionError, match="near-miss-name"):
        select(["near-mis-name"])


def test_notes_and_sticky_notes_are_comments() -> None:
    """A node's notes belong to the node, a sticky note to the workflow."""
    note = {"name": "S", "type": "n8n-nodes-base.stickyNote", "parameters": {"content": "two"}}
    document = {"nodes": [{"name": "A", "type": "x.y", "notes": "one"}, note, {"name": "B"}]}
    assert list(comments(document)) == [Comment(("nodes", 0), "one", "A"), Comment((), "two")]
    assert list(comments("no workflow")) == []
