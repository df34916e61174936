"""Answers requests for the columns of a table with those that the workflow's nodes name.

Notion: https://developers.notion.com/reference/retrieve-a-data-source and
https://developers.notion.com/reference/property-object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.domains.n8n.rehearsal.answers.question import Question
from grounded_builder.domains.n8n.rehearsal.exchange import Answer, json_answer
from grounded_builder.ir.graph import ResolvedGraph

_SOURCE = "the columns that the workflow names"
_DEEPEST = 6
_MOST_COLUMNS = 200
_TABLES = ("data_sources", "databases")


def answer_schema(question: Question, resolved: ResolvedGraph) -> Answer | None:
    """Returns the columns of a table of Notion, None for another request."""
    request, segments = question.request, question.segments
    if request.host != "api.notion.com" or request.method != "GET" or len(segments) != 3:
        return None
    if segments[1] not in _TABLES:
        return None
    columns: dict[str, str] = {}
    for bound in resolved.nodes:
        if (bound.node.tool or "").rpartition(".")[2].startswith("notion"):
            for name, kind in _list_columns(bound.node.params, 0):
                columns.setdefault(name, kind)
    if "title" not in columns.values():
        columns = {"Name": "title", **columns}
    properties = {
        name: {"id": f"p{at}", "name": name, "type": kind, kind: {}}
        for at, (name, kind) in enumerate(list(columns.items())[:_MOST_COLUMNS])
    }
    content = {
        "object": segments[1].removesuffix("s"),
        "id": segments[2],
        "title": [{"type": "text", "plain_text": "Rehearsal", "text": {"content": "Rehearsal"}}],
        "url": f"https://www.notion.so/{segments[2]}",
        "properties": properties,
        "data_sources": [{"id": segments[2], "name": "Rehearsal"}],
    }
    return json_answer(content, _SOURCE)


def _list_columns(value: Any, depth: int) -> Iterator[tuple[str, str]]:
    """Yields the columns in parameters; n8n writes a column of Notion as ``name|type``."""
    if isinstance(value, list) and depth < _DEEPEST:
        for item in value:
            yield from _list_columns(item, depth + 1)
    elif isinstance(value, Mapping) and depth < _DEEPEST:
        for key, item in value.items():
            if key == "key" and isinstance(item, str) and item[:1] != "=":
                name, _, kind = item.rpartition("|")
                if name and kind.isidentifier():
                    yield name, kind
            else:
                yield from _list_columns(item, depth + 1)
