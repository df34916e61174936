"""The block that equals the code of a MATLAB Function."""

from __future__ import annotations

import pytest

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.simulink.check.equivalent_blocks import (
    EquivalentBlock,
    block_of_expression,
    block_of_function,
    find_equivalent,
)
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.read.functions import functions_in
from grounded_builder.domains.simulink.read.mdl_text import read_mdl
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry

MATH, LOGIC = "simulink/Math Operations/", "simulink/Logic and Bit Operations/"
SATURATION = "simulink/Discontinuities/Saturation"

ONE_BLOCK = {
    "function y = f(u1, u2)\ny = u1 + u2;": EquivalentBlock(f"{MATH}Sum", "Inputs ++"),
    "function y = f(a, b, c)\ny = a - b - c;\nend": EquivalentBlock(f"{MATH}Sum", "Inputs +--"),
    "function y = f(u)\n%#codegen\ny = abs(u);": EquivalentBlock(f"{MATH}Abs"),
    "function y = f(u)\ny = max(u, 0);": EquivalentBlock(SATURATION),
    "function y = f(u)\ny = min(max(u, -1), 1);": EquivalentBlock(SATURATION),
    "function y = f(u)\n    y = 5*u; % five times": EquivalentBlock(f"{MATH}Gain"),
    "function y = f(u)\ny = u/2;": EquivalentBlock(f"{MATH}Gain"),
    "function y = f(u)\ny = u + 1;": EquivalentBlock(f"{MATH}Bias"),
    "function y = f(u)\ny = u.^2;": EquivalentBlock(f"{MATH}Math Function", "square"),
    "function y = f(u)\ny = sin(u);": EquivalentBlock(f"{MATH}Trigonometric Function", "sin"),
    "function [y] = f(u, v)\ny = atan2(u, v);": EquivalentBlock(
        f"{MATH}Trigonometric Function", "atan2"
    ),
    "function y = f(u, v)\ny = u .* v;": EquivalentBlock(f"{MATH}Product"),
    "function y = f(u)\ny = u.*u;": EquivalentBlock(f"{MATH}Math Function", "square"),
    "function y = f(u, v)\ny = max(u, v);": EquivalentBlock(f"{MATH}MinMax", "max"),
    "function y = f(u)\ny = u > 3;": EquivalentBlock(f"{LOGIC}Compare To Constant", ">"),
    "function y = f(a, b)\ny = a && b;": EquivalentBlock(f"{LOGIC}Logical Operator", "AND"),
    "function y = f(u)\nif u > 0\n  y = 1;\nelse\n  y = 0;\nend": EquivalentBlock(
        f"{LOGIC}Compare To Constant", ">"
    ),
    "function y = f(u) % the sum; of = two\n% function\ny = ...\n  u + 1": EquivalentBlock(
        f"{MATH}Bias"
    ),
    "function y = f(u)\nif u>0, y=1; else y=0; end\nend": EquivalentBlock(
        f"{LOGIC}Compare To Constant", ">"
    ),
    "function y = f(a, b, c)\nif b >= 2\n y = a;\nelse\n y = c;\nend": EquivalentBlock(
        "simulink/Signal Routing/Switch"
    ),
}
NONE = (
    "function y = f(u)\ny = u;",
    "function y = f(u)\ny = 2*u + 1;",
    "function y = f(u)\ny = sin(u)*cos(u);",
    "function y = f(u)\nx = abs(u);\ny = x;",
    "function y = f(u)\npersistent p\ny = abs(u);",
    "function [y, z] = f(u)\ny = abs(u);\nz = u;",
    "function y = f(u)\ny = u(2);",
    "function y = f(u)\ny = u + u;",
    "function y = f(u)\ny = system('x');",
    "function y = f(u)\ny = u - u;\ny = y + 1;",
    "function f(u)\ndisp(u);",
    "",
)


@pytest.mark.parametrize(("script", "expected"), ONE_BLOCK.items())
def test_a_body_of_one_block_is_known(script: str, expected: EquivalentBlock) -> None:
    """One line over the inputs, or one choice between two values, is what one block does."""
    assert find_equivalent(script, None) == expected


@pytest.mark.parametrize("script", NONE)
def test_any_other_body_is_not_reported(script: str) -> None:
    """Functions that need several blocks, keep a state or have side effects are not reported."""
    assert find_equivalent(script, None) is None


@pytest.mark.parametrize(
    ("expression", "block"),
    [
        ("u(1) * u[2]", "Product"),
        ("u*u", "Math Function"),
        ("(u(1)) - u(2) - u(3)", "Sum"),
        ("2.5e-3*u", "Gain"),
        ("u/4", "Gain"),
        ("u - 1", "Bias"),
        ("-u", "Unary Minus"),
        ("sgn(u)", "Sign"),
        ("atan2(u(1), u(2))", "Trigonometric Function"),
        ("u^2", "Math Function"),
        ("2*u(1) + u(2)", None),
        ("u(k)*u(k+1)", None),
        ("k*u(1)*u(2)", None),
        ("u()", None),
        ("u(1) > 3", None),
        ("u", None),
        ("sin(u", None),
        ("(" * 3_000, None),
        ("u*" * 3_000 + "u", None),
    ],
)
def test_an_expression_of_one_block_is_known(expression: str, block: str | None) -> None:
    """Spaces, brackets and either way to pick an element do not change what is computed."""
    result = block_of_expression(expression)
    assert (result.block if result else None) == (block and f"{MATH}{block}")


def test_a_function_of_one_block_is_known() -> None:
    """The name of a function of one argument is enough."""
    assert block_of_function("floor") == EquivalentBlock(f"{MATH}Rounding Function", "floor")
    assert block_of_function("eig") is None


def test_an_argument_that_is_no_input_is_not_reported() -> None:
    """A parameter looks like an input in the code: the ports of the block tell."""
    script = "function y = f(u, k)\ny = u * k;"
    assert find_equivalent(script, 2) == EquivalentBlock(f"{MATH}Product")
    assert find_equivalent(script, 1) is None


CLASSIC = """
Stateflow {
  chart { id 2 name "Box/Twice" type EML_CHART }
  chart { id 5 name "Chart" type CLUSTER_CHART }
  state { id 3 chart 2 eml { isEML 1 script "function y = f(u)\\n"
    "y = 2*u;" } }
  state { id 6 chart 5 labelString "on" eml { } }
}
"""


def test_the_code_is_read_by_the_path_of_its_block() -> None:
    """Charts of classic files name the block, their states hold the code."""
    assert functions_in([read_mdl(CLASSIC)]) == {"Box/Twice": "function y = f(u)\ny = 2*u;"}


def test_the_block_is_reported_at_the_function() -> None:
    """A MATLAB Function of one line is advised to be the installed block."""
    function = {
        "sid": "1",
        "name": "Twice",
        "type": "SubSystem",
        "opaque": "function",
        "ports": {"in": 1, "out": 1},
        "parameters": {"SFBlockType": "MATLAB Function"},
    }
    model = {
        "simulink": 1,
        "kind": "model",
        "name": "m",
        "layout": "slx",
        "functions": {"Twice": "function y = f(u)\ny = 2*u;"},
        "system": {"blocks": [function], "lines": []},
    }
    diagnostics = compile_draft(model, SIMULINK, simulink_registry(), CompileOptions()).diagnostics
    results = [diagnostic for diagnostic in diagnostics if diagnostic.code == "SLX337"]
    assert [list(diagnostic.alternatives) for diagnostic in results] == [[f"{MATH}Gain"]]
