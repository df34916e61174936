"""Rejects values of a draft that the tool would ignore."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from grounded_builder.diagnostics import Diagnostic
from grounded_builder.ir.rules.parameters import IGNORED_VALUE


def reject_ignored_values(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Returns the findings, with an error for each written value that has no effect.

    A drafter wrote the value for a purpose, so the fix that gives it an effect is safe. In the
    workflow of a person it would change what runs.
    """
    return [_reject(item) if _is_ignored(item) else item for item in findings]


def _is_ignored(finding: Diagnostic) -> bool:
    rule = finding.rule
    is_advice = rule.kind == "advice" and rule.severity != "info"
    return is_advice and rule.error_type == IGNORED_VALUE.error_type


def _reject(finding: Diagnostic) -> Diagnostic:
    fix = finding.fix and replace(finding.fix, safe=True)
    return replace(finding, rule=IGNORED_VALUE, fix=fix)
