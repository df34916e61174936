"""Reports workflows that start themselves: a node makes what their own trigger waits for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.links import Wiring, predecessors, successors
from grounded_builder.domains.n8n.analysis.node_outputs import PASSING_ON
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

OWN_EVENT = Rule.advice("N8N363", "own-event", "EndlessRun", "The workflow starts itself.")

_BASE = "n8n-nodes-base."
_MAX_SEARCHED, _MAX_BETWEEN = 10, 100
# Nodes that can stop the items of the workflow's own events.
_SIEVES = frozenset(f"{_BASE}{name}" for name in ("code", "filter", "if", "switch"))
_KEEPING = PASSING_ON | {f"{_BASE}{name}" for name in ("code", "set")}


@dataclass(frozen=True, slots=True)
class _Feed:
    """An event of a trigger, and the operations of a node that cause it in the same place.

    ``places`` pairs the parameters of trigger and node that name the place, ``everywhere`` are
    those by which the trigger watches all places. ``field`` is where an event names its place, and
    ``unless`` an option of the trigger by which it passes over events.
    """

    trigger: str
    event: tuple[str, frozenset[str]]
    node: str
    resource: str
    operations: frozenset[str]
    places: tuple[tuple[str, str], ...]
    everywhere: tuple[str, ...] = ()
    field: str = ""
    unless: str = ""


def _feed(
    trigger: str, event: str, node: str, operations: str, places: Mapping[str, str], **more: Any
) -> _Feed:
    name, _, values = event.partition(":")
    resource, _, verbs = operations.partition(":")
    return _Feed(
        _BASE + trigger,
        (name, frozenset(values.split())),
        _BASE + node,
        resource,
        frozenset(verbs.split()),
        tuple(places.items()),
        **more,
    )


_SHEET = {"documentId": "documentId", "sheetName": "sheetName"}
_FEEDS = (
    _feed(
        *("slackTrigger", "trigger:message any_event", "slack", "message:post sendAndWait"),
        {"channelId": "channelId"},
        everywhere=("watchWorkspace",),
        field="channel",
        unless="userIds",
    ),
    _feed(
        *("microsoftTeamsTrigger", "event:newChannelMessage", "microsoftTeams"),
        "channelMessage:create reply",
        {"teamId": "teamId", "channelId": "channelId"},
        everywhere=("watchAllTeams", "watchAllChannels"),
    ),
    _feed(
        *("microsoftTeamsTrigger", "event:newChatMessage", "microsoftTeams"),
        "chatMessage:create sendAndWait",
        {"chatId": "chatId"},
        everywhere=("watchAllChats",),
    ),
    _feed(
        *("googleSheetsTrigger", "event:rowAdded anyUpdate", "googleSheets", "sheet:append"),
        _SHEET,
    ),
    _feed(
        *("googleSheetsTrigger", "event:rowUpdate anyUpdate", "googleSheets"),
        "sheet:update appendOrUpdate",
        _SHEET,
        unless="columnsToWatch",
    ),
    _feed(
        *("googleDriveTrigger", "event:fileCreated", "googleDrive"),
        "file:upload copy createFromText",
        {"folderToWatch": "folderId"},
    ),
    _feed(
        *("googleCalendarTrigger", "triggerOn:eventCreated", "googleCalendar", "event:create"),
        {"calendarId": "calendar"},
    ),
    _feed(
        *("googleCalendarTrigger", "triggerOn:eventUpdated", "googleCalendar", "event:update"),
        {"calendarId": "calendar"},
    ),
)
_TRIGGERS = frozenset(feed.trigger for feed in _FEEDS)


def check_own_events(resolved: ResolvedGraph, wiring: Wiring) -> Iterator[Diagnostic]:
    """Reports the first node that causes the event of a trigger before it, unhindered."""
    triggers = [b for b in resolved.nodes if b.node.tool in _TRIGGERS and _is_live(b)]
    for bound in triggers[:_MAX_SEARCHED]:
        given = filled_parameters(bound).full
        feeds = [feed for feed in _FEEDS if _fires(feed, bound, given)]
        if not feeds:
            continue
        after = successors([bound.node.name], wiring.after)
        causing = (
            node
            for name in sorted(after)
            if (node := resolved.by_name.get(name)) is not None
            and _is_live(node)
            and any(_causes(feed, given, node) for feed in feeds)
        )
        for node in islice(causing, _MAX_SEARCHED):
            if not _has_sieve(bound, node, after, resolved, wiring):
                yield _report(bound, node)
                break


def _is_live(bound: ResolvedNode) -> bool:
    return isinstance(bound.spec, NodeSpec) and not bound.node.disabled


def _fires(feed: _Feed, bound: ResolvedNode, given: Mapping[str, Any]) -> bool:
    name, values = feed.event
    event = given.get(name)
    chosen = event if isinstance(event, list) else [event]
    options = given.get("options")
    is_selective = feed.unless and isinstance(options, Mapping) and options.get(feed.unless)
    is_event = any(isinstance(value, str) and value in values for value in chosen)
    return bound.node.tool == feed.trigger and is_event and not is_selective


def _causes(feed: _Feed, watched: Mapping[str, Any], node: ResolvedNode) -> bool:
    if node.node.tool != feed.node:
        return False
    given = filled_parameters(node).full
    if given.get("resource") != feed.resource or given.get("operation") not in feed.operations:
        return False
    if any(watched.get(name) is True for name in feed.everywhere):
        return True
    return all(_is_same(watched.get(own), given.get(name), feed.field) for own, name in feed.places)


def _is_same(watched: Any, target: Any, field: str) -> bool:
    """Returns whether two values certainly name one place; the event itself may name it."""
    names = _names_of(target)
    if field and any(name.startswith("=") and f".{field}" in name for name in names):
        return True
    return not names.isdisjoint(_names_of(watched))


def _names_of(value: Any) -> frozenset[str]:
    """Returns the id and the name of an entry that a locator or a text chooses."""
    parts: Sequence[Any] = [value]
    if isinstance(value, Mapping):
        parts = [value.get("value"), value.get("cachedResultName")]
    texts = (part.strip().lstrip("#").casefold() for part in parts if isinstance(part, str))
    return frozenset(text for text in texts if text)


def _has_sieve(
    trigger: ResolvedNode,
    node: ResolvedNode,
    after: set[str],
    resolved: ResolvedGraph,
    wiring: Wiring,
) -> bool:
    """Returns whether a condition on the event is between a trigger and a node."""
    start = trigger.node.name
    between = after & predecessors([node.node.name], wiring.before)
    for name in sorted(between)[:_MAX_BETWEEN]:
        bound = resolved.by_name.get(name)
        if bound is None or bound.node.tool not in _SIEVES:
            continue
        text = json.dumps(bound.node.params, default=str)
        if f"$('{start}')" in text or f'$(\\"{start}\\")' in text:
            return True
        before = predecessors([name], wiring.before) & after
        sources = (resolved.by_name.get(source) for source in before)
        if all(source is not None and source.node.tool in _KEEPING for source in sources):
            return True
    return False


def _report(trigger: ResolvedNode, bound: ResolvedNode) -> Diagnostic:
    start, name = trigger.node.name, bound.node.name
    return new_diagnostic(
        OWN_EVENT,
        bound.node.at,
        f'"{name}" makes what "{start}" waits for, so each run starts the next without end',
        help=f'let a Filter after "{start}" drop what this workflow itself makes',
        node=name,
        related=(Related(trigger.node.at, "the trigger that it starts"),),
    )
