"""Names that are no ids are compared with the catalog a bounded number of times."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import Compilation, compile_draft
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions, Limits
from tests.support.registries import acme_registry

_REGISTRY = acme_registry()


def _compile(draft: dict[str, Any], names: int) -> Compilation:
    options = CompileOptions(limits=Limits(names=names))
    return compile_draft(draft, N8N, _REGISTRY, options)


def _plan(*tools: str) -> dict[str, Any]:
    return {"steps": [{"id": f"s{at}", "tool": tool} for at, tool in enumerate(tools)]}


def _workflow(*tools: str) -> dict[str, Any]:
    nodes = [
        {"id": str(at), "name": f"n{at}", "type": tool, "typeVersion": 1, "position": [0, 0]}
        for at, tool in enumerate(tools)
    ]
    return {"name": "w", "nodes": nodes, "connections": {}}


def _messages(compilation: Compilation, code: str) -> list[str]:
    return [item.message for item in compilation.diagnostics if item.code == code]


@pytest.mark.parametrize("draft", [_plan, _workflow])
def test_names_beyond_the_bound_are_unknown_and_counted(draft: Any) -> None:
    """They are unknown without a suggestion, and a note states how many were not compared."""
    typos = [f"acme-nodes.mial{letter}" for letter in "abcde"]
    compilation = _compile(draft(*typos), 2)
    note = "3 names were not compared with all tools"
    assert [message.startswith(note) for message in _messages(compilation, "GB208")] == [True]
    unresolved = [item for item in compilation.diagnostics if item.code in ("GB201", "GB202")]
    assert len(unresolved) + len(_messages(compilation, "GB203")) == 5
    assert not unresolved[-1].alternatives


@pytest.mark.parametrize("draft", [_plan, _workflow])
def test_a_name_counts_once(draft: Any) -> None:
    """The same name any number of times is one comparison, and ids are none."""
    names = ["acme-nodes.mial"] * 5 + ["acme-nodes.hook", "acme-nodes.mail"]
    compilation = _compile(draft(*names), 2)
    assert _messages(compilation, "GB208") == []


def test_ids_are_resolved_beyond_the_bound() -> None:
    """A name that is an id needs no comparison."""
    compilation = _compile(_plan("zendo", "blorf", "acme-nodes.hook"), 1)
    assert compilation.plan is not None
    assert [node["tool_id"] for node in compilation.plan.nodes] == [None, None, "acme-nodes.hook"]
    assert len(_messages(compilation, "GB208")) == 1
