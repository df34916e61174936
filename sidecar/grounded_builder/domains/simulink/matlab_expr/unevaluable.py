"""Finds missing operators and size conflicts by which MATLAB cannot evaluate an expression."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from grounded_builder.domains.simulink.matlab_expr.ast import Term
from grounded_builder.domains.simulink.matlab_expr.constant import Known
from grounded_builder.domains.simulink.matlab_expr.evaluate import evaluate
from grounded_builder.domains.simulink.matlab_expr.scan import RejectedValueError, Token, scan

_ELEMENTWISE = frozenset("+ - .* ./ .\\ .^ == ~= != < <= > >= & |".split())
# Functions that create matrices of the given size.
_SIZED = frozenset({"zeros", "ones", "eye"})
_WORDS = frozenset({"number", "name"})


def find_missing_operator(text: str) -> str | None:
    """Returns a finding for two values without an operator, such as a number and a unit.

    None where there are none. In brackets they are elements of a row. The body of a function handle
    follows its arguments.
    """
    try:
        tokens = scan(text.strip())
    except RejectedValueError:
        return None
    if any(token.kind == "line" or token.text in ("@", "=", ";", "{") for token in tokens):
        return None
    depth = 0
    for before, after in pairwise(tokens):
        depth += (before.text == "[") - (before.text == "]")
        if depth == 0 and _ends_value(before) and after.kind in _WORDS:
            return f'there is no operator between "{before.text}" and "{after.text}"'
    return None


def _ends_value(token: Token) -> bool:
    return token.kind in _WORDS or (token.kind == "mark" and token.text in ")]")


def find_size_conflict(term: Term) -> str | None:
    """Returns why sizes in an expression do not match; None where that is not proven."""
    for part in term.parts:
        if (reason := find_size_conflict(part)) is not None:
            return reason
    if term.kind == "matrix":
        return _find_ragged_rows(term)
    if term.kind == "binary":
        left, right = (_literal(part) for part in term.parts)
        if left is not None and right is not None:
            return _clash(term.text, left, right)
    return None


def _find_ragged_rows(term: Term) -> str | None:
    """Returns why the rows or elements of a matrix do not match; None where they may."""
    widths: set[int] = set()
    for row in term.parts:
        cells = [_literal(part) for part in row.parts]
        known = [cell for cell in cells if cell is not None and cell.rows * cell.columns]
        if len({item.rows for item in known}) > 1:
            return "parts of a row differ in their heights"
        if len(known) == len(cells):
            widths.add(sum(item.columns for item in known))
    return "its rows differ in their lengths" if len(widths) > 1 else None


def _clash(mark: str, left: Known, right: Known) -> str | None:
    results, two = (left.rows, left.columns), (right.rows, right.columns)
    rule = _RULES.get(mark)
    if mark in _ELEMENTWISE:
        # Newer releases expand a row and a column to a matrix.
        fits = all(a == b or 1 in (a, b) for a, b in zip(results, two, strict=True))
    elif rule is None or (mark != "^" and (1, 1) in (results, two)):
        return None
    else:
        fits = rule(results, two)
    text = f"{results[0]} by {results[1]} and {two[0]} by {two[1]}"
    return None if fits else f'"{mark}" cannot be applied to {text}'


_Size = tuple[int, int]
_RULES: Mapping[str, Callable[[_Size, _Size], bool]] = {
    "*": lambda item, two: item[1] == two[0],
    "/": lambda item, two: item[1] == two[1],
    "\\": lambda item, two: item[0] == two[0],
    "^": lambda item, two: (1, 1) in (item, two) and item[0] == item[1] and two[0] == two[1],
}


def _literal(term: Term) -> Known | None:
    """Returns the value of numeric literals; None for any other, since names can be anything."""
    if not _is_literal(term):
        return None
    known = evaluate(term)
    return None if known is None or known.of_text else known


def _is_literal(term: Term) -> bool:
    if term.kind == "call" and term.text not in _SIZED:
        return False
    kinds = ("number", "unary", "binary", "range", "row", "matrix", "call")
    return term.kind in kinds and all(map(_is_literal, term.parts))
