"""Steps that feed themselves: through a state, at once, on purpose, without an input."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.simulink_plans import compile_steps


@pytest.mark.parametrize(
    ("step", "verdict", "codes"),
    [
        ({"tool": "Unit Delay", "inputs": ["x"]}, "ok", []),
        ({"tool": "Integrator", "inputs": ["x"]}, "ok", []),
        ({"tool": "Delay", "params": {"DelayLength": "0"}, "inputs": ["x"]}, "wrong", ["GB320"]),
        ({"tool": "Gain", "inputs": ["x"]}, "wrong", ["GB320"]),
        ({"tool": "Gain", "inputs": [{"from": "x", "back": True}]}, "ok", []),
        ({"tool": "Constant", "inputs": ["x"]}, "wrong", ["GB314", "GB320"]),
    ],
)
def test_a_block_feeds_itself_through_a_state_only(
    step: dict[str, Any], verdict: str, codes: list[str]
) -> None:
    """A step with direct feedthrough cannot feed itself, unless the loop is intended."""
    made = compile_steps({"id": "x", **step}, {"tool": "Scope", "inputs": ["x"]})
    wrong = sorted(
        diagnostic.code for diagnostic in made.diagnostics if diagnostic.rule.kind == "wrong"
    )
    assert (made.verdict, wrong) == (verdict, codes)
