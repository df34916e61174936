"""Reads comments such as ``grounded: ignore N8N331``, hides their findings, reports unused ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from grounded_builder.diagnostics import Diagnostic, new_diagnostic
from grounded_builder.interfaces.cli.lint.selection import (
    EVERYTHING,
    Selection,
    SelectionError,
    select,
)
from grounded_builder.ir.domain import Comment
from grounded_builder.ir.rules.comments import UNKNOWN_RULE, UNUSED_IGNORE

MARK = "grounded:"
_COMMENT = re.compile(
    r"grounded:[ \t]*ignore(?P<file>-file)?(?![-\w])(?P<rules>(?:[ \t,]+(?!--)[\w-]+)*)"
)


@dataclass(frozen=True, slots=True)
class Ignore:
    """One ignore comment: the rules it hides, on its node or in the whole document."""

    comment: Comment
    whole: bool
    rules: Selection
    text: str

    def hides(self, diagnostic: Diagnostic) -> bool:
        """Returns whether a finding has one of these rules and lies at this place."""
        if diagnostic.rule not in self.rules:
            return False
        at = self.comment.at
        named = self.comment.node is not None and diagnostic.node == self.comment.node
        return self.whole or named or (bool(at) and diagnostic.at[: len(at)] == at)


def hide(
    diagnostics: tuple[Diagnostic, ...], comments: Iterable[Comment]
) -> tuple[tuple[Diagnostic, ...], int]:
    """Returns the findings that no comment hides, with one for each unused comment, and the number
    hidden.
    """
    ignores: list[Ignore] = []
    odd: list[Diagnostic] = []
    for comment in comments:
        for ignore in _ignores(comment):
            (ignores if isinstance(ignore, Ignore) else odd).append(ignore)  # type: ignore[arg-type]
    used: set[int] = set()
    visible: list[Diagnostic] = []
    for diagnostic in diagnostics:
        hiding = [index for index, ignore in enumerate(ignores) if ignore.hides(diagnostic)]
        used.update(hiding)
        if not hiding:
            visible.append(diagnostic)
    hidden = len(diagnostics) - len(visible)
    odd += [_report_unused(ignore) for index, ignore in enumerate(ignores) if index not in used]
    return (*visible, *odd), hidden


def _ignores(comment: Comment) -> Iterator[Ignore | Diagnostic]:
    for match in _COMMENT.finditer(comment.text):
        words = [word for word in re.split(r"[\s,]+", match["rules"]) if word]
        try:
            rules = select(words) if words else EVERYTHING
        except SelectionError as error:
            yield new_diagnostic(
                UNKNOWN_RULE,
                comment.at,
                f'the comment "{match[0]}" names no rule: {error}',
                help="name rules by code or name; `grounded explain` lists them",
                node=comment.node,
                token=match[0],
            )
            continue
        whole = bool(match["file"]) or comment.node is None
        yield Ignore(comment, whole, rules, match[0])


def _report_unused(ignore: Ignore) -> Diagnostic:
    return new_diagnostic(
        UNUSED_IGNORE,
        ignore.comment.at,
        f'the comment "{ignore.text}" hides nothing',
        help="remove the comment",
        node=ignore.comment.node,
        token=ignore.text,
    )
