"""Plain parameter values are accepted, and values with side effects rejected."""

from __future__ import annotations

import math

import pytest

from grounded_builder.domains.simulink.matlab_expr import (
    Known,
    RejectedValueError,
    evaluate,
    number_of,
    parse,
    shape_of,
)

PLAIN = {
    "1": (1, 1),
    "-0.5e-3": (1, 1),
    "0x1F": (1, 1),
    "[1 -2]": (1, 2),
    "[1 - 2]": (1, 1),
    "[1, 2; 3, 4]": (2, 2),
    "[1 2\n3 4]": (2, 2),
    "[1 2 ... more\n 3]": (1, 3),
    "[1;2]'": (1, 2),
    "2*pi*50": (1, 1),
    "0:0.5:2": (1, 5),
    "zeros(3, 2)": (3, 2),
    "eye(2)*4": (2, 2),
    "[0 1; 2 3].^2": (2, 2),
    "-inf": (1, 1),
    "[]": (0, 0),
    "sqrt([1 4 9])": (1, 3),
}
UNDECIDED = ["Kp", "params.gain*2", "fixdt(1, 16, 0)", "struct('a', 1)", "{1, 2}", "x'", "[a b]"]
HOSTILE = [
    "system('dir')",
    "!rm -rf /",
    "eval('1')",
    "quit",
    "exit(0)",
    "1; delete('x')",
    "1\n!ls",
    "%{",
    "1 % comment",
    "@() system('ls')",
    "evalin('base', 'x')",
    "ones(1e9)",
    "zeros(1e5, 1e5)",
    "repmat(1, 1e6, 1e6)",
    "1:1e12",
    "java.lang.Runtime.getRuntime()",
    "py.os.system('ls')",
    "a.system('ls')",
    "pkg.run('ls')",
    "unknown_function(1)",
    "x = 1",
    "'unclosed",
    "..\\..\\x",
    "set_param(gcs, 'InitFcn', 'x')",
    "Simulink.sdi.clear",
    "[system('ls')]",
    "{quit}",
    "\u202equit",
    "(" * 5_000 + "1" + ")" * 5_000,
    "-" * 5_000 + "1",
    "[" * 5_000,
    "",
    "   ",
    "1 2",
    "a b",
]


@pytest.mark.parametrize(("text", "shape"), PLAIN.items())
def test_plain_values_have_a_provable_shape(text: str, shape: tuple[int, int]) -> None:
    """Numbers, vectors and matrices are taken, and their rows and columns known."""
    assert shape_of(parse(text)) == shape


@pytest.mark.parametrize("text", UNDECIDED)
def test_variables_are_taken_and_stay_unknown(text: str) -> None:
    """A value that reads a variable parses; its number is unknown."""
    assert number_of(evaluate(parse(text))) is None


@pytest.mark.parametrize("text", HOSTILE)
def test_text_with_side_effect_is_rejected(text: str) -> None:
    """Every text that is more or less than one value is rejected."""
    with pytest.raises(RejectedValueError):
        parse(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [("2+3*4", 14), ("-2^2", -4), ("2^-1", 0.5), ("1/0", math.inf), ("7\\14", 2), ("3>2", 1)],
)
def test_arithmetic_is_that_of_matlab(text: str, number: float) -> None:
    """Operators bind as in MATLAB."""
    assert number_of(evaluate(parse(text))) == number


def test_known_variables_count() -> None:
    """Given what a variable is, an expression of it is known too."""
    assert number_of(evaluate(parse("K*2"), {"K": Known(1, 1, (3.0,))})) == 6
