"""Diagnostics as JSON: the full form, and the short form that other tools use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from grounded_builder.diagnostics.diagnostic import Diagnostic, pointer


def as_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """One diagnostic in full; places are JSON pointers."""
    rule = diagnostic.rule
    shown: dict[str, Any] = {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity,
        "class": rule.kind,
        "stage": rule.stage,
        "at": pointer(diagnostic.at),
        "node": diagnostic.node,
        "message": diagnostic.message,
        "help": diagnostic.help,
        "alternatives": list(diagnostic.alternatives),
        "related": [
            {"at": pointer(place.at), "message": place.message} for place in diagnostic.related
        ],
        "fix": None,
    }
    if diagnostic.fix is not None:
        shown["fix"] = {
            "safe": diagnostic.fix.safe,
            "reason": diagnostic.fix.reason,
            "edits": [
                {"op": edit.op, "at": pointer(edit.at)}
                | ({} if edit.op == "remove" else {"value": edit.value})
                for edit in diagnostic.fix.edits
            ],
        }
    return shown


def short_form(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """The plain error list of the field: type, tool name or id, message, severity, suggestions."""
    return [_short(diagnostic) for diagnostic in diagnostics if diagnostic.rule.severity != "info"]


def _short(diagnostic: Diagnostic) -> dict[str, Any]:
    shown: dict[str, Any] = {"type": diagnostic.rule.error_type}
    if diagnostic.token is not None:
        shown["tool_name"] = diagnostic.token
    elif diagnostic.node is not None:
        shown["tool_name"] = diagnostic.node
    shown["message"] = diagnostic.message
    shown["severity"] = diagnostic.rule.severity
    shown["suggested_tools"] = list(diagnostic.alternatives)
    return shown
