"""Actions, calls and numbers: where each may arrive."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.simulink_models import block, codes, model, system

U = block("u", "Constant")
DECISION = block("d", "If", ShowElse="off")
CALLER = block("c", "", source="simulink/Ports & Subsystems/Function-Call Generator")
SINK = block("t", "Terminator")


def _make_triggered(port: str, **given: Any) -> dict[str, Any]:
    return block("box", "SubSystem", system([block("p", port, **given)]))


@pytest.mark.parametrize(
    ("target", "kind", "wrong"),
    [
        (block("g", "Gain"), "in", True),
        (SINK, "in", False),
        (block("g", "Merge"), "in", False),
        (_make_triggered("EnablePort") | {"sid": "g"}, "enable", True),
        (_make_triggered("ActionPort") | {"sid": "g"}, "ifaction", False),
    ],
)
def test_an_action_arrives_at_an_action_port(
    target: dict[str, Any], kind: str, wrong: bool
) -> None:
    """A block that computes, and an enable port, cannot take what a decision tells."""
    made = model([U, DECISION, target], "u -> d", f"d -> g.{kind}")
    assert ("GB315" in codes(made)) == wrong


def test_function_call_is_not_multiplied() -> None:
    """A function call is not multiplied, and may pass through blocks that forward it."""
    assert "GB315" in codes(model([CALLER, block("g", "Gain")], "c -> g"))
    assert "GB315" not in codes(model([CALLER, block("m", "Mux", Inputs="1"), SINK], "c -> m"))


def test_a_number_calls_nothing() -> None:
    """A function-call port takes calls, an edge port takes numbers."""
    called = _make_triggered("TriggerPort", TriggerType="function-call")
    assert "GB315" in codes(model([U, called], "u -> box.trigger"))
    assert "GB315" not in codes(model([CALLER, called], "c -> box.trigger"))
    assert "GB315" not in codes(model([U, _make_triggered("TriggerPort")], "u -> box.trigger"))


def test_an_action_port_stands_alone() -> None:
    """Enable, trigger and reset ports are refused beside an action port, not beside each other."""
    for kind in ("EnablePort", "TriggerPort", "ResetPort"):
        both = block("box", "SubSystem", system([block("a", "ActionPort"), block("b", kind)]))
        assert "SLX345" in codes(model([both]))
    pair = block("box", "SubSystem", system([block("a", "EnablePort"), block("b", "TriggerPort")]))
    assert "SLX345" not in codes(model([pair]))


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"NumInputs": "2", "IfExpression": "u1 > 0 & u3 < 2"}, True),
        ({"NumInputs": "2", "IfExpression": "u1", "ElseIfExpressions": "u2, u4 > 1"}, True),
        ({"NumInputs": "2", "IfExpression": "u1 > u2"}, False),
        ({"NumInputs": "n", "IfExpression": "u9"}, False),
        ({"NumInputs": "1", "IfExpression": "u1 > gu2"}, False),
    ],
)
def test_a_condition_names_inputs_that_are_there(given: dict[str, Any], wrong: bool) -> None:
    """Inputs are counted, other names are variables."""
    assert ("SLX338" in codes(model([block("d", "If", **given)]))) == wrong


@pytest.mark.parametrize(
    ("expression", "wrong"),
    [
        ("u(1) + sin(u(3))", True),
        ("u[3]", True),
        ("u(2)*k", False),
        ("f.u(9)", False),
        ("u", False),
    ],
)
def test_an_expression_names_elements_that_are_there(expression: str, wrong: bool) -> None:
    """The input of a function has as many elements as arrive."""
    made = model(
        [block("u", "Constant", Value="[1 2]"), block("f", "Fcn", Expr=expression)], "u -> f"
    )
    assert ("SLX339" in codes(made)) == wrong


@pytest.mark.parametrize("kind", ["ActionPort", "ForEach", "ForIterator", "ResetPort"])
def test_misplaced_control_block_is_wrong(kind: str) -> None:
    """A control block is wrong in the outermost diagram, except in libraries or commented out."""
    part = block("p", kind)
    assert "SLX347" in codes(model([part]))
    assert "SLX347" not in codes(model([block("s", "SubSystem", system([part]))]))
    assert "SLX347" not in codes(model([part], kind="library"))
    assert "SLX347" not in codes(model([part | {"properties": {"Commented": "on"}}]))
    assert "SLX347" not in codes(model([block("e", "EnablePort")]))


def test_a_denominator_is_not_zero() -> None:
    """Coefficients that are all 0 divide by nothing."""
    assert "SLX338" in codes(model([block("t", "TransferFcn", Denominator="[0 0]")]))
    assert "SLX338" not in codes(model([block("t", "TransferFcn", Denominator="[1 0]")]))
