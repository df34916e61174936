"""Removes ignored and accepted findings of a document; decides its verdict and whether it fails."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.diagnostics import Diagnostic, Verdict, sorted_unique, verdict_of
from grounded_builder.interfaces.cli.lint.baseline import Baseline
from grounded_builder.interfaces.cli.lint.configuration import Configuration, FailOn
from grounded_builder.interfaces.cli.lint.suppressions import MARK, hide
from grounded_builder.ir.domain import Domain, find_comments

_FAILING: dict[FailOn, frozenset[str]] = {
    "never": frozenset(),
    "wrong": frozenset({"wrong"}),
    "incomplete": frozenset({"wrong", "incomplete"}),
    "advice": frozenset({"wrong", "incomplete", "advice"}),
}


@dataclass(frozen=True, slots=True)
class LintResult:
    """The findings of one document; ``hidden`` counts the ignored ones, ``known`` the accepted
    ones.
    """

    verdict: Verdict
    diagnostics: tuple[Diagnostic, ...]
    hidden: int
    known: int


def lint(
    compilation: Compilation,
    domain: Domain,
    file: Path,
    text: str,
    configuration: Configuration,
    baseline: Baseline | None,
) -> LintResult:
    """Drops findings hidden by configuration, comments and baseline; the verdict follows from the
    rest.
    """
    ignored = configuration.ignores(file)
    diagnostics = tuple(d for d in compilation.diagnostics if d.rule not in ignored)
    hidden = len(compilation.diagnostics) - len(diagnostics)
    if MARK in text:
        comments = find_comments(compilation.document, domain)
        diagnostics, by_comment = hide(diagnostics, comments)
        diagnostics = tuple(d for d in diagnostics if d.rule not in ignored)
        hidden += by_comment
    known = 0
    if baseline is not None:
        diagnostics, known = baseline.fresh(configuration.relative(file), diagnostics)
    diagnostics = sorted_unique(diagnostics)
    return LintResult(verdict_of(diagnostics), diagnostics, hidden, known)


def fails(linted: LintResult, fail_on: FailOn) -> bool:
    """Returns whether findings of the failing class are left; notes never count."""
    classes = _FAILING[fail_on]
    return any(d.rule.kind in classes and d.rule.severity != "info" for d in linted.diagnostics)
