"""Steps that lie in others."""

from __future__ import annotations

from grounded_builder.compiler.pipeline import Compilation
from tests.support.simulink_plans import blocks_of, compile_steps, step


def _messages_of(made: Compilation, code: str) -> list[tuple[str | None, str]]:
    return [
        (diagnostic.node, diagnostic.message)
        for diagnostic in made.diagnostics
        if diagnostic.code == code
    ]


def test_a_step_that_lies_in_itself_is_wrong() -> None:
    """Each step of the circle is reported; one that merely lies in such a step is not."""
    made = compile_steps(
        step("a", "Subsystem", **{"in": "b"}),
        step("b", "Subsystem", **{"in": "a"}),
        step("c", "Subsystem", **{"in": "c"}),
        step("d", "Gain", **{"in": "c"}),
    )
    assert made.verdict == "wrong"
    assert _messages_of(made, "GB111") == [
        ("a", 'step "a" is inside itself: in "b" in "a"'),
        ("b", 'step "b" is inside itself: in "a" in "b"'),
        ("c", 'step "c" is inside itself: in "c"'),
    ]


def test_a_group_that_is_another_block_is_reported() -> None:
    """A Gain cannot contain steps: a subsystem of its name is made, and a note reports it."""
    made = compile_steps(
        step("g", "Gain"), step("u", "Abs", **{"in": "g"}), step("v", "Abs", **{"in": "s"})
    )
    assert _messages_of(made, "GB402") == [
        ("u", 'step "g" is not a subsystem; one of that name was created around "u"')
    ]
    assert {block["type"] for block in blocks_of(made).values()} == {"Gain", "SubSystem"}


def test_too_deep_subsystem_is_wrong() -> None:
    """Fifty-one nested subsystems are accepted, and one more is refused."""
    steps = [step("s0", "Subsystem")]
    steps += [step(f"s{n}", "Subsystem", **{"in": f"s{n - 1}"}) for n in range(1, 52)]
    assert compile_steps(*steps).verdict == "ok"
    made = compile_steps(*steps, step("u", "Abs", **{"in": "s51"}))
    assert made.verdict == "wrong"
    assert _messages_of(made, "GB105") == [("u", 'step "u" is inside more than 50 subsystems')]
