"""Formats diagnostics as SARIF 2.1.0 for code scanning services."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from grounded_builder import __version__
from grounded_builder.diagnostics.diagnostic import Diagnostic, finding_key
from grounded_builder.diagnostics.finding_json import as_json
from grounded_builder.diagnostics.json_position import Position, locate
from grounded_builder.diagnostics.render import CheckedInput
from grounded_builder.diagnostics.rules import Rule, read_page

_LEVEL = {"error": "error", "warning": "warning", "info": "note"}


def sarif_log(results: Iterable[dict[str, Any]], rules: Iterable[Rule]) -> dict[str, Any]:
    """Returns a SARIF log of these results, with the rules that the results refer to."""
    matches = list(results)
    used = {result["ruleId"] for result in matches}
    listed = sorted((rule for rule in rules if rule.code in used), key=lambda rule: rule.code)
    driver = {
        "name": "grounded",
        "version": __version__,
        "rules": [_rule_json(rule) for rule in listed],
    }
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": matches}
        ],
    }


def sarif_results(judged: CheckedInput) -> list[dict[str, Any]]:
    """Returns one SARIF result for each diagnostic of an input."""
    places = locate(judged.text, (d.at for d in judged.diagnostics))
    return [
        _result_json(judged.source, diagnostic, places[diagnostic.at] if judged.placed else None)
        for diagnostic in judged.diagnostics
    ]


def _result_json(source: str, diagnostic: Diagnostic, place: Position | None) -> dict[str, Any]:
    where: dict[str, Any] = {"artifactLocation": {"uri": _to_uri(source)}}
    location: dict[str, Any] = {"physicalLocation": where}
    if place is not None:
        where["region"] = {"startLine": place.line, "startColumn": place.column}
        if place.length > 1:
            where["region"]["endColumn"] = place.column + place.length
    elif diagnostic.node:
        location["logicalLocations"] = [
            {"fullyQualifiedName": diagnostic.node, "kind": "element"},
        ]
    return {
        "ruleId": diagnostic.code,
        "level": _LEVEL[diagnostic.rule.severity],
        "message": {"text": diagnostic.message},
        "locations": [location],
        "partialFingerprints": {"grounded/v1": finding_key(diagnostic)},
        "properties": as_json(diagnostic),
    }


def _rule_json(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "help": {"text": read_page(rule.code), "markdown": read_page(rule.code)},
        "defaultConfiguration": {"level": _LEVEL[rule.severity]},
    }


def _to_uri(source: str) -> str:
    path = Path(source)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
