"""Evaluates expressions and their shapes where these can be proven; finds huge matrices."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping

from grounded_builder.domains.simulink.matlab_expr.ast import Term
from grounded_builder.domains.simulink.matlab_expr.constant import (
    MOST_KNOWN,
    Known,
    Number,
    build_range,
    number_of,
    scalar,
    stack_horizontally,
    stack_vertically,
)
from grounded_builder.domains.simulink.matlab_expr.functions import FILLING, MOST_ELEMENTS

_CONSTANTS: Mapping[str, Number] = {
    "pi": math.pi,
    "inf": math.inf,
    "Inf": math.inf,
    "nan": math.nan,
    "NaN": math.nan,
    "eps": 2.0**-52,
    "i": 1j,
    "j": 1j,
    "true": 1.0,
    "false": 0.0,
    "realmax": 1.7976931348623157e308,
    "realmin": 2.2250738585072014e-308,
}
_SCALAR: Mapping[str, Callable[[float], Number]] = {
    "sqrt": lambda x: math.sqrt(x) if x >= 0 else cmath.sqrt(x),
    "exp": math.exp,
    "log": math.log,
    "log10": math.log10,
    "log2": math.log2,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "atan": math.atan,
    "abs": abs,
    "floor": math.floor,
    "ceil": math.ceil,
    "fix": math.trunc,
    "deg2rad": math.radians,
    "rad2deg": math.degrees,
    "double": float,
    "single": float,
}
_FILLED: Mapping[str, float] = {
    "zeros": 0.0,
    "ones": 1.0,
    "nan": math.nan,
    "NaN": math.nan,
    "inf": math.inf,
    "Inf": math.inf,
    "true": 1.0,
    "false": 0.0,
}


def evaluate(term: Term, variables: Mapping[str, Known] | None = None) -> Known | None:
    """Returns the value of an expression; None where it cannot be proven."""
    try:
        return _of(term, variables or {})
    except (ArithmeticError, ValueError, OverflowError, TypeError, RecursionError):
        return None


def shape_of(term: Term) -> tuple[int, int] | None:
    """Returns the rows and columns of a value; None where they cannot be proven."""
    known = evaluate(term)
    return None if known is None else (known.rows, known.columns)


def too_many(name: str, arguments: tuple[Term, ...]) -> bool:
    """Returns whether a function that fills a matrix creates more elements than any block takes.

    A size that depends on variables is unknown and accepted.
    """
    sizes = [number_of(evaluate(argument)) for argument in arguments]
    if name == ":":
        first, last = sizes[0], sizes[-1]
        step = sizes[1] if len(sizes) == 3 else 1.0
        if first is None or last is None or not step:
            return False
        return not abs((last - first) / step) <= MOST_ELEMENTS
    if name in ("linspace", "logspace"):
        return len(sizes) > 2 and sizes[2] is not None and not sizes[2] <= MOST_ELEMENTS
    if name == "repmat":
        sizes = sizes[1:]
    if name not in FILLING or not sizes:
        return False
    vector = evaluate(arguments[-1]) if len(arguments) < 3 else None
    if vector is not None and vector.elements is not None and len(vector.elements) > 1:
        sizes = [float(abs(element)) for element in vector.elements]
    total = 1.0
    for size in sizes:
        total *= abs(size) if size is not None else 1.0
    if len(sizes) == 1 and sizes[0] is not None:
        total *= abs(sizes[0])
    return not total <= MOST_ELEMENTS


def _of(term: Term, variables: Mapping[str, Known]) -> Known | None:
    match term.kind:
        case "number":
            return scalar(_number(term.text))
        case "text":
            return Known(1 if term.text else 0, len(term.text), None, of_text=True)
        case "name":
            if term.text in variables:
                return variables[term.text]
            known = _CONSTANTS.get(term.text)
            return None if known is None else scalar(known)
        case "unary":
            return _unary(term.text, _of(term.parts[0], variables))
        case "binary":
            left, right = (_of(part, variables) for part in term.parts)
            return _binary(term.text, left, right)
        case "range":
            return build_range([_of(part, variables) for part in term.parts])
        case "matrix":
            return _matrix(term, variables)
        case "call":
            return _call(term.text, [_of(part, variables) for part in term.parts])
        case "index" if not term.text:
            return _of(term.parts[0], variables)
    return None


def _number(text: str) -> Number:
    if text[:2] in ("0x", "0X"):
        return float(int(text, 16))
    if text[-1] in "ij":
        return complex(0, float(text[:-1].lower().replace("d", "e")))
    return float(text.lower().replace("d", "e"))


def _unary(mark: str, known: Known | None) -> Known | None:
    if known is None or known.of_text:
        return None
    if mark in ("'", ".'"):
        cells = known.elements
        if cells is not None:
            turned = (
                cells[row * known.columns + column]
                for column in range(known.columns)
                for row in range(known.rows)
            )
            plain = mark == ".'"
            cells = tuple(
                c if plain or not isinstance(c, complex) else c.conjugate() for c in turned
            )
        return Known(known.columns, known.rows, cells)
    if known.elements is None:
        return known
    made: dict[str, Callable[[Number], Number]] = {
        "-": lambda x: -x,
        "+": lambda x: x,
        "~": lambda x: float(not x),
    }
    return Known(known.rows, known.columns, tuple(map(made[mark], known.elements)))


def _binary(mark: str, left: Known | None, right: Known | None) -> Known | None:
    if left is None or right is None or left.of_text or right.of_text:
        return None
    single = (left.rows, left.columns) == (1, 1) or (right.rows, right.columns) == (1, 1)
    if mark == "*" and not single:
        return Known(left.rows, right.columns) if left.columns == right.rows else None
    if mark in ("/", "\\", "^") and not single:
        return None
    if mark == "^" and (left.rows, right.rows, left.columns, right.columns) != (1, 1, 1, 1):
        return None
    if mark in ("/", "\\") and (left if mark == "\\" else right).elements is None and not single:
        return None
    wide = right if (left.rows, left.columns) == (1, 1) else left
    if not single and (left.rows, left.columns) != (right.rows, right.columns):
        return None
    if left.elements is None or right.elements is None:
        return Known(wide.rows, wide.columns)
    count = wide.rows * wide.columns
    results = left.elements * count if len(left.elements) == 1 else left.elements
    two = right.elements * count if len(right.elements) == 1 else right.elements
    done = tuple(_apply(mark.lstrip("."), a, b) for a, b in zip(results, two, strict=True))
    return Known(wide.rows, wide.columns, done)


def _apply(mark: str, a: Number, b: Number) -> Number:
    if mark in ("/", "\\"):
        over, under = (a, b) if mark == "/" else (b, a)
        if under != 0:
            return over / under
        if isinstance(over, complex) or isinstance(under, complex):
            return math.nan
        if over == 0 or math.isnan(over):
            return math.nan
        return math.copysign(math.inf, over) * math.copysign(1, under)
    if mark == "+":
        return a + b
    if mark == "-":
        return a - b
    if mark == "*":
        return a * b
    if mark == "^":
        result: Number = a**b
        return result
    if isinstance(a, complex) or isinstance(b, complex):
        raise TypeError("complex numbers have no order")
    answers = {
        "<": a < b,
        "<=": a <= b,
        ">": a > b,
        ">=": a >= b,
        "==": a == b,
        "~=": a != b,
        "!=": a != b,
        "&": bool(a) and bool(b),
        "&&": bool(a) and bool(b),
        "|": bool(a) or bool(b),
        "||": bool(a) or bool(b),
    }
    return float(answers[mark])


def _matrix(term: Term, variables: Mapping[str, Known]) -> Known | None:
    rows: list[Known] = []
    for row in term.parts:
        joined = stack_horizontally([_of(part, variables) for part in row.parts])
        if joined is None:
            return None
        if joined.columns or joined.rows > 1:
            rows.append(joined)
    return stack_vertically(rows)


def _call(name: str, arguments: list[Known | None]) -> Known | None:
    if name in _CONSTANTS and not arguments:
        return scalar(_CONSTANTS[name])
    if name in ("zeros", "ones", "eye", *_FILLED):
        sizes = [number_of(argument) for argument in arguments]
        if not 1 <= len(sizes) <= 2 or any(size is None for size in sizes):
            return None
        rows, columns = (int(size or 0) for size in (sizes * 2)[:2])
        if rows * columns > MOST_KNOWN:
            return Known(rows, columns)
        if name == "eye":
            cells = [float(row == column) for row in range(rows) for column in range(columns)]
            return Known(rows, columns, tuple(cells))
        return Known(rows, columns, (_FILLED[name],) * (rows * columns))
    if name in _SCALAR and len(arguments) == 1 and arguments[0] is not None:
        given = arguments[0]
        if given.elements is None or any(isinstance(cell, complex) for cell in given.elements):
            return Known(given.rows, given.columns)
        real = (cell for cell in given.elements if not isinstance(cell, complex))
        return Known(given.rows, given.columns, tuple(map(_SCALAR[name], real)))
    return None
