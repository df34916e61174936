"""Values that a model fills in are allowed only in tools and their sub-nodes."""

from __future__ import annotations

from typing import Any

from tests.unit.domains.n8n.drafts import CODE, STEP, Edge, node
from tests.unit.domains.n8n.structure_registry import AGENT, MADE_TOOL, draft, findings_of

ASKED = {"text": "={{ $fromAI('query', 'what to look for') }}"}
TOOL: Edge = ("T", "ai_tool", 0, "A", "ai_tool", 0)


def _reported_keys(*nodes: dict[str, Any], edges: tuple[Edge, ...]) -> list[Any]:
    return [d.at[-1] for d in findings_of(draft(list(nodes), *edges), "N8N320")]


def test_a_step_has_no_model_to_ask() -> None:
    """$fromAI in a node that data runs through is wrong at its place, in any case of letters."""
    assert _reported_keys(node("T", STEP, ASKED), edges=(("S", "T"),)) == ["text"]
    loose = {"text": "={{ $fromAi ('query') }}"}
    assert _reported_keys(node("T", STEP, loose), edges=(("S", "T"),)) == ["text"]
    code = node("T", CODE, {"jsCode": "return [{json: {a: $fromAI('a')}}]"})
    assert _reported_keys(code, edges=(("S", "T"),)) == ["jsCode"]


def test_a_tool_is_asked_by_its_agent() -> None:
    """It is for tools, whether connected yet or not, and not for the agent itself."""
    agent, tool = node("A", AGENT), node("T", MADE_TOOL, ASKED)
    assert _reported_keys(agent, tool, edges=(("S", "A"), TOOL)) == []
    assert _reported_keys(agent, tool, edges=(("S", "A"),)) == []
    asking = agent | {"parameters": ASKED}
    assert _reported_keys(asking, tool, edges=(("S", "A"), TOOL)) == ["text"]


def test_from_ai_in_plain_text_is_not_reported() -> None:
    """Plain text, disabled nodes and unknown types are not reported."""
    plain = node("T", STEP, {"text": "use {{ $fromAI('x') }} here"})
    assert _reported_keys(plain, edges=(("S", "T"),)) == []
    entries = {"text": "=about $fromAI('x') and {{ $json.a + \"$fromAI('x')\" }}"}
    assert _reported_keys(node("T", STEP, entries), edges=(("S", "T"),)) == []
    assert _reported_keys(node("T", STEP, ASKED, disabled=True), edges=(("S", "T"),)) == []
    unknown = node("T", "acme-nodes.noSuchThingAtAll", ASKED)
    assert _reported_keys(unknown, edges=(("S", "T"),)) == []


def test_a_made_tool_takes_four_types() -> None:
    """n8n makes no tool of a node whose $fromAI asks for another type; letters may be of any case.

    What is no plain text is not checked, nor a node that n8n makes no tool of: there none is read.
    """

    def find_refused(value: str, *, of: str = MADE_TOOL) -> int:
        tool = node("T", of, {"text": "={{ " + value + " }}"})
        return len(findings_of(draft([node("A", AGENT), tool], ("S", "A"), TOOL), "N8N350"))

    for type_ in ("'integer'", '"date"', "`array`", "''", "' string'"):
        assert find_refused(f"$fromAI('a', 'b, (c)', {type_})") == 1, type_
    for type_ in ("'string'", '"Number"', "`BOOLEAN`", "'json'", "kind", "'a' + 'b'"):
        assert find_refused(f"$fromAI('a', 'b, (c)', {type_})") == 0, type_
    assert find_refused("$fromAI('a', 'b')") == 0
    assert find_refused("$fromAI('a', 'b', 'integer')", of=STEP) == 0
