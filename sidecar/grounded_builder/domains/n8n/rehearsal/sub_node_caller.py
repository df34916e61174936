"""Puts an agent with a rehearsed model in place of a node, so that sub-nodes of it are called.

The agent calls each of its tools once; a model, a memory, embeddings or a store that it is given
run too.
Only nodes from which data reaches that node run before it, and none after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grounded_builder.domains.n8n.analysis.links import Wiring
from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.rehearsal.exchange import Request
from grounded_builder.domains.n8n.rehearsal.invented_credentials import mark_of
from grounded_builder.domains.n8n.rehearsal.senders import find_mark
from grounded_builder.ir.graph import Edge

CALLER_TYPE = "openAiApi"
"""The type of the credential of the rehearsed model."""

CALLER_NUMBER = 9_999
"""The number of the credential of the rehearsed model; those of nodes begin with 1."""

MOST_CALLS = 50
"""The tools that one run calls at most."""

_AI = "@n8n/n8n-nodes-langchain"
_TOOL, _MODEL, _EMBEDDING = "ai_tool", "ai_languageModel", "ai_embedding"
_MEMORY, _STORAGE = "ai_memory", "ai_vectorStore"
# The first versions that n8n 2.41 runs as it runs the newest.
_AGENT = {
    "type": f"{_AI}.agent",
    "typeVersion": 2.2,
    "parameters": {
        "promptType": "define",
        "text": "Call each tool once.",
        "options": {"maxIterations": MOST_CALLS + 2},
    },
}
_OWN_MODEL = {
    "type": f"{_AI}.lmChatOpenAi",
    "typeVersion": 1.2,
    "parameters": {"model": {"__rl": True, "mode": "id", "value": "gpt-4o-mini"}, "options": {}},
}
_STORE = {
    "type": f"{_AI}.vectorStoreInMemory",
    "typeVersion": 1,
    "parameters": {
        "mode": "retrieve-as-tool",
        "toolDescription": "An empty store.",
    },
}
_QUESTIONS = {
    "type": f"{_AI}.toolVectorStore",
    "typeVersion": 1,
    "parameters": {"description": "A store with answers."},
}
_KEPT = ("id", "name", "position")
# An agent has one of each.
_SINGLE = (_MODEL, _MEMORY)


def list_calls(wiring: Wiring, unreached: Sequence[str]) -> Iterator[tuple[str, Edge]]:
    """Yields the sub-nodes that an agent can be given, each with a node that it serves.

    A sub-node of a sub-node belongs to the first node that serves none.
    """
    for name in unreached:
        for edge in wiring.served.get(name, ()):
            if edge.source_kind in (_TOOL, _MODEL, _MEMORY, _EMBEDDING, _STORAGE):
                yield _find_root(wiring, edge.target), edge


def choose_together(edges: Sequence[Edge]) -> tuple[Edge, ...]:
    """Returns the sub-nodes that one agent can have: all, but one model and one memory."""
    chosen: dict[str, Edge] = {}
    for edge in edges[:MOST_CALLS]:
        key = edge.source_kind if edge.source_kind in _SINGLE else edge.source
        chosen.setdefault(key, edge)
    return tuple(chosen.values())


def put_caller(
    workflow: Mapping[str, Any],
    root: str,
    edges: Sequence[Edge],
    credential: Mapping[str, str] | None,
) -> Mapping[str, Any]:
    """Returns the workflow with an agent as ``root`` that has these sub-nodes and no other."""
    kept = _list_before(workflow["connections"], root)
    connections: dict[str, dict[str, Any]] = {
        source: {kind: _keep(outputs, kind, root, kept) for kind, outputs in by_kind.items()}
        for source, by_kind in workflow["connections"].items()
        if source != root
    }
    added: list[Mapping[str, Any]] = []

    def connect(source: str, kind: str, target: str) -> None:
        outputs = connections.setdefault(source, {}).setdefault(kind, [])
        outputs[:1] = [[*(outputs[0] if outputs else ()), _entry(target, kind)]]

    model = next((edge.source for edge in edges if edge.source_kind == _MODEL), "")
    if not model:
        model = f"{root} (model)"
        login = {} if credential is None else {"credentials": {CALLER_TYPE: credential}}
        added.append({**_make_node(model, _OWN_MODEL), **login})
    connect(model, _MODEL, root)
    for number, edge in enumerate(edges):
        kind = edge.source_kind
        if kind in (_EMBEDDING, _STORAGE):
            tool = f"{root} (store {number + 1})"
            made = _make_node(tool, _STORE if kind == _EMBEDDING else _QUESTIONS)
            name = "toolName" if kind == _EMBEDDING else "name"
            named = {**made["parameters"], name: f"store_{number + 1}"}
            added.append({**made, "parameters": named})
            connect(edge.source, kind, tool)
            connect(tool, _TOOL, root)
            if kind == _STORAGE:
                connect(model, _MODEL, tool)
        elif kind != _MODEL:
            connect(edge.source, kind, root)
    nodes = [
        {**{key: node[key] for key in _KEPT if key in node}, **_AGENT}
        if node["name"] == root
        else node
        for node in workflow["nodes"]
    ]
    return {**workflow, "nodes": [*nodes, *added], "connections": connections}


def is_of_caller(request: Request) -> bool:
    """Returns whether the rehearsed model's own node sent a request, and none of the workflow."""
    return find_mark(request, {mark_of(CALLER_TYPE, CALLER_NUMBER): ""}) is not None


def _find_root(wiring: Wiring, name: str) -> str:
    seen: set[str] = set()
    while name not in seen and wiring.served.get(name):
        seen.add(name)
        name = wiring.served[name][0].target
    return name


def _list_before(connections: Mapping[str, Any], root: str) -> set[str]:
    """Returns a node and those from which data reaches it."""
    kept, size = {root}, 0
    while len(kept) > size:
        size = len(kept)
        kept |= {
            source
            for source, by_kind in connections.items()
            for listed in by_kind.get(MAIN) or ()
            for entry in listed or ()
            if entry.get("node") in kept
        }
    return kept


def _keep(outputs: Any, kind: str, root: str, kept: set[str]) -> list[Any]:
    """Returns the outputs of a kind: data to these nodes, and the root without its sub-nodes."""
    return [
        [
            e
            for e in listed or ()
            if (e.get("node") in kept if kind == MAIN else e.get("node") != root)
        ]
        for listed in outputs or ()
    ]


def _entry(target: str, kind: str) -> Mapping[str, Any]:
    return {"node": target, "type": kind, "index": 0}


def _make_node(name: str, content: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": f"rehearsal {name}", "name": name, "position": [0, 0], **content}
