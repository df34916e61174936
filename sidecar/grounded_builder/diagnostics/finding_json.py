"""Formats diagnostics as JSON: in full, or in the short form of other tools."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from grounded_builder.diagnostics.diagnostic import Diagnostic, to_pointer


def as_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """Returns a diagnostic with all its fields; places are JSON pointers."""
    rule = diagnostic.rule
    finding: dict[str, Any] = {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "class": rule.kind,
        "stage": rule.stage,
        "at": to_pointer(diagnostic.at),
        "node": diagnostic.node,
        "message": diagnostic.message,
        "help": diagnostic.help,
        "alternatives": list(diagnostic.alternatives),
        "related": [
            {"at": to_pointer(place.at), "message": place.message} for place in diagnostic.related
        ],
        "fix": None,
    }
    if diagnostic.fix is not None:
        finding["fix"] = {
            "safe": diagnostic.fix.safe,
            "reason": diagnostic.fix.reason,
            "edits": [
                {"op": edit.op, "at": to_pointer(edit.at)}
                | ({} if edit.op == "remove" else {"value": edit.value})
                for edit in diagnostic.fix.edits
            ],
        }
    return finding


def to_short_form(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """Returns the errors as plain JSON: type, tool name or id, message, severity, suggestions."""
    return [
        _to_short_finding(diagnostic)
        for diagnostic in diagnostics
        if diagnostic.rule.severity != "info"
    ]


def _to_short_finding(diagnostic: Diagnostic) -> dict[str, Any]:
    finding: dict[str, Any] = {"type": diagnostic.rule.error_type}
    if diagnostic.token is not None:
        finding["tool_name"] = diagnostic.token
    elif diagnostic.node is not None:
        finding["tool_name"] = diagnostic.node
    finding["message"] = diagnostic.message
    finding["severity"] = diagnostic.rule.severity
    finding["suggested_tools"] = list(diagnostic.alternatives)
    return finding
