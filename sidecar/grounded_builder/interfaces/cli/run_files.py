"""Reads the files beside a workflow that is run, and writes the findings about it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grounded_builder.diagnostics import Diagnostic
from grounded_builder.diagnostics.render import CheckedInput, render_text
from grounded_builder.interfaces.cli.context import UnusableError
from grounded_builder.interfaces.cli.inputs import Document
from grounded_builder.interfaces.cli.output import write_line


def read_json(path: str) -> Any:
    """Reads a JSON file; raises UnusableError where it is none."""
    try:
        return json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UnusableError(f"{path}: {error}") from error


def write_findings(document: Document, diagnostics: Sequence[Diagnostic]) -> None:
    """Writes the findings about a document without their summary."""
    text = document.raw.decode("utf-8", "replace")
    judged = CheckedInput(document.source, text, "wrong", tuple(diagnostics))
    for line in render_text(judged).splitlines()[:-1]:
        write_line(line)
