"""Findings as SARIF 2.1.0, which code scanning services read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

from grounded_builder import __version__
from grounded_builder.diagnostics.diagnostic import Diagnostic
from grounded_builder.diagnostics.finding_json import as_json
from grounded_builder.diagnostics.finding_key import fingerprint
from grounded_builder.diagnostics.json_position import Position, locate
from grounded_builder.diagnostics.render import Judged
from grounded_builder.diagnostics.rules import Rule

_LEVEL = {"error": "error", "warning": "warning", "info": "note"}


def as_sarif(inputs: Sequence[Judged]) -> dict[str, Any]:
    """A SARIF log over all inputs, one result a finding."""
    rules = {d.rule for judged in inputs for d in judged.diagnostics}
    return sarif_log([result for judged in inputs for result in sarif_results(judged)], rules)


def sarif_log(results: Iterable[dict[str, Any]], rules: Iterable[Rule]) -> dict[str, Any]:
    """Returns a SARIF log of these results; of the rules it lists those that a result names."""
    matches = list(results)
    used = {result["ruleId"] for result in matches}
    listed = sorted((rule for rule in rules if rule.code in used), key=lambda rule: rule.code)
    driver = {"name": "grounded", "version": __version__, "rules": [_rule(rule) for rule in listed]}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": matches}
        ],
    }


def sarif_results(judged: Judged) -> list[dict[str, Any]]:
    """One result for each finding of an input."""
    places = locate(judged.text, (d.at for d in judged.diagnostics))
    return [
        _result(judged.source, diagnostic, places[diagnostic.at] if judged.placed else None)
        for diagnostic in judged.diagnostics
    ]


def _result(source: str, diagnostic: Diagnostic, place: Position | None) -> dict[str, Any]:
    where: dict[str, Any] = {"artifactLocation": {"uri": _uri(source)}}
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
        "partialFingerprints": {"grounded/v1": fingerprint(diagnostic)},
        "properties": as_json(diagnostic),
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "help": {"text": _page(rule.code), "markdown": _page(rule.code)},
        "defaultConfiguration": {"level": _LEVEL[rule.severity]},
    }


@cache
def _page(code: str) -> str:
    return files("grounded_builder.diagnostics").joinpath(f"pages/{code}.md").read_text("utf-8")


def _uri(source: str) -> str:
    path = Path(source)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
