"""Implements ``grounded explain``: shows the page of a rule, or lists all rules."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.diagnostics.rules import read_page
from grounded_builder.domains.rules import BY_CODE, BY_NAME, RULES
from grounded_builder.interfaces.cli.context import UnusableError
from grounded_builder.interfaces.cli.output import write_line


def explain(
    code: Annotated[str, typer.Argument(help="A code such as GB201, or a rule's name.")] = "",
) -> None:
    """Explain a diagnostic code; without one, list them all."""
    if not code:
        for rule in RULES:
            write_line(f"{rule.code}  {rule.kind:<10}  {rule.name:<26}  {rule.summary}")
        return
    rule_or_none = BY_CODE.get(code.upper()) or BY_NAME.get(code.lower())
    if rule_or_none is None:
        near = find_nearest(code, [*BY_CODE, *BY_NAME])
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        raise UnusableError(f"there is no rule {code!r}{hint}; `grounded explain` lists them")
    page = read_page(rule_or_none.code)
    if sys.stdout.isatty():
        Console().print(Markdown(page))
    else:
        write_line(page)
