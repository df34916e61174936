"""Words of a plan that the reader does not know."""

from __future__ import annotations

from typing import Any

from grounded_builder.compiler.read_plan import read_plan
from grounded_builder.diagnostics.diagnostic import to_pointer
from grounded_builder.domains.simulink.domain import SIMULINK


def _report(*steps: Any) -> list[tuple[str, str]]:
    options = SIMULINK.resolving.target_options
    _, diagnostics = read_plan({"steps": list(steps)}, target_options=options)
    return [
        (to_pointer(diagnostic.at), diagnostic.message)
        for diagnostic in diagnostics
        if diagnostic.code == "GB110"
    ]


def test_ports_in_other_words_are_read() -> None:
    """A port next to the source step of an input belongs to it; unknown ones are reported."""
    steps = [
        {"id": "a", "tool": "A"},
        {"id": "b", "tool": "B", "inputs": [{"from": "a", "port": 7, "to_port": 2, "colour": 1}]},
    ]
    plan, _ = read_plan({"steps": steps})
    assert plan is not None
    (source,) = plan.steps[1].inputs or ()
    assert (source.output, source.input) == (7, 2)
    assert _report(*steps) == [
        ("/steps/1/inputs/0/port", '"port" was read as the output of an input'),
        ("/steps/1/inputs/0/to_port", '"to_port" was read as the input of an input'),
    ]


def test_keys_that_plans_have_are_not_reported() -> None:
    """Calls as providers write them, and every key of the plan's schema, raise no such note."""
    assert not _report(
        {"id": "1", "type": "function", "index": 0, "function": {"name": "t", "arguments": "{}"}},
        {"id": "2", "tool": "t", "action": "a", "params": {}, "outputs": ["o"], "for": "1",
         "as": "tool", "in": "g", "library": "l", "release": "R2024b", "products": ["p"],
         "remarks": "r", "version": 1, "inputs": [{"from": "1", "output": 0, "input": 0,
                                                   "back": True, "signal": "s"}]},
    )  # fmt: skip


def test_lines_beside_the_steps_are_reported() -> None:
    """A plan has its lines in the inputs of its steps; words beside the steps lose nothing."""
    plan = {"goal": "g", "name": "n", "steps": [{"tool": "A"}], "connections": [{"from": "a"}]}
    _, diagnostics = read_plan(plan)
    assert [(to_pointer(diagnostic.at), diagnostic.message) for diagnostic in diagnostics] == [
        ("/connections", '"connections" is not a key of a plan and was ignored')
    ]
