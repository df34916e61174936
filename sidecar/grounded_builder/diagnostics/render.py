"""Render diagnostics for people and for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grounded_builder.diagnostics.diagnostic import Diagnostic, Verdict, pointer
from grounded_builder.diagnostics.escape import visible
from grounded_builder.diagnostics.excerpt import PLAIN, Look, excerpt
from grounded_builder.diagnostics.json_position import locate

_MARK = {"error": "error", "warning": "warning", "info": "note"}
_COLOUR = {"error": "bold red", "warning": "yellow", "info": "cyan"}
_VERDICT_COLOUR = {"wrong": "bold red", "incomplete": "yellow", "ok": "green"}


@dataclass(frozen=True, slots=True)
class Judged:
    """One input with its verdict, ready to be shown; ``text`` is the source as it was read.

    Of an input that is not ``placed`` nobody sees lines: the nodes alone say where findings lie.
    """

    source: str
    text: str
    verdict: Verdict
    diagnostics: tuple[Diagnostic, ...]
    placed: bool = True


def as_text(judged: Judged, look: Look = PLAIN) -> str:
    """One line a finding, with its place in the source, then that place marked, then its help."""
    places = locate(judged.text, (d.at for d in judged.diagnostics))
    source, name = _source_lines(judged), visible(judged.source)
    lines: list[str] = []
    for diagnostic in judged.diagnostics:
        rule = diagnostic.rule
        place = places[diagnostic.at]
        node = f" [{visible(diagnostic.node)}]" if diagnostic.node else ""
        gravity = look.painted(_MARK[rule.severity], _COLOUR[rule.severity])
        where = f"{name}:{place.line}:{place.column}" if judged.placed else name
        lines.append(
            f"{where}: {gravity} {rule.code} {rule.name}{node}: {visible(diagnostic.message)}"
        )
        if diagnostic.at and judged.placed and rule.severity != "info":
            lines += excerpt(source, place, look)
        if diagnostic.help:
            lines.append(f"    help: {visible(diagnostic.help)}")
        if diagnostic.fix is not None:
            kind = "safe fix" if diagnostic.fix.safe else "possible fix"
            lines.append(f"    {kind}: {visible(diagnostic.fix.reason)}")
    verdict = look.painted(judged.verdict, _VERDICT_COLOUR[judged.verdict])
    lines.append(f"{name}: {verdict}")
    return "\n".join(lines)


def as_github(judged: Judged) -> str:
    """Workflow commands that put annotations on a pull request."""
    places = locate(judged.text, (d.at for d in judged.diagnostics))
    level = {"error": "error", "warning": "warning", "info": "notice"}
    lines = []
    for diagnostic in judged.diagnostics:
        place = places[diagnostic.at]
        title = _escaped(f"{diagnostic.code} {diagnostic.rule.name}", in_property=True)
        where = f"file={_escaped(judged.source, in_property=True)}"
        if judged.placed:
            where += f",line={place.line},col={place.column}"
        lines.append(
            f"::{level[diagnostic.rule.severity]} {where},title={title}::"
            f"{_escaped(visible(diagnostic.message))}"
        )
    return "\n".join(lines)


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


def _source_lines(judged: Judged) -> list[str]:
    """The lines of a source, split as places are counted: a line ends with a line feed."""
    return judged.text.split("\n") if judged.diagnostics else []


def _escaped(text: str, *, in_property: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text
