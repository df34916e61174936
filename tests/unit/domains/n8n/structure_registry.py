"""Provides a registry with the nodes that n8n's structure rules name, and checks drafts."""

from __future__ import annotations

from typing import Any

from grounded_builder.compiler.pipeline import Compilation, compile_draft, compile_with_fixes
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.unit.domains.n8n.drafts import (
    MAIN,
    START,
    Edge,
    Line,
    node,
    registry,
    text,
    tool,
    workflow,
)

LOOP = "n8n-nodes-base.splitInBatches"
DECISION = "acme-nodes.decision"
SORTER = "acme-nodes.sorter"
JOIN = "acme-nodes.join"
AGENT = "@n8n/n8n-nodes-langchain.agent"
NAMED_TOOL = "@n8n/n8n-nodes-langchain.toolWorkflow"
MADE_TOOL = "acme-nodes.stepTool"
TOOLBOX = "acme-nodes.toolbox"
PARSER = "acme-nodes.parser"
FORM = "n8n-nodes-base.form"
FORM_START = "n8n-nodes-base.formTrigger"
CHAT = "@n8n/n8n-nodes-langchain.chat"
CHAT_START = "@n8n/n8n-nodes-langchain.chatTrigger"
ONLY = "acme-nodes.onlyTrigger"
CALL = "acme-nodes.call"

AI_TOOL: list[Line] = [{"kind": "ai_tool"}]
_WAYS = (
    "={{ ($parameter.ways || '').split(',').map((name) => ({type: 'main', displayName: name})) }}"
)


def _ports(*names: str) -> list[Line]:
    return [{"kind": "main", "name": name} for name in names]


REGISTRY = registry(
    tool(LOOP, versions=[1], parameters=[{"name": "options", "type": "collection", "default": {}}]),
    tool(DECISION, outputs=_ports("true", "false")),
    tool(SORTER, outputs={"source": _WAYS, "reads": ["ways"]}, parameters=[text("ways")]),
    tool(
        JOIN,
        inputs=_ports("Input 1", "Input 2"),
        parameters=[text("mode")],
        traits={"required_inputs": '={{ $parameter["mode"] === "both" ? [0, 1] : 1 }}'},
    ),
    tool(AGENT, inputs=[*MAIN, *AI_TOOL], versions=[1, 2]),
    tool(
        NAMED_TOOL,
        inputs=[],
        outputs=AI_TOOL,
        parameters=[text("name"), text("description")],
        versions=[2, 2.2],
    ),
    tool(
        MADE_TOOL,
        inputs=[],
        outputs=AI_TOOL,
        parameters=[text("text")],
        traits={"tool_of": "acme-nodes.step", "generated": "ai_tool"},
    ),
    tool(TOOLBOX, inputs=AI_TOOL, outputs=AI_TOOL),
    tool(
        PARSER,
        inputs=[{"kind": "ai_outputParser"}],
        outputs=[{"kind": "ai_outputParser"}],
    ),
    tool(FORM, parameters=[text("operation", default="page")]),
    tool(
        FORM_START,
        inputs=[],
        parameters=[text("path")],
        traits={"trigger": True},
    ),
    tool(CHAT),
    tool(
        CHAT_START,
        inputs=[],
        parameters=[
            text("mode", default="hostedChat"),
            {
                "name": "options",
                "type": "collection",
                "default": {},
                "options": [text("responseMode")],
            },
        ],
        traits={"trigger": True},
    ),
    tool(ONLY, inputs=[], traits={"trigger": True, "max_nodes": 1}),
    tool(
        CALL,
        inputs=[],
        parameters=[text("path"), text("method", default="GET")],
        traits={
            "trigger": True,
            "webhooks": [
                {
                    "path": '={{ $parameter["path"] || $webhookId }}/x',
                    "httpMethod": '={{$parameter["method"] || "GET"}}',
                    "isFullPath": True,
                },
                {"path": "again", "httpMethod": "POST", "restartWebhook": True},
            ],
        },
    ),
    tool(
        "acme-nodes.heard",
        inputs=[],
        traits={"trigger": True, "webhooks": [{"path": "webhook", "httpMethod": "POST"}]},
    ),
)


def loop(versions: list[float], *names: str) -> Line:
    """The variant of a loop node with these outputs."""
    return {
        "versions": versions,
        "inputs": MAIN,
        "outputs": _ports(*names),
        "parameters": [
            {
                "name": "options",
                "type": "collection",
                "default": {},
                "options": [{"name": "reset", "type": "boolean", "default": False}],
            }
        ],
    }


LOOPS = registry(
    tool(LOOP, versions=[1])
    | {"variants": [loop([1], ""), loop([2], "loop", "done"), loop([3], "done", "loop")]},
    tool(DECISION, outputs=_ports("true", "false")),
    tool(PARSER, inputs=[{"kind": "ai_outputParser"}], outputs=[{"kind": "ai_outputParser"}]),
    tool(TOOLBOX, inputs=AI_TOOL, outputs=AI_TOOL),
)


def draft(nodes: list[Line], *edges: Edge, **more: Any) -> Line:
    """A workflow that a trigger S starts."""
    return workflow([node("S", START), *nodes], edges, **more)


def findings_of(document: Any, code: str, known: Any = REGISTRY) -> list[Diagnostic]:
    """The findings of one code."""
    return [
        d
        for d in compile_draft(document, N8N, known, CompileOptions()).diagnostics
        if d.code == code
    ]


def fix_draft(document: Any, known: Any = REGISTRY) -> Compilation:
    """What the safe fixes make of a draft."""
    return compile_with_fixes(document, N8N, known, CompileOptions())


def nodes_of(document: Any, code: str, known: Any = REGISTRY) -> list[str | None]:
    """The nodes of the findings of one code."""
    return [d.node for d in findings_of(document, code, known)]
