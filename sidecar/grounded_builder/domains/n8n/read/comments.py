"""Reads the comments in a workflow: the notes of its nodes, and its sticky notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grounded_builder.domains.n8n.read.workflow import read
from grounded_builder.ir.domain import Comment

_NOTE = "n8n-nodes-base.stickyNote"


def comments(document: Any) -> Iterator[Comment]:
    """Yields every note of a node, and every sticky note as a comment on the whole workflow."""
    graph = read(document).graph
    for node in graph.nodes if graph else ():
        text = node.params.get("content") if node.tool == _NOTE else node.source.get("notes")
        if isinstance(text, str) and text:
            whole = node.tool == _NOTE
            yield Comment(() if whole else node.at, text, None if whole else node.name)
