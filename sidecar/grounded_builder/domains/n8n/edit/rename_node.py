"""Renames a node and all references to it, and checks whether other nodes refer to a node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grounded_builder.diagnostics import new_diagnostic
from grounded_builder.diagnostics.json_texts import list_texts
from grounded_builder.domains.n8n.edit.document import Canvas
from grounded_builder.domains.n8n.edit.nodes_in_request import find_node
from grounded_builder.domains.n8n.expressions.references import may_refer
from grounded_builder.domains.n8n.expressions.texts import Text, collect_texts
from grounded_builder.domains.n8n.lower.references import rename_references
from grounded_builder.ir.edit_operations import Rename
from grounded_builder.ir.graph import ResolvedNode
from grounded_builder.ir.rules.edges import DUPLICATE_NAME


def rename(change: Rename, canvas: Canvas) -> None:
    """Renames a node; the name of another node is refused."""
    name = find_node(change.node, change.at, canvas)
    if name is None or name == change.to:
        return
    if change.to in canvas.resolve.by_name:
        message = f'another node is already named "{change.to}"'
        hint = "choose a name that no other node has"
        diagnostic = new_diagnostic(
            DUPLICATE_NAME, (*change.at, "to"), message, help=hint, node=change.to
        )
        canvas.diagnostics.append(diagnostic)
        return
    spoken_of = rename_everywhere(canvas, name, change.to)
    canvas.notes.append(f'"{name}": renamed to "{change.to}"')
    for node in spoken_of:
        canvas.notes.append(f'"{node}": its references to "{change.to}" were renamed')


def rename_everywhere(canvas: Canvas, name: str, new: str) -> list[str]:
    """Renames a node in nodes, edges, pinned items and expressions; returns the referring nodes."""
    speakers = []
    for bound, text in list(_referring_texts(canvas, name)):
        value = rename_references(text.value, {name: new})
        if value != text.value:
            entry = canvas.node(bound.node.name)
            _put(entry, text.at[len(bound.node.at) :], value)
            speakers.append(bound.node.name)
    canvas.node(name)["name"] = new
    canvas.touched = {new if item == name else item for item in canvas.touched}
    connections = canvas.workflow.get("connections")
    if isinstance(connections, dict):
        _rename_key(connections, name, new)
        for entry in _targets(connections):
            if entry.get("node") == name:
                entry["node"] = new
    pinned = canvas.workflow.get("pinData")
    if isinstance(pinned, dict):
        _rename_key(pinned, name, new)
    canvas.renamed = {old: new if to == name else to for old, to in canvas.renamed.items()}
    canvas.renamed[name] = new
    canvas.steps = {step: new if node == name else node for step, node in canvas.steps.items()}
    return [new if fromkey == name else fromkey for fromkey in dict.fromkeys(speakers)]


def is_referenced(canvas: Canvas, name: str) -> bool:
    """Returns whether another node's expressions refer to a node."""
    return any(bound.node.name != name for bound, _ in _referring_texts(canvas, name))


def _referring_texts(canvas: Canvas, name: str) -> Iterator[tuple[ResolvedNode, Text]]:
    """Yields the texts that refer to a node; all texts of a node of unknown type count as code."""
    for bound in canvas.resolve.nodes:
        texts = collect_texts(bound) if bound.spec is not None else _any_text(bound)
        for text in texts:
            if (
                may_refer(text.value)
                and rename_references(text.value, {name: name + "\0"}) != text.value
            ):
                yield bound, text


def _any_text(bound: ResolvedNode) -> list[Text]:
    texts = list_texts(bound.node.params, (*bound.node.at, "parameters"))
    return [Text(bound.node.name, at, text, "code") for at, text in texts]


def _targets(connections: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for kinds in connections.values():
        for outputs in kinds.values() if isinstance(kinds, dict) else ():
            for targets in outputs if isinstance(outputs, list) else ():
                for entry in targets if isinstance(targets, list) else ():
                    if isinstance(entry, dict):
                        yield entry


def _rename_key(holder: dict[str, Any], name: str, new: str) -> None:
    """Replaces a key in place: the order of the others stays."""
    if name in holder:
        pairs = [(new if key == name else key, value) for key, value in holder.items()]
        holder.clear()
        holder.update(pairs)


def _put(entry: Any, route: tuple[str | int, ...], value: str) -> None:
    *outer, last = route
    for part in outer:
        entry = entry[part]
    entry[last] = value
