"""Render diagnostics for people and for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grounded_builder import __version__
from grounded_builder.diagnostics.diagnostic import Diagnostic, Verdict, pointer
from grounded_builder.diagnostics.position import Position, locate
from grounded_builder.diagnostics.report import as_json
from grounded_builder.diagnostics.rules import RULES

_MARK = {"error": "error", "warning": "warning", "info": "note"}
_SARIF_LEVEL = {"error": "error", "warning": "warning", "info": "note"}


@dataclass(frozen=True, slots=True)
class Judged:
    """One input with its verdict, ready to be shown; ``text`` is the source as it was read."""

    source: str
    text: str
    verdict: Verdict
    diagnostics: tuple[Diagnostic, ...]


def as_text(judged: Judged) -> str:
    """One line a finding, with its place in the source, then its help."""
    places = locate(judged.text, (d.at for d in judged.diagnostics))
    lines: list[str] = []
    for diagnostic in judged.diagnostics:
        rule = diagnostic.rule
        place = places[diagnostic.at]
        node = f" [{diagnostic.node}]" if diagnostic.node else ""
        lines.append(
            f"{judged.source}:{place.line}:{place.column}: {_MARK[rule.severity]} "
            f"{rule.code} {rule.name}{node}: {diagnostic.message}"
        )
        if diagnostic.help:
            lines.append(f"    help: {diagnostic.help}")
        if diagnostic.fix is not None:
            kind = "safe fix" if diagnostic.fix.safe else "possible fix"
            lines.append(f"    {kind}: {diagnostic.fix.reason}")
    lines.append(f"{judged.source}: {judged.verdict}")
    return "\n".join(lines)


def as_github(judged: Judged) -> str:
    """Workflow commands that put annotations on a pull request."""
    places = locate(judged.text, (d.at for d in judged.diagnostics))
    level = {"error": "error", "warning": "warning", "info": "notice"}
    lines = []
    for diagnostic in judged.diagnostics:
        place = places[diagnostic.at]
        title = _escaped(f"{diagnostic.code} {diagnostic.rule.name}", in_property=True)
        where = f"file={_escaped(judged.source, in_property=True)},line={place.line}"
        lines.append(
            f"::{level[diagnostic.rule.severity]} {where},col={place.column},title={title}::"
            f"{_escaped(diagnostic.message)}"
        )
    return "\n".join(lines)


def as_sarif(inputs: Sequence[Judged]) -> dict[str, Any]:
    """A SARIF 2.1.0 log over all inputs, one result a finding."""
    results = [result for judged in inputs for result in _sarif_results(judged)]
    used = {result["ruleId"] for result in results}
    rules = [
        {
            "id": rule.code,
            "name": rule.name,
            "shortDescription": {"text": rule.summary},
            "defaultConfiguration": {"level": _SARIF_LEVEL[rule.severity]},
        }
        for rule in RULES
        if rule.code in used
    ]
    driver = {"name": "grounded", "version": __version__, "rules": rules}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }


def for_model(diagnostics: Sequence[Diagnostic]) -> str:
    """Findings as one short numbered list that a model can act on; notes are left out."""
    lines = []
    shown = [diagnostic for diagnostic in diagnostics if diagnostic.rule.severity != "info"]
    for number, diagnostic in enumerate(shown, 1):
        place = pointer(diagnostic.at) or "/"
        lines.append(f"{number}. {diagnostic.rule.name} at {place}: {diagnostic.message}")
        if diagnostic.alternatives:
            lines.append(f"   use one of: {', '.join(diagnostic.alternatives)}")
        if diagnostic.help:
            lines.append(f"   {diagnostic.help}")
    return "\n".join(lines)


def _sarif_results(judged: Judged) -> list[dict[str, Any]]:
    places = locate(judged.text, (d.at for d in judged.diagnostics))
    return [
        {
            "ruleId": diagnostic.code,
            "level": _SARIF_LEVEL[diagnostic.rule.severity],
            "message": {"text": diagnostic.message},
            "locations": [_sarif_place(judged.source, places[diagnostic.at])],
            "properties": as_json(diagnostic),
        }
        for diagnostic in judged.diagnostics
    ]


def _sarif_place(source: str, place: Position) -> dict[str, Any]:
    region = {"startLine": place.line, "startColumn": place.column}
    return {"physicalLocation": {"artifactLocation": {"uri": source}, "region": region}}


def _escaped(text: str, *, in_property: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text
