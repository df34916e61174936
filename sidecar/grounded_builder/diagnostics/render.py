"""Formats diagnostics as text, as GitHub annotations and for models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grounded_builder.diagnostics.diagnostic import Diagnostic, Verdict, to_pointer
from grounded_builder.diagnostics.escape import escape_invisible
from grounded_builder.diagnostics.excerpt import PLAIN, Look, excerpt
from grounded_builder.diagnostics.json_position import locate

_MARK = {"error": "error", "warning": "warning", "info": "note"}
_COLOUR = {"error": "bold red", "warning": "yellow", "info": "cyan"}
_VERDICT_COLOUR = {"wrong": "bold red", "incomplete": "yellow", "ok": "green"}


@dataclass(frozen=True, slots=True)
class CheckedInput:
    """One input with its verdict and diagnostics; ``text`` is the source as read.

    With ``placed`` the diagnostics have lines in the source; otherwise only node names.
    """

    source: str
    text: str
    verdict: Verdict
    diagnostics: tuple[Diagnostic, ...]
    placed: bool = True


def render_text(judged: CheckedInput, look: Look = PLAIN) -> str:
    """Returns one line per diagnostic, with its source line, a mark and its help."""
    places = locate(judged.text, (d.at for d in judged.diagnostics))
    source, name = _source_lines(judged), escape_invisible(judged.source)
    lines: list[str] = []
    for diagnostic in judged.diagnostics:
        rule = diagnostic.rule
        place = places[diagnostic.at]
        node = f" [{escape_invisible(diagnostic.node)}]" if diagnostic.node else ""
        gravity = look.paint(_MARK[rule.severity], _COLOUR[rule.severity])
        where = f"{name}:{place.line}:{place.column}" if judged.placed else name
        lines.append(
            f"{where}: {gravity} {rule.code} {rule.name}{node}: "
            f"{escape_invisible(diagnostic.message)}"
        )
        if diagnostic.at and judged.placed and rule.severity != "info":
            lines += excerpt(source, place, look)
        if diagnostic.help:
            lines.append(f"    help: {escape_invisible(diagnostic.help)}")
        if diagnostic.fix is not None:
            kind = "safe fix" if diagnostic.fix.safe else "possible fix"
            lines.append(f"    {kind}: {escape_invisible(diagnostic.fix.reason)}")
    verdict = look.paint(judged.verdict, _VERDICT_COLOUR[judged.verdict])
    lines.append(f"{name}: {verdict}")
    return "\n".join(lines)


def render_github(judged: CheckedInput) -> str:
    """Returns the workflow commands that annotate a pull request."""
    places = locate(judged.text, (d.at for d in judged.diagnostics))
    level = {"error": "error", "warning": "warning", "info": "notice"}
    lines = []
    for diagnostic in judged.diagnostics:
        place = places[diagnostic.at]
        title = _escape(f"{diagnostic.code} {diagnostic.rule.name}", in_property=True)
        where = f"file={_escape(judged.source, in_property=True)}"
        if judged.placed:
            where += f",line={place.line},col={place.column}"
        lines.append(
            f"::{level[diagnostic.rule.severity]} {where},title={title}::"
            f"{_escape(escape_invisible(diagnostic.message))}"
        )
    return "\n".join(lines)


def render_for_model(diagnostics: Sequence[Diagnostic]) -> str:
    """Returns the errors and warnings as a numbered list for a model.

    Alternatives that the message names already are not repeated.
    """
    lines = []
    shown = [diagnostic for diagnostic in diagnostics if diagnostic.rule.severity != "info"]
    for number, diagnostic in enumerate(shown, 1):
        place = to_pointer(diagnostic.at) or "/"
        lines.append(f"{number}. {diagnostic.rule.name} at {place}: {diagnostic.message}")
        if not all(name in diagnostic.message for name in diagnostic.alternatives):
            lines.append(f"   use one of: {', '.join(diagnostic.alternatives)}")
        if diagnostic.help:
            lines.append(f"   {diagnostic.help}")
    return "\n".join(lines)


def _source_lines(judged: CheckedInput) -> list[str]:
    """Returns the lines of a source; as for places, a line ends with a line feed."""
    return judged.text.split("\n") if judged.diagnostics else []


def _escape(text: str, *, in_property: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if in_property else text
