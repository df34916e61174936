"""Values that parse and cannot be worked out, and those that only look like it."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.matlab_expr import parse
from grounded_builder.domains.simulink.matlab_expr.unevaluable import (
    find_missing_operator,
    find_size_conflict,
)
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry
from tests.support.simulink_models import block, model
from tests.support.simulink_plans import compile_steps, step


@pytest.mark.parametrize("text", ["10 Hz", "5kOhm", "20ms", "1 uF", "twenty five", "x(1) y"])
def test_two_values_beside_each_other_are_none(text: str) -> None:
    """Outside of brackets something joins two values, or they are no expression."""
    assert find_missing_operator(text) is not None


@pytest.mark.parametrize(
    "text", ["[1 a]", "{1 a}", "@(x) x+1", "2*pi*50", "1e-3", "0x1F", "a.b", "x'", "f(1) + 2", "3i"]
)
def test_neighbours_in_brackets_are_left_alone(text: str) -> None:
    """Values are adjacent in rows, and a handle is followed by its body."""
    assert find_missing_operator(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "[1 2; 3]",
        "[1 2]*[3 4]",
        "[1 2 3]+[1 2]",
        "[1 2]^2",
        "[[1;2] 3]",
        "[1 -2; 3 - 4]",
        "a*[1;2 3]",
    ],
)
def test_sizes_that_do_not_go_together_are_found(text: str) -> None:
    """Rows of two lengths, and sizes that no operator joins."""
    assert find_size_conflict(parse(text)) is not None


@pytest.mark.parametrize(
    "text",
    [
        "[a 1; 2]",
        "[1;2]+[1 2]",
        "[[] 1; 2]",
        "[1:3; 4 5 6]",
        "[1 2]*2",
        "[i 1; 2 3]",
        "a*[1 2]",
        "[]",
    ],
)
def test_sizes_that_may_go_together_are_left_alone(text: str) -> None:
    """A variable may have any size, and a row and a column are expanded."""
    assert find_size_conflict(parse(text)) is None


def _report(kind: str, **parameters: Any) -> list[tuple[str, tuple[Any, ...]]]:
    document = model([block("b", kind, **parameters)]) | {"layout": "slx"}
    diagnostics = compile_draft(
        document, SIMULINK, simulink_registry(), CompileOptions()
    ).diagnostics
    return [(d.code, d.at[-1:]) for d in diagnostics if d.rule.kind == "wrong"]


@pytest.mark.parametrize("text", ["10 Hz", "[1 2; 3]", "one hundred", " "])
def test_unevaluable_value_in_file_is_wrong(text: str) -> None:
    """A value that cannot be evaluated is wrong where a number is needed."""
    assert _report("Gain", Gain=text) == [("SLX335", ("Gain",))]


def test_a_text_is_no_number_to_be() -> None:
    """Words beside each other are a text where the parameter is one."""
    assert _report("Inport", Description="the speed of it") == []


def test_a_ragged_matrix_in_a_draft_is_refused() -> None:
    """The finding names the fault of the value."""
    made = compile_steps(step("k", "Constant", params={"Value": "[1 2; 3]"}))
    assert [d.code for d in made.diagnostics if d.rule.kind == "wrong"] == ["SLX301"]
    assert "lengths" in made.diagnostics[0].message


@pytest.mark.parametrize(
    ("kind", "name", "text", "wrong"),
    [
        ("Integrator", "ExternalReset", "upwards", True),
        ("Integrator", "ExternalReset", "Rising", False),
        ("Sum", "IconShape", "triangular", True),
        ("Goto", "TagVisibility", "everywhere", True),
        ("DiscreteIntegrator", "IntegratorMethod", "a method to come", False),
    ],
)
def test_a_menu_that_never_grew_is_closed(kind: str, name: str, text: str, wrong: bool) -> None:
    """An option of no release is wrong in a file; other menus may have grown, and case is free."""
    assert (("GB305", (name,)) in _report(kind, **{name: text})) == wrong


def test_a_parameter_of_no_block_is_advice_in_a_file() -> None:
    """Parameters of documented blocks are known, what files keep beside them is left alone."""
    document = model([block("g", "Gain", Amplitude="2", LockScale="off")]) | {"layout": "slx"}
    diagnostics = compile_draft(
        document, SIMULINK, simulink_registry(), CompileOptions()
    ).diagnostics
    assert [(d.code, d.at[-1]) for d in diagnostics if d.code.startswith("GB3")] == [
        ("GB303", "Amplitude")
    ]
