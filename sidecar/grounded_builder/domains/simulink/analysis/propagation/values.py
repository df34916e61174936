"""Evaluates block parameters without a workspace: numbers, lists, counts, types and shapes."""

from __future__ import annotations

import re
from functools import lru_cache

from grounded_builder.domains.simulink.analysis.model_view import BlockView
from grounded_builder.domains.simulink.analysis.propagation.signal import Shape
from grounded_builder.domains.simulink.matlab_expr import (
    Known,
    RejectedValueError,
    evaluate,
    number_of,
    parse,
)
from grounded_builder.domains.simulink.matlab_expr.ast import Term

_MOST = 1_000_000
# Names of numbers in MATLAB that models often use for variables of their own.
_DOUBTFUL = frozenset("i j e".split())
_PLAIN = frozenset("pi inf Inf nan NaN eps realmax realmin".split())
_NAMED = re.compile(r"\b(?:pi|inf|nan|eps|realmax|realmin|true|false)\b", re.IGNORECASE)
_FILLED = frozenset("zeros ones eye nan NaN inf Inf".split())


def value(item: BlockView, name: str, otherwise: str | None = None) -> Known | None:
    """Returns the number or matrix of a parameter; None where a variable or a file decides."""
    text = item.value(name, otherwise)
    if text is None or (_NAMED.search(text) and _is_shadowed(text, item)):
        return None
    return evaluate_literals(text)


def _is_shadowed(text: str, item: BlockView) -> bool:
    """Returns whether a mask around a block redefines a name in a value of the block."""
    owner = item.diagram.owner
    while owner is not None:
        own = owner.block.get("mask", {}).get("parameters", {})
        if any(name in own for name in _NAMED.findall(text)):
            return True
        owner = owner.diagram.owner
    return False


def number(item: BlockView, name: str, otherwise: str | None = None) -> float | None:
    """Returns the real number that a parameter is; None for any other value."""
    return number_of(value(item, name, otherwise))


def numbers(item: BlockView, name: str) -> list[float] | None:
    """Returns the real numbers of a vector or matrix, row by row."""
    return list_reals(value(item, name))


def list_reals(constant: Known | None) -> list[float] | None:
    """Returns the elements of a value where all of them are known and real."""
    if constant is None or constant.elements is None:
        return None
    elements = [float(cell) for cell in constant.elements if not isinstance(cell, complex)]
    return elements if len(elements) == len(constant.elements) else None


def read_count(number: float | None) -> int | None:
    """Returns a value as a count or index; None where it is neither, or above any real count."""
    if number is None or not abs(number) <= _MOST or number != int(number):
        return None
    return int(number)


def read_counts(constant: Known | None) -> list[int] | None:
    """Returns the elements of a value where all of them are counts or indices."""
    results = [read_count(cell) for cell in list_reals(constant) or ()]
    counts = [cell for cell in results if cell is not None]
    return counts if counts and len(counts) == len(results) else None


@lru_cache(8192)
def evaluate_literals(text: str) -> Known | None:
    """Returns the value of a text; None unless it consists of literals."""
    try:
        term = parse(text)
    except RejectedValueError:
        return None
    if _has_doubtful_name(term):
        return None
    result = evaluate(term)
    return None if result is None or result.of_text else result


@lru_cache(8192)
def literal_type(text: str) -> str | None:
    """Returns the type of a literal: ``double``, ``boolean``, or None where it is open."""
    try:
        term = parse(text)
    except RejectedValueError:
        return None
    if term.kind == "name" and term.text in ("true", "false"):
        return "boolean"
    return "double" if _is_double(term) else None


def shape(constant: Known, *, flat: bool = True) -> Shape:
    """Returns the shape of a value; ``flat`` makes rows and columns vectors."""
    if flat and 1 in (constant.rows, constant.columns):
        return (constant.rows * constant.columns,)
    return (constant.rows, constant.columns)


def _has_doubtful_name(term: Term) -> bool:
    return (term.kind == "name" and term.text in _DOUBTFUL) or any(
        map(_has_doubtful_name, term.parts)
    )


def _is_double(term: Term) -> bool:
    """Returns whether an expression consists of numbers of double precision."""
    if term.kind == "number":
        return term.text[:2] not in ("0x", "0X", "0b", "0B")
    if term.kind == "name":
        return term.text in _PLAIN
    if term.kind == "call":
        return term.text in _FILLED and all(map(_is_double, term.parts))
    if term.kind == "binary" and term.text not in ("+", "-", "*", "/", "^", ".*", "./", ".^"):
        return False
    if term.kind == "unary" and term.text == "~":
        return False
    kinds = ("unary", "binary", "range", "row", "matrix", "list")
    return term.kind in kinds and all(map(_is_double, term.parts))
