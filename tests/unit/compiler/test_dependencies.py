"""Dependencies of plans: on themselves, on nothing, on later steps, in a circle."""

from __future__ import annotations

import pytest

from grounded_builder.compiler.dependencies import check_order, find_cycle
from grounded_builder.compiler.read_plan import read_plan
from grounded_builder.ir.plan import Plan


def plan(**inputs: list[str]) -> Plan:
    """A plan whose steps have these ids and inputs."""
    steps = [{"id": name, "tool": "t", "depends_on": froms} for name, froms in inputs.items()]
    read, _ = read_plan({"steps": steps})
    assert read is not None
    return read


@pytest.mark.parametrize(
    ("inputs", "codes"),
    [
        ({"a": [], "b": ["a"], "c": ["a", "b"]}, []),
        ({"a": ["a"]}, ["GB320"]),
        ({"a": [], "b": ["step_99"]}, ["GB321"]),
        ({"a": ["b"], "b": []}, ["GB322"]),
        ({"a": ["c"], "b": ["a"], "c": ["b"]}, ["GB322", "GB323"]),
    ],
)
def test_dependency_faults_have_own_rules(inputs: dict[str, list[str]], codes: list[str]) -> None:
    """Self, missing, forward and cyclic dependencies are each reported by their own rule."""
    assert [d.code for d in check_order(plan(**inputs), forward_is_wrong=True)] == codes


def test_unordered_plan_may_depend_on_later_steps() -> None:
    """A domain with loops takes edges to later steps."""
    forward = plan(a=["b"], b=[])
    assert list(check_order(forward, forward_is_wrong=False)) == []


def test_a_circle_is_named_as_it_runs() -> None:
    """The first step is named again at the end."""
    circle = plan(step_1=["step_3"], step_2=["step_1"], step_3=["step_2"])
    assert find_cycle(circle) == ("step_1", "step_2", "step_3", "step_1")
    results = [d.message for d in check_order(circle, forward_is_wrong=True) if d.code == "GB323"]
    assert results == [
        "steps depend on each other in a cycle: step_1 -> step_2 -> step_3 -> step_1"
    ]


def test_a_long_chain_costs_no_recursion() -> None:
    """Ten thousand steps in a row are walked."""
    names = [f"s{number}" for number in range(10_000)]
    chain = plan(**{name: names[i - 1 : i] if i else [] for i, name in enumerate(names)})
    assert find_cycle(chain) == ()


def test_a_name_means_an_id_first_and_of_several_outputs_the_first() -> None:
    """A name refers to an id first, then to the first output with it, in plans of any length."""
    steps = [
        {"id": "a", "tool": "t", "outputs": ["c", "x"]},
        {"id": "b", "tool": "t", "outputs": ["x"]},
        {"id": "c", "tool": "t"},
    ]
    read, _ = read_plan({"steps": steps})
    assert read is not None
    entries = {name: read.find_step(name) for name in ("a", "c", "x", "nothing")}
    ids = {name: step.id if step is not None else None for name, step in entries.items()}
    assert ids == {"a": "a", "c": "c", "x": "a", "nothing": None}


@pytest.mark.parametrize(
    ("steps", "sources"),
    [
        ([{"id": 0}, {"id": 1, "inputs": [0]}], ["0"]),
        ([{"id": 7}, {"id": 9, "inputs": 7}], ["7"]),
        ([{"id": "a"}, {"id": "b", "inputs": [0]}, {"id": "c", "inputs": [1]}], ["a", "b"]),
        ([{"id": "a"}, {"id": "b", "inputs": [1]}, {"id": "c", "inputs": [2]}], ["a", "b"]),
        ([{"id": "a"}, {"id": "b"}, {"id": "c", "inputs": [{"from": 1, "output": 0}]}], ["b"]),
        ([{"id": "a"}, {"id": "b", "inputs": ["0"]}, {"id": "c", "inputs": ["0"]}], ["a", "a"]),
        ([{"id": "a"}, {"id": "b"}, {"id": "c"}, {"id": "d", "inputs": [1]}], ["1"]),
        ([{"id": "a"}, {"id": "b", "inputs": [900]}], ["900"]),
    ],
)
def test_numbers_name_steps_by_id_or_by_position(
    steps: list[dict[str, object]], sources: list[str]
) -> None:
    """A position counts from 0 or 1 where only one of the two makes sense, else it is no step."""
    read, _ = read_plan({"steps": [{"tool": "t", **step} for step in steps]})
    assert read is not None
    assert [source.name for step in read.steps for source in step.inputs or ()] == sources
