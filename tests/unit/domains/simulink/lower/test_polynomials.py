"""Polynomials that drafts write out, and values that are systems."""

from __future__ import annotations

import pytest

from grounded_builder.domains.simulink.lower.polynomials import coefficients
from tests.support.simulink_plans import blocks_of, compile_steps, step, wires_of


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("s^2 + 2*s + 1", "[1 2 1]"),
        ("(s+1)*(s+2)", "[1 3 2]"),
        ("-s/4", "[-0.25 0]"),
        ("(s+1)^3 - s^3", "[3 3 1]"),
        ("k*s + 1", None),
        ("1/(s+1)", None),
        ("s^-1", None),
        ("((s+1)^30)^30", None),
        ("1e999999999*s", None),
        ("1e-999999999*s", "[0 0]"),
        ("((((10^30)^30)^30)^30)^30*s", None),
        ("1/" * 3_000 + "1*s", None),
    ],
)
def test_a_polynomial_is_its_coefficients(text: str, row: str | None) -> None:
    """Sums, products and powers of numbers and the variable are worked out, nothing else."""
    assert coefficients(text, "s") == row


def test_a_draft_may_write_a_polynomial_out() -> None:
    """The block gets its coefficients with a note, and other variables stay."""
    made = compile_steps(
        step("u", "Constant"),
        step("g", "Transfer Fcn", "u", params={"Numerator": "k", "Denominator": "s^2 + 1"}),
    )
    assert blocks_of(made)["Transfer Fcn"]["parameters"]["Denominator"] == "[1 0 1]"
    assert [d.code for d in made.diagnostics] == ["GB309"]


def test_text_without_polynomial_is_question() -> None:
    """The user is asked for coefficients that cannot be computed."""
    params = {"Denominator": "s^2 + 2*zeta*s + 1"}
    made = compile_steps(step("u", "Constant"), step("g", "Transfer Fcn", "u", params=params))
    assert [d.code for d in made.diagnostics] == ["GB308"]
    assert made.verdict == "incomplete"


@pytest.mark.parametrize(
    ("tool", "params"),
    [("Transfer Fcn", {"Numerator": "tf([1],[1 1])"}), ("Gain", {"Gain": "'fast'"})],
)
def test_numbers_are_needed(tool: str, params: dict[str, str]) -> None:
    """A system or a text is no number."""
    made = compile_steps(step("u", "Constant"), step("g", tool, "u", params=params))
    assert [d.code for d in made.diagnostics] == ["SLX301"]


def test_a_signal_is_multiplied_by_itself() -> None:
    """A step that is named twice among the inputs feeds two of them."""
    made = compile_steps(step("x", "Constant"), step("square", "Product", "x", "x"))
    assert wires_of(made) == {"x:out:1 -> square:in:1", "x:out:1 -> square:in:2"}
