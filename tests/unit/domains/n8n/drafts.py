"""Writes small workflows over invented nodes, and the few real ids that n8n's rules name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, compile_draft
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.support.catalogs import acme, add_end_line, jsonl
from tests.support.registries import registry_from

Line = dict[str, Any]
Edge = tuple[str, str] | tuple[str, str, int, str, str, int]

MAIN: list[Line] = [{"kind": "main"}]
START = "n8n-nodes-base.manualTrigger"
WEBHOOK = "n8n-nodes-base.webhook"
RESPOND = "n8n-nodes-base.respondToWebhook"
COMMAND = "n8n-nodes-base.executeCommand"
STEP = "acme-nodes.step"
FORK = "acme-nodes.fork"
CODE = "acme-nodes.script"
STORE = "acme-nodes.store"
MODEL = "acme-nodes.brain"
PICKY = "acme-nodes.picky"
OLD = "acme-nodes.old"


def tool(
    tool_id: str,
    inputs: Any = None,
    outputs: Any = None,
    parameters: Iterable[Line] = (),
    **variant: Any,
) -> Line:
    """A catalog line of one variant, by default with one main input and output."""
    facts: Line = {
        "versions": [1, 2],
        "inputs": MAIN if inputs is None else inputs,
        "outputs": MAIN if outputs is None else outputs,
        "parameters": list(parameters),
    }
    package, _, name = tool_id.rpartition(".")
    entries = {"kind": "tool", "id": tool_id, "name": name, "package": package}
    return entries | {"variants": [facts | variant]}


def text(name: str, **facts: Any) -> Line:
    """A parameter that takes text."""
    return {"name": name, "type": "string", "default": ""} | facts


_COUNT = "={{ Array.from({length: $parameter.count || 1}, () => 'main') }}"
_MODE = "={{ $parameter.mode === 'insert' ? [{type: 'main'}] : [] }}"

TOOLS = (
    tool(START, inputs=[], traits={"trigger": True}),
    tool(
        WEBHOOK,
        inputs=[],
        parameters=[text("path"), text("responseMode", default="onReceived")],
        traits={
            "trigger": True,
            "webhooks": [
                {
                    "path": '={{$parameter["path"]}}',
                    "responseMode": '={{$parameter["responseMode"]}}',
                }
            ],
        },
    ),
    tool(RESPOND),
    tool(COMMAND, parameters=[text("command")]),
    tool(STEP, parameters=[text("text"), text("page", noDataExpression=True)]),
    tool(
        FORK,
        outputs={"source": _COUNT, "reads": ["count"]},
        parameters=[{"name": "count", "type": "number", "default": 1}],
    ),
    tool(CODE, parameters=[text("jsCode", typeOptions={"editor": "jsEditor"})]),
    tool(
        STORE,
        inputs={
            "source": _MODE,
            "reads": ["mode"],
            "table": [
                {"when": {"mode": "insert"}, "ports": MAIN},
                {"when": {"mode": "load"}, "ports": []},
            ],
        },
        outputs=[{"kind": "ai_vectorStore"}],
        parameters=[
            {
                "name": "mode",
                "type": "options",
                "default": "load",
                "options": [
                    {"name": "Insert", "value": "insert"},
                    {"name": "Load", "value": "load"},
                ],
            }
        ],
    ),
    tool(MODEL, inputs=[], outputs=[{"kind": "ai_languageModel"}]),
    tool(
        PICKY,
        inputs=[
            {"kind": "main"},
            {"kind": "ai_languageModel", "name": "Model", "required": True, "max": 1},
            {"kind": "ai_tool", "accepts": ["acme-nodes.lookupTool"]},
        ],
    ),
    tool("acme-nodes.otherTool", inputs=[], outputs=[{"kind": "ai_tool"}]),
    tool(OLD, traits={"hidden": True}),
)


def registry(*more: Line) -> Registry:
    """The tools of this file, those of the invented catalog, and more."""
    head, *rest = acme()
    invented = [line for line in rest if line["kind"] != "end"]
    return registry_from(jsonl(add_end_line([head, *invented, *TOOLS, *more])))


REGISTRY = registry()


def node(name: str, type_: str, parameters: Mapping[str, Any] | None = None, **more: Any) -> Line:
    """A node as n8n stores it."""
    entries = {"id": f"id-{name}", "name": name, "type": type_, "typeVersion": 1}
    return entries | {"position": [0, 0], "parameters": dict(parameters or {})} | more


def workflow(nodes: Iterable[Line], edges: Iterable[Edge] = (), **more: Any) -> Line:
    """A workflow; an edge of two names goes from main output 0 to main input 0."""
    connections: Line = {}
    for edge in edges:
        source, kind, output, target, to, index = (
            edge if len(edge) == 6 else (edge[0], "main", 0, edge[1], "main", 0)
        )
        outputs = connections.setdefault(source, {}).setdefault(kind, [])
        outputs.extend([] for _ in range(output + 1 - len(outputs)))
        outputs[output].append({"node": target, "type": to, "index": index})
    return {"name": "Test", "nodes": list(nodes), "connections": connections, "settings": {}} | more


def compile_workflow(
    draft: Any, options: CompileOptions | None = None, known: Registry = REGISTRY
) -> Compilation:
    """The whole compilation of a draft."""
    return compile_draft(draft, N8N, known, options or CompileOptions())


def findings_of(draft: Any, code: str, options: CompileOptions | None = None) -> list[Diagnostic]:
    """The findings of one code."""
    return [d for d in compile_workflow(draft, options).diagnostics if d.code == code]


def codes(draft: Any, options: CompileOptions | None = None) -> list[str]:
    """The codes of all findings that are not mere advice."""
    return [d.code for d in compile_workflow(draft, options).diagnostics if d.rule.kind != "advice"]
