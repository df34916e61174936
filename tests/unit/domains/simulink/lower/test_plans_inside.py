"""Tests blocks whose ports come from their contents, which a draft cannot have."""

from __future__ import annotations

import pytest

from tests.support.simulink_plans import compile_steps


@pytest.mark.parametrize(
    ("tool", "lines", "expected"),
    [
        ("Chart", 1, ["SLX304"]),
        ("Chart", 0, []),
        ("MATLAB Function", 1, []),
        ("MATLAB Function", 2, ["SLX304"]),
    ],
)
def test_lines_to_ports_that_the_inside_makes_are_reported(
    tool: str, lines: int, expected: list[str]
) -> None:
    """A chart has no port yet, a function one of each; the draft is incomplete, not wrong."""
    fed = [{"from": "u", "input": number} for number in range(1, lines + 1)]
    made = compile_steps(
        {"id": "u", "tool": "Step", "inputs": []}, {"id": "c", "tool": tool, "inputs": fed}
    )
    assert [
        diagnostic.code for diagnostic in made.diagnostics if diagnostic.code.startswith("SLX30")
    ] == expected
    assert made.verdict == ("incomplete" if expected else "ok")
