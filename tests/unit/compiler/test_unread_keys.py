"""Every key and value of a plan is read, or a finding names it at its place."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.compiler.read_plan import read_plan
from grounded_builder.diagnostics import to_pointer
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.support.catalogs import AGENT, MODEL
from tests.support.registries import acme_registry

_REGISTRY = acme_registry()
_HOOK, _MAIL = "acme-nodes.hook", "acme-nodes.mail"


def _compile(*steps: dict[str, Any], **plan: Any) -> Compilation:
    draft = {"goal": "Example", "steps": list(steps), **plan}
    return compile_with_fixes(draft, N8N, _REGISTRY, CompileOptions(seed="s"))


def _findings(compilation: Compilation) -> list[tuple[str, str]]:
    """Returns code and place of what concerns the shape of the plan."""
    return [
        (finding.code, to_pointer(finding.at))
        for finding in compilation.diagnostics
        if finding.code in ("GB110", "GB111", "GB117")
    ]


def _node(compilation: Compilation, index: int = 0) -> Any:
    assert compilation.artifact is not None
    return compilation.artifact["nodes"][index]


def test_a_parameter_on_the_step_is_a_parameter() -> None:
    """It takes effect and is noted where it was drafted."""
    compilation = _compile({"tool": _HOOK, "path": "hello"})
    assert _node(compilation)["parameters"]["path"] == "hello"
    assert _findings(compilation) == [("GB110", "/steps/0/path")]


def test_two_values_of_one_parameter_are_reported() -> None:
    """That among the parameters is used, and the other one is named."""
    compilation = _compile({"tool": _HOOK, "path": "one", "params": {"path": "two"}})
    assert _node(compilation)["parameters"]["path"] == "two"
    assert _findings(compilation) == [("GB117", "/steps/0/path")]


def test_a_text_of_several_words_is_a_remark() -> None:
    """It is kept at the node."""
    compilation = _compile({"tool": _HOOK, "params": {"path": "p"}, "why": "It begins here."})
    assert _node(compilation)["notes"] == "why: It begins here."


@pytest.mark.parametrize("value", ["blue", 3, True, False, ["blue"], {"a": 1}])
def test_a_value_that_nothing_reads_is_an_open_point(value: Any) -> None:
    """On the plan, on a step and at an input."""
    steps = (
        {"id": "a", "tool": _HOOK, "params": {"path": "p"}},
        {"tool": _MAIL, "inputs": [{"from": "a", "colour": value}], "colour": value},
    )
    compilation = _compile(*steps, colour=value)
    places = ["/colour", "/steps/1/colour", "/steps/1/inputs/0/colour"]
    assert _findings(compilation) == [("GB117", place) for place in places]
    assert compilation.verdict == "incomplete"


def test_the_same_key_of_several_steps_is_one_finding_with_all_places() -> None:
    """A later step's value is not left out of the report."""
    compilation = _compile(
        {"id": "a", "tool": _HOOK, "params": {"path": "p"}, "colour": 1},
        {"tool": _MAIL, "inputs": ["a"], "colour": 2},
    )
    (finding,) = [finding for finding in compilation.diagnostics if finding.code == "GB117"]
    assert [to_pointer(place.at) for place in finding.related] == ["/steps/1/colour"]


def test_name_and_settings_of_a_plan_are_those_of_the_workflow() -> None:
    """A setting that workflows do not have is reported."""
    compilation = _compile(
        {"tool": _HOOK, "params": {"path": "p"}},
        name="Hello",
        settings={"timezone": "Europe/Berlin"},
    )
    assert compilation.artifact is not None
    assert compilation.artifact["name"] == "Hello"
    assert compilation.artifact["settings"]["timezone"] == "Europe/Berlin"
    unknown = _compile({"tool": _HOOK, "params": {"path": "p"}}, settings={"colour": 1})
    assert any('"colour"' in finding.message for finding in unknown.corrections)


def test_parameters_under_two_keys_are_joined() -> None:
    """Each takes effect; different values of one are reported."""
    step = {"tool": _MAIL, "params": {"subject": "one"}, "config": {"body": "b", "subject": "two"}}
    compilation = _compile({"id": "a", "tool": _HOOK, "params": {"path": "p"}}, step)
    assert _node(compilation, 1)["parameters"]["body"] == "b"
    assert _findings(compilation) == [("GB117", "/steps/1/config/subject")]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", {"a": 1}),
        ("as", 3),
        ("in", ["g"]),
        ("version", "new"),
        ("remarks", 5),
        ("outputs", {"a": 1}),
        ("action", ["send"]),
        ("library", 7),
        ("function", "send"),
    ],
)
def test_a_key_with_a_value_of_the_wrong_type_is_reported(key: str, value: Any) -> None:
    """Its place is named."""
    compilation = _compile({"tool": _HOOK, "params": {"path": "p"}, key: value})
    assert _findings(compilation) == [("GB117", f"/steps/0/{key}")]


def test_numbers_and_truth_values_as_text_are_read() -> None:
    """A version and the mark of an edge that leads back."""
    steps = [
        {"id": "a", "tool": _HOOK, "version": "2.1"},
        {"id": "b", "tool": _MAIL, "inputs": ["a", {"from": "b", "back": "true"}]},
    ]
    plan, findings = read_plan({"steps": steps})
    assert plan is not None
    assert plan.steps[0].version == 2.1
    assert [source.back for source in plan.steps[1].inputs or ()] == [False, True]
    assert not findings


def test_steps_in_two_places_are_refused() -> None:
    """One of the lists would be lost."""
    compilation = _compile({"tool": _HOOK}, plan=[{"tool": _MAIL}])
    assert ("GB111", "/plan") in _findings(compilation)


def test_a_name_beside_id_and_tool_names_the_node() -> None:
    """It is the action of a step without one."""
    compilation = _compile(
        {"id": "a", "tool": _HOOK, "name": "Receive it", "params": {"path": "p"}}
    )
    assert _node(compilation)["name"] == "Receive it"


def test_a_kind_of_port_that_a_step_is_not_connected_by_is_noted() -> None:
    """The kind of its node is used."""
    compilation = _compile(
        {"id": "a", "tool": _HOOK, "params": {"path": "p"}},
        {"id": "agent", "tool": AGENT, "inputs": ["a"]},
        {"tool": MODEL, "for": "agent", "as": "ai_memory"},
    )
    assert _findings(compilation) == [("GB110", "/steps/2/as")]


def test_the_name_of_an_output_that_a_step_has_not_is_refused() -> None:
    """Also where the only output has no name; that is called main."""
    start = {"id": "a", "tool": _HOOK, "params": {"path": "p"}}
    for output, codes in (("main", set()), ("approved", {"GB324"})):
        steps = (start, {"tool": _MAIL, "inputs": [{"from": "a", "output": output}]})
        reported = {finding.code for finding in _compile(*steps).diagnostics}
        assert reported & {"GB324"} == codes
