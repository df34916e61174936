"""Deeply nested JSON from outside ends no request: every reader handles RecursionError."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import grounded_builder

_ROOT = Path(grounded_builder.__file__).parent
_REJECTED = {"ValueError", "JSONDecodeError"}


def test_json_reader_catches_recursion_errors() -> None:
    """``json.loads`` raises ValueError for malformed texts and RecursionError for deep ones."""
    files = sorted(_ROOT.rglob("*.py"))
    places = [place for file in files for place in _find_unguarded(file)]
    assert places == []


def _find_unguarded(file: Path) -> Iterator[str]:
    for statement in ast.walk(ast.parse(file.read_text("utf-8"))):
        if not isinstance(statement, ast.Try) or not any(map(_loads, statement.body)):
            continue
        caught = {name for handler in statement.handlers for name in _names_in(handler.type)}
        if caught & _REJECTED and "RecursionError" not in caught:
            yield f"{file.relative_to(_ROOT)}:{statement.lineno}"


def _loads(statement: ast.stmt) -> bool:
    return any(
        isinstance(call, ast.Call) and ast.unparse(call.func) == "json.loads"
        for call in ast.walk(statement)
    )


def _names_in(caught: ast.expr | None) -> set[str]:
    if caught is None:
        return set()
    return {
        part.attr if isinstance(part, ast.Attribute) else part.id
        for part in ast.walk(caught)
        if isinstance(part, ast.Attribute | ast.Name)
    }
