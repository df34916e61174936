"""The outputs that a plan names are those of its nodes, or are added, or are reported."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.domains.n8n.analysis.ports import Port
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.lower.output_names import find_output
from grounded_builder.ir.options import CompileOptions
from tests.unit.domains.n8n.drafts import START, STEP, registry, tool

_IF, _LOOP, _SWITCH, _JOIN = (f"acme-nodes.{name}" for name in ("if", "loop", "switch", "join"))
_RULES = "={{ [...$parameter.rules.map((name) => ({type: 'main', displayName: name})), "
_EXTRA = (
    "...($parameter.options?.rest === 'extra' ? [{type: 'main', displayName: 'Rest'}] : [])] }}"
)
_KNOWN = registry(
    tool(_IF, outputs=[{"kind": "main", "name": "true"}, {"kind": "main", "name": "false"}]),
    tool(_LOOP, outputs=[{"kind": "main", "name": "done"}, {"kind": "main", "name": "loop"}]),
    tool(_JOIN, inputs=[{"kind": "main", "name": "Left"}, {"kind": "main", "name": "Right"}]),
    tool(
        _SWITCH,
        outputs={"source": _RULES + _EXTRA, "reads": ["rules", "options.rest"]},
        parameters=[
            {"name": "rules", "type": "json", "default": []},
            {
                "name": "options",
                "type": "collection",
                "default": {},
                "options": [
                    {
                        "name": "rest",
                        "type": "options",
                        "default": "none",
                        "options": [
                            {"name": "None", "value": "none"},
                            {"name": "X", "value": "extra"},
                        ],
                    }
                ],
            },
        ],
    ),
)


def _compile_step(step: dict[str, Any], **source: Any) -> Compilation:
    steps = [
        {"id": "start", "tool": START},
        {"id": "fork", "inputs": ["start"], **step},
        {"id": "next", "tool": STEP, "inputs": [{"from": "fork", **source}]},
    ]
    return compile_with_fixes({"steps": steps}, N8N, _KNOWN, CompileOptions())


def _follow(step: dict[str, Any], source: Any) -> Compilation:
    steps = [
        {"id": "start", "tool": START},
        {"id": "fork", "inputs": ["start"], **step},
        {"id": "next", "tool": STEP, "inputs": [source]},
    ]
    return compile_with_fixes({"steps": steps}, N8N, _KNOWN, CompileOptions())


def _fork(compilation: Compilation) -> tuple[int, dict[str, Any]]:
    """The output of the fork by which the next step follows, and the node."""
    assert compilation.artifact is not None, compilation.diagnostics
    node = compilation.artifact["nodes"][1]
    outputs = compilation.artifact["connections"][node["name"]]["main"]
    (index,) = [number for number, targets in enumerate(outputs) if targets]
    return index, node


@pytest.mark.parametrize(
    ("type_", "output", "index"),
    [
        *((_IF, word, 0) for word in ("true", "True", "yes", "0")),
        *((_IF, word, 1) for word in ("false", "no", "else", "1")),
        *((_LOOP, word, 1) for word in ("loop", "each", "body")),
        *((_LOOP, word, 0) for word in ("done", "finished", 0)),
        *((STEP, word, 0) for word in ("success", "main", "output", 0)),
    ],
)
def test_an_output_is_found_by_name_number_or_usual_word(
    type_: str, output: str | int, index: int
) -> None:
    """Documented names and their usual synonyms lead to the same output."""
    assert _fork(_compile_step({"tool": type_}, output=output))[0] == index


@pytest.mark.parametrize(
    ("source", "type_", "index"),
    [
        ("fork.false", _IF, 1),
        ("fork:false", _IF, 1),
        ("fork/false", _IF, 1),
        ("fork[1]", _IF, 1),
        ("fork['false']", _IF, 1),
        ("fork (false)", _IF, 1),
        ("fork -> no", _IF, 1),
        ({"from": "fork.false"}, _IF, 1),
        ({"from": "fork.false", "output": "false"}, _IF, 1),
        ("fork#loop", _LOOP, 1),
        ("fork.output", STEP, 0),
    ],
)
def test_an_output_is_read_from_the_name_of_a_source(source: Any, type_: str, index: int) -> None:
    """A step and its output in one text are the same as the two keys, with a note."""
    compilation = _follow({"tool": type_}, source)
    assert _fork(compilation)[0] == index
    assert any(d.code == "GB110" and '"fork' in d.message for d in compilation.diagnostics)


@pytest.mark.parametrize(
    ("source", "code", "help_"),
    [
        ("fork.maybe", "GB324", "its outputs: true, false"),
        ("fork_true", "GB321", '{"from":"fork","output":"true"}'),
        ("fork-true", "GB321", '{"from":"fork","output":"true"}'),
        ("spoon.true", "GB321", "steps: start, fork, next"),
        ({"from": "fork.true", "output": "false"}, "GB321", '{"from":"fork","output":"true"}'),
    ],
)
def test_an_unknown_output_in_the_name_of_a_source_is_reported(
    source: Any, code: str, help_: str
) -> None:
    """The finding shows the outputs of the step, or how an output is named."""
    findings = _follow({"tool": _IF}, source).diagnostics
    assert [help_ in d.help for d in findings if d.code == code] == [True]


def test_a_step_whose_id_has_a_mark_comes_before_the_output_of_another() -> None:
    """Ids of steps may have any characters."""
    steps = [
        {"id": "start", "tool": START},
        {"id": "fork", "tool": _IF, "inputs": ["start"]},
        {"id": "fork.false", "tool": STEP, "inputs": ["fork"]},
        {"id": "next", "tool": STEP, "inputs": ["fork.false"]},
    ]
    compilation = compile_with_fixes({"steps": steps}, N8N, _KNOWN, CompileOptions())
    assert compilation.artifact is not None
    nodes = [node["name"] for node in compilation.artifact["nodes"]]
    edges = compilation.artifact["connections"][nodes[2]]["main"]
    assert [[edge["node"] for edge in targets] for targets in edges] == [[nodes[3]]]


@pytest.mark.parametrize(("type_", "index"), [(STEP, 1), (_IF, 2)])
@pytest.mark.parametrize("word", ["error", "failure", "on_error"])
def test_an_error_output_is_added(type_: str, index: int, word: str) -> None:
    """A step whose failures are routed has the setting that gives it the output."""
    compilation = _compile_step({"tool": type_}, output=word)
    place, node = _fork(compilation)
    assert (place, node["onError"]) == (index, "continueErrorOutput")
    assert any(d.code == "GB110" and word in d.message for d in compilation.diagnostics)
    stated = _compile_step({"tool": type_, "onError": "continueErrorOutput"}, output=word)
    assert _fork(stated)[0] == index
    other = _compile_step({"tool": type_, "onError": "stopWorkflow"}, output=word)
    assert [d.token for d in other.diagnostics if d.code == "GB324"] == [word]


@pytest.mark.parametrize("word", ["fallback", "default", "rest", "otherwise"])
@pytest.mark.parametrize("options", [None, {}, {"rest": "extra"}])
def test_a_fallback_is_added_behind_the_rules(word: str, options: dict[str, Any] | None) -> None:
    """A node that can have a fallback gets it by its own parameter."""
    params: dict[str, Any] = {"rules": ["high", "low"]}
    params |= {} if options is None else {"options": options}
    place, node = _fork(_compile_step({"tool": _SWITCH, "params": params}, output=word))
    assert place == 2
    assert node["parameters"]["options"] == {"rest": "extra"}


@pytest.mark.parametrize(
    ("step", "word"),
    [
        ({"tool": _IF}, "fallback"),
        ({"tool": _IF}, "2"),
        ({"tool": STEP}, "false"),
        ({"tool": STEP}, "result"),
        ({"tool": STEP}, "fallback"),
        ({"tool": _SWITCH, "params": {"rules": ["a"]}}, "b"),
        ({"tool": _SWITCH, "params": {"rules": ["a"], "options": {"rest": "none"}}}, "fallback"),
    ],
)
def test_an_output_that_no_node_has_is_reported(step: dict[str, Any], word: str) -> None:
    """It is never another output silently."""
    compilation = _compile_step(step, output=word)
    assert [d.token for d in compilation.diagnostics if d.code == "GB324"] == [word]


def test_an_input_is_found_by_its_name_or_reported() -> None:
    """The inputs of a join have names as outputs have."""

    def join(name: Any) -> Compilation:
        steps = [
            {"id": "start", "tool": START},
            {"id": "other", "tool": STEP, "inputs": ["start"]},
            {"id": "both", "tool": _JOIN, "inputs": ["start", {"from": "other", "input": name}]},
        ]
        return compile_with_fixes({"steps": steps}, N8N, _KNOWN, CompileOptions())

    for name in ("right", "Right", "1", 1):
        compilation = join(name)
        assert compilation.artifact is not None, compilation.diagnostics
        edges = [o for k in compilation.artifact["connections"].values() for o in k["main"]]
        assert sorted(e["index"] for targets in edges for e in targets if "oin" in e["node"]) == [
            0,
            1,
        ]
    assert [d.token for d in join("middle").diagnostics if d.code == "GB117"] == ["middle"]


def test_starts_in_a_row_lead_to_the_same_step() -> None:
    """A second trigger is not left without a successor."""
    steps = [{"id": "a", "tool": START}, {"id": "b", "tool": START}, {"id": "c", "tool": STEP}]
    compilation = compile_with_fixes({"steps": steps}, N8N, _KNOWN, CompileOptions())
    assert compilation.artifact is not None
    assert len(compilation.artifact["connections"]) == 2
    assert [d.node for d in compilation.diagnostics if d.code == "GB310"] == ["c"]


def test_a_name_of_the_node_comes_before_any_other_meaning() -> None:
    """A rule named like a usual word is that rule."""
    ports = (Port("main", "no"), Port("main", "Default"), Port("main", "Error", is_error=True))
    assert [find_output(word, ports) for word in ("no", "default", "error", "2", "9")] == [
        0,
        1,
        2,
        2,
        None,
    ]
