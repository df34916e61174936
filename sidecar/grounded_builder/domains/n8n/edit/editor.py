"""Implements the Editor for n8n: applies edits, finds nodes, drafts schedules and error alerts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.catalog.tool import ToolRow
from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.analysis.start_nodes import MANUAL
from grounded_builder.domains.n8n.check.flow.triggers import NOTE
from grounded_builder.domains.n8n.edit import (
    add_step,
    connections,
    nodes_in_request,
)
from grounded_builder.domains.n8n.edit import (
    replace_node as replacing,
)
from grounded_builder.domains.n8n.edit.document import Canvas
from grounded_builder.domains.n8n.edit.rename_node import rename
from grounded_builder.domains.n8n.edit.select_tool import most_similar, tool_of
from grounded_builder.domains.n8n.edit.summary import summarize
from grounded_builder.domains.n8n.lower.parameter_slots import best_slot, slots_of
from grounded_builder.domains.n8n.lower.schedule import poll_times, rule
from grounded_builder.drafting.planner.schedules import Times, times_in
from grounded_builder.ir.edit_operations import (
    Add,
    Change,
    Connect,
    EditResult,
    Remove,
    Rename,
    Replace,
    Set,
)
from grounded_builder.ir.editor import EditContext, Editor
from grounded_builder.ir.graph import ResolvedNode

_SCHEDULE = "n8n-nodes-base.scheduleTrigger"
_MAIL = "n8n-nodes-base.emailSend"
# n8n's names for its groups of nodes.
_TALKS, _CORE = "Communication", "Core Nodes"
_SUBJECT = "=Workflow failed: {{ $json.workflow.name }}"
# The fields of n8n's Error Trigger.
_FAILURE = (
    "={{ $json.workflow.name }} failed at {{ $json.execution?.lastNodeExecuted }}: "
    "{{ $json.execution?.error?.message }} {{ $json.execution?.url }}"
)


def apply(document: Any, changes: tuple[Change, ...], ground: EditContext) -> EditResult:
    """Applies edits in order to a copy of a workflow."""
    canvas = Canvas(document, ground)
    for change in changes:
        _apply(change, canvas)
    return EditResult(
        canvas.document,
        tuple(canvas.diagnostics),
        frozenset(canvas.touched),
        tuple(canvas.notes),
        canvas.renamed,
    )


def _apply(change: Change, canvas: Canvas) -> None:
    if isinstance(change, Add):
        add_step.add(change, canvas)
    elif isinstance(change, Replace):
        replacing.replace_node(change, canvas)
    elif isinstance(change, Set):
        replacing.set_parameters(change, canvas)
    elif isinstance(change, Remove):
        connections.remove(change, canvas)
    elif isinstance(change, Connect):
        connections.connect(change, canvas)
    elif isinstance(change, Rename):
        rename(change, canvas)
    else:
        replacing.switch(change, canvas)


def nodes_meant(document: Any, text: str, ground: EditContext) -> tuple[str, ...]:
    """Returns the names of the nodes that words mean."""
    return nodes_in_request.find_nodes(Canvas(document, ground).resolve, text, ground)


def ends(document: Any, ground: EditContext) -> tuple[str, ...]:
    """Returns the nodes of the main line without successors."""
    canvas = Canvas(document, ground)
    main = [edge for edge in canvas.graph.edges if edge.source_kind == MAIN]
    leading = {edge.source for edge in main}
    serving = {edge.source for edge in canvas.graph.edges if edge.source_kind != MAIN}
    reached = {edge.target for edge in main}
    names = [bound.node.name for bound in canvas.resolve.nodes if bound.node.tool != NOTE]
    last = [name for name in names if name not in leading | serving]
    return tuple(name for name in last if name in reached) or tuple(last)


def schedule_edits(document: Any, words: str, ground: EditContext) -> list[dict[str, Any]] | None:
    """Returns edits that schedule a workflow: its schedule is set, or one is added.

    A polling trigger gets the times; any other trigger stays, and a new schedule gets its
    successors.
    """
    times = times_in(words)
    canvas = Canvas(document, ground)
    if times is None:
        return None
    clocks = [b for b in canvas.resolve.nodes if b.node.tool == _SCHEDULE]
    if clocks:
        return [{"set": b.node.name, "params": {"rule": rule(times)}} for b in clocks]
    polls = [b for b in canvas.resolve.nodes if _polls(b)]
    polled = poll_times(times)
    if polls and polled is not None:
        return [{"set": b.node.name, "params": {"pollTimes": polled}} for b in polls]
    return _schedule_edits(canvas, times)


def alarm_step(document: Any, words: str | None, ground: EditContext) -> Mapping[str, Any]:
    """Returns a step that reports a failed run, by a named tool or one that the workflow uses."""
    canvas = Canvas(document, ground)
    if words:
        tool = tool_of(words, "step", ground)
        name = words
    else:
        used = (bound.tool for bound in canvas.resolve.nodes)
        talking = next((row for row in used if row is not None and _sends_messages(row)), None)
        tool = talking or ground.registry.tools.get(_MAIL)
        name = _MAIL
    if tool is None:
        return {"id": "alarm", "tool": name}
    version = tool.default_version if tool.default_version in tool.versions else tool.newest
    spec = ground.registry.spec(tool.id, version)
    sends = [
        likeness.params for likeness in most_similar(("send a message",), (), tool.operations)
    ] or [{}]
    params = next(filter(None, (_report_parameters(spec, send) for send in sends)), dict(sends[0]))
    return {"id": "alarm", "tool": tool.id, "action": "Tell of failure", "params": params}


def _report_parameters(spec: Any, preset: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the parameters of an operation that reports a failure; None where it
    takes no text.
    """
    params = dict(preset)
    for key, text in (("message", _FAILURE), ("subject", _SUBJECT)):
        slots = [slot for slot in slots_of(spec, params) if slot.shown and len(slot.path) == 1]
        slot = best_slot(key, text, slots, {(name,) for name in params})
        if slot is not None and slot.declared.type == "string":
            params[slot.path[0]] = text
        elif key == "message":
            return None
    return params


def passes_data(tool: str, ground: EditContext) -> bool:
    """Returns whether a tool is one of n8n's own nodes, which pass results to the next node."""
    row = tool_of(tool, "step", ground)
    return row is not None and row.category == _CORE


def _schedule_edits(canvas: Canvas, times: Times) -> list[dict[str, Any]] | None:
    starting = [name for name in add_step.starts(canvas) if canvas.edges_from(name, MAIN)]
    by_hand = [name for name in starting if canvas.resolved_node(name).node.tool in MANUAL]
    anchor = next(iter(by_hand or starting), None)
    if anchor is None:
        return None
    step = {"id": "schedule", "tool": _SCHEDULE, "params": {"rule": rule(times)}}
    return [{"add": step, "beside": anchor}]


def _polls(bound: ResolvedNode) -> bool:
    return bound.spec is not None and bool(bound.spec.traits.get("polling"))


def _sends_messages(row: ToolRow) -> bool:
    """Returns whether a tool sends messages to people."""
    talks = row.category == _TALKS and "trigger" not in row.capabilities
    return talks and row.availability == "installed"


EDITOR = Editor(
    apply=apply,
    describe=summarize,
    nodes_named=nodes_meant,
    final_nodes=ends,
    schedule_changes=schedule_edits,
    failure_notification=alarm_step,
    gives_items=passes_data,
)
