"""Texts that cannot be MATLAB expressions, and texts that may be."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.matlab_expr.syntax_errors import find_syntax_error
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry
from tests.support.simulink_models import block, model


@pytest.mark.parametrize(
    "text", ["[1 2", "3 *", "(4", "2..5.", "{1", "1]", "f('a", 'x("b', "[1 2)", "a &", "1.2.3"]
)
def test_invalid_expression_has_syntax_error(text: str) -> None:
    """Open brackets and quotes, hanging operators and malformed numbers are syntax errors."""
    assert find_syntax_error(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "1",
        "x'",
        "[1 2]'",
        "f('it''s (fine')",
        '"a]b"',
        "a.b(1).c",
        "[1, 2 % (not this\n 3]",
        ":",
        "u(1:end)",
        "1./x",
        "x.'",
        "Simulink.Parameter",
        "[1 ...\n 2]",
        "struct('a', {1, 2})",
        "@(x) x+1",
        "1e-3",
        "s.x'*y'",
        "-inf",
    ],
)
def test_possible_expression_has_no_syntax_error(text: str) -> None:
    """Transposes, strings, comments and calls are accepted."""
    assert find_syntax_error(text) is None


def _report(made: dict[str, Any]) -> list[tuple[str, tuple[Any, ...]]]:
    document = model([made]) | {"layout": "slx"}
    diagnostics = compile_draft(
        document, SIMULINK, simulink_registry(), CompileOptions()
    ).diagnostics
    return [(d.code, d.at[-1:]) for d in diagnostics if d.rule.kind == "wrong"]


def test_a_broken_value_in_a_file_is_wrong() -> None:
    """A file may hold anything; what MATLAB cannot evaluate is reported at the parameter."""
    assert _report(block("g", "Gain", Gain="[1 2")) == [("SLX335", ("Gain",))]
    assert _report(block("g", "Gain", Gain="controller.gain(3)'")) == []


def test_an_operator_that_never_was_is_wrong() -> None:
    """Lists of operators are closed; those of old releases are known."""
    assert _report(block("r", "RelationalOperator", Operator="=>")) == [("GB305", ("Operator",))]
    assert _report(block("m", "Math", Operator="sqrt")) == []
