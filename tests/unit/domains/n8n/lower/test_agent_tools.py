"""A step that serves an agent is a sub-node of it, or the plan is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.edit.editor import EDITOR
from grounded_builder.drafting.edits.apply import apply_edits
from grounded_builder.ir.editor import EditContext
from grounded_builder.ir.options import CompileOptions
from tests.support.catalogs import AGENT, LOOKUP, MODEL
from tests.unit.domains.n8n.drafts import START, STEP, node, registry, text, tool, workflow

_TOOL_OUTPUT = [{"kind": "ai_tool"}]
_MODES = ["retrieve", "retrieve-as-tool"]
_MORE = {
    "name": "more",
    "type": "collection",
    "default": {},
    "options": [text("description"), text("title")],
}
_KNOWN = registry(
    tool("acme-nodes.calendar", parameters=[text("day"), _MORE]),
    tool(
        "acme-nodes.calendarTool",
        inputs=[],
        outputs=_TOOL_OUTPUT,
        parameters=[text("day"), text("toolDescription"), text("descriptionType"), _MORE],
        traits={"tool_of": "acme-nodes.calendar", "generated": "ai_tool"},
    ),
    tool(
        "acme-nodes.vectors",
        inputs=[],
        outputs={
            "source": "={{ $parameter.mode === 'retrieve' ? ['ai_vectorStore'] : ['ai_tool'] }}",
            "reads": ["mode"],
            "table": [
                {"when": {"mode": "retrieve"}, "ports": [{"kind": "ai_vectorStore"}]},
                {"when": {"mode": "retrieve-as-tool"}, "ports": _TOOL_OUTPUT},
            ],
        },
        parameters=[
            {
                "name": "mode",
                "type": "options",
                "default": "retrieve",
                "options": [{"name": mode, "value": mode} for mode in _MODES],
            }
        ],
    ),
)
_FIRST: list[dict[str, Any]] = [
    {"id": "start", "tool": START},
    {"id": "agent", "tool": AGENT},
    {"id": "brain", "tool": MODEL, "for": "agent"},
]


def _compile_steps(*steps: dict[str, Any]) -> Compilation:
    return compile_with_fixes({"steps": [*_FIRST, *steps]}, N8N, _KNOWN, CompileOptions())


def _edges(compilation: Compilation) -> set[tuple[str, str, str]]:
    """The edges of the artifact by the ids of tools: source, kind, target."""
    assert compilation.artifact is not None, compilation.diagnostics
    types = {node["name"]: node["type"] for node in compilation.artifact["nodes"]}
    return {
        (types[source], kind, types[target["node"]])
        for source, kinds in compilation.artifact["connections"].items()
        for kind, outputs in kinds.items()
        for targets in outputs
        for target in targets
    }


def test_an_ordinary_node_serves_as_its_tool_variant() -> None:
    """The variant has the parameters, is attached as a tool, and the change is a finding."""
    cal = {"id": "cal", "tool": "acme-nodes.calendar", "params": {"day": "today"}, "for": "agent"}
    compilation = _compile_steps(cal)
    assert ("acme-nodes.calendarTool", "ai_tool", AGENT) in _edges(compilation)
    assert not any(
        kind == "main" and "calendar" in target for _, kind, target in _edges(compilation)
    )
    assert compilation.artifact is not None
    (made,) = [node for node in compilation.artifact["nodes"] if "calendar" in node["type"]]
    assert made["parameters"]["day"] == "today"
    (finding,) = [d for d in compilation.diagnostics if d.code == "N8N358"]
    assert (finding.at, finding.node) == (("steps", 3, "tool"), "cal")


@pytest.mark.parametrize("place", ["params", "step"])
def test_the_steps_that_an_agent_names_serve_it(place: str) -> None:
    """A list of steps under any key that is no parameter attaches them; they follow nothing."""
    attached = {"tools": ["cal"], "language_model": "brain"}
    agent: dict[str, Any] = {"id": "agent", "tool": AGENT, "inputs": ["start"]}
    agent |= {"params": attached} if place == "params" else attached
    cal = {"id": "cal", "tool": "acme-nodes.calendar", "params": {"day": "x"}, "inputs": ["agent"]}
    draft = {"steps": [_FIRST[0], agent, {"id": "brain", "tool": MODEL}, cal]}
    compilation = compile_with_fixes(draft, N8N, _KNOWN, CompileOptions())
    assert _edges(compilation) == {
        (START, "main", AGENT),
        (MODEL, "ai_languageModel", AGENT),
        ("acme-nodes.calendarTool", "ai_tool", AGENT),
    }
    assert [d.code for d in compilation.diagnostics].count("GB110") == 2


def test_a_text_inside_a_collection_that_reads_data_is_an_expression() -> None:
    """Double braces of another template stay text."""
    more = {"description": "Of {{ $json.day }} alone", "title": "Hello {{ name }}"}
    cal = {"id": "cal", "tool": "acme-nodes.calendar", "params": {"day": "x", "more": more}}
    compilation = _compile_steps(cal)
    assert compilation.artifact is not None
    (made,) = [node for node in compilation.artifact["nodes"] if "calendar" in node["type"]]
    assert made["parameters"]["more"] == {**more, "description": "=Of {{ $json.day }} alone"}


def test_an_empty_value_takes_no_place_by_words() -> None:
    """It states nothing, and is neither put elsewhere nor reported."""
    params = {"day": "x", "textOfDescription": "", "longTitle": None}
    compilation = _compile_steps({"id": "cal", "tool": "acme-nodes.calendar", "params": params})
    assert compilation.artifact is not None
    (made,) = [node for node in compilation.artifact["nodes"] if "calendar" in node["type"]]
    assert made["parameters"] == {"day": "x"}
    assert "GB308" not in [d.code for d in compilation.diagnostics]


def test_a_list_of_other_names_is_no_list_of_steps() -> None:
    """It is reported as a value without a place."""
    agent = {"id": "agent", "tool": AGENT, "params": {"tools": ["cal", "search"]}}
    steps = [_FIRST[0], agent, _FIRST[2], {"id": "cal", "tool": "acme-nodes.calendar"}]
    compilation = compile_with_fixes({"steps": steps}, N8N, _KNOWN, CompileOptions())
    assert "tools" in [d.token for d in compilation.diagnostics]


def test_a_parameter_of_the_variant_alone_replaces_no_drafted_value() -> None:
    """It resembles a nested parameter of the ordinary node, which has a value in the draft."""
    params = {"day": "x", "descriptionType": "manual", "more": {"description": "Why", "title": "T"}}
    cal = {"id": "cal", "tool": "acme-nodes.calendar", "params": params, "for": "agent"}
    compilation = _compile_steps(cal)
    assert compilation.artifact is not None
    (made,) = [node for node in compilation.artifact["nodes"] if "calendar" in node["type"]]
    assert made["parameters"]["more"] == {"description": "Why", "title": "T"}
    assert made["parameters"]["descriptionType"] == "manual"
    assert params["more"] == {"description": "Why", "title": "T"}


def test_a_loose_name_takes_no_place_that_has_a_value() -> None:
    """The value that has no other place is reported."""
    params = {"day": "x", "descriptions": "manual", "more": {"description": "Why"}}
    compilation = _compile_steps({"id": "cal", "tool": "acme-nodes.calendar", "params": params})
    assert compilation.artifact is None or all(
        node["parameters"].get("more", {"description": "Why"}) == {"description": "Why"}
        for node in compilation.artifact["nodes"]
    )
    assert any(finding.token == "descriptions" for finding in compilation.diagnostics)


def test_a_node_with_a_mode_of_a_tool_is_set_to_it() -> None:
    """A vector store for an agent is retrieved as a tool, unless another mode is written."""
    assert ("acme-nodes.vectors", "ai_tool", AGENT) in _edges(
        _compile_steps({"id": "v", "tool": "acme-nodes.vectors", "for": "agent"})
    )
    written = {"id": "v", "tool": "acme-nodes.vectors", "params": {"mode": "retrieve"}}
    compilation = _compile_steps(written | {"for": "agent"})
    assert [d.at for d in compilation.diagnostics if d.rule.kind == "wrong"] == [("steps", 3)]


@pytest.mark.parametrize(
    ("step", "host"),
    [
        ({"tool": STEP}, "agent"),
        ({"tool": "acme-nodes.calendar"}, "start"),
        ({"tool": START}, "agent"),
    ],
)
def test_node_that_cannot_serve_agent_is_wrong(step: dict[str, Any], host: str) -> None:
    """A node without a tool variant and a host without sub-nodes are errors, not main edges."""
    compilation = _compile_steps({"id": "it", "for": host, **step})
    assert compilation.verdict == "wrong"
    (finding,) = [d for d in compilation.diagnostics if d.code == "GB325"]
    assert finding.node == "it"
    assert f'"{host}"' in finding.message


def test_a_sub_node_can_serve_several_steps() -> None:
    """A list of ids attaches it to each; one that is no step is reported."""
    more = [{"id": "agent2", "tool": AGENT}]
    brain = {"id": "shared", "tool": MODEL, "for": ["agent2", "agent"]}
    tool_ = {"id": "look", "tool": LOOKUP, "params": {"table": "t"}, "for": ["agent", "agent2"]}
    compilation = _compile_steps(*more, tool_)
    assert [d.code for d in compilation.diagnostics if d.rule.kind == "wrong"] == ["GB316"]
    steps = [step for step in _FIRST if step["id"] != "brain"]
    draft = {"steps": [*steps, *more, brain, tool_]}
    compilation = compile_with_fixes(draft, N8N, _KNOWN, CompileOptions())
    assert compilation.artifact is not None, compilation.diagnostics
    targets = {
        source: sum(len(outputs) for kind in kinds.values() for outputs in kind)
        for source, kinds in compilation.artifact["connections"].items()
    }
    assert sorted(targets.values()) == [1, 1, 2, 2]
    gone = _compile_steps({"id": "look", "tool": LOOKUP, "for": ["agent", "ghost"]})
    assert [d.token for d in gone.diagnostics if d.code == "GB321"] == ["ghost"]


def test_an_edit_attaches_a_node_as_its_tool_variant() -> None:
    """A step that an edit adds for an agent is the tool of its node."""
    nodes = [node("S", START), node("Agent", AGENT)]
    added = {"add": {"id": "cal", "tool": "acme-nodes.calendar"}, "for": "Agent"}
    ground = EditContext(N8N, _KNOWN, CompileOptions())
    draft = workflow(nodes, [("S", "Agent")])
    revision = apply_edits(draft, {"changes": [added]}, EDITOR, ground)
    made = [n for n in revision.document["nodes"] if "calendar" in n["type"]]
    assert [n["type"] for n in made] == ["acme-nodes.calendarTool"]
    edges = revision.document["connections"][made[0]["name"]]
    assert list(edges) == ["ai_tool"]


def test_an_input_for_a_sub_node_is_switched_on() -> None:
    """A host whose parameter gives it the input takes the sub-node."""
    parser = tool("acme-nodes.parser", inputs=[], outputs=[{"kind": "ai_outputParser"}])
    inputs = [{"kind": "main"}, {"kind": "ai_outputParser"}]
    host = tool(
        "acme-nodes.chain",
        inputs={
            "source": "={{ $parameter.parses ? ['main', 'ai_outputParser'] : ['main'] }}",
            "reads": ["parses"],
            "table": [
                {"when": {"parses": False}, "ports": inputs[:1]},
                {"when": {"parses": True}, "ports": inputs},
            ],
        },
        parameters=[{"name": "parses", "type": "boolean", "default": False}],
    )
    steps = [
        {"id": "start", "tool": START},
        {"id": "chain", "tool": "acme-nodes.chain"},
        {"id": "parser", "tool": "acme-nodes.parser", "for": "chain"},
    ]
    compilation = compile_with_fixes(
        {"steps": steps}, N8N, registry(parser, host), CompileOptions()
    )
    assert ("acme-nodes.parser", "ai_outputParser", "acme-nodes.chain") in _edges(compilation)
