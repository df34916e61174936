"""Asks n8n the questions about ports that decide alarms about edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from evals.alarms.alarm import Alarm
from evals.alarms.judgement import Answer, Judgement, Question, false, true

PORTS = "n8n's port computation"


def ask_about_edge(alarm: Alarm) -> Question | None:
    """Asks whether both nodes have the ports that the edge uses."""
    results = _find_edge(alarm)
    if results is None:
        return None
    source, target = results[0], results[2]["node"]
    return Question({"ask": "ports", "nodes": [source, target]}, _judge_edge)


def ask_about_inputs(alarm: Alarm) -> Question:
    """Asks whether the node requires the input, and whether an enabled node is connected to it."""
    return Question({"ask": "ports", "nodes": [_node_name(alarm)]}, _judge_input)


def _node_name(alarm: Alarm) -> Any:
    return alarm.node.get("name") if alarm.node else None


def _find_edge(alarm: Alarm) -> tuple[str, str, Mapping[str, Any], int] | None:
    place = alarm.edge
    if place is None:
        return None
    source, kind, index, position = place
    entry = alarm.document["connections"][source][kind][index][position]
    return (source, kind, entry, index) if isinstance(entry, dict) else None


def _judge_edge(alarm: Alarm, answer: Answer) -> Judgement | None:
    results = _find_edge(alarm)
    if results is None or "failed" in answer:
        return None
    source, kind, entry, index = results
    gives, takes = answer.get(source), answer.get(entry["node"])
    arrives, target_index = entry.get("type", kind), entry.get("index", 0)
    if gives and not gives["varying"] and not _has_port(gives["outputs"], kind, index):
        return true(PORTS, "the source has no such output: nothing is sent along it")
    if takes and not takes["varying"] and not _has_port(takes["inputs"], arrives, target_index):
        return true(PORTS, "the target has no such input: nothing arrives")
    if kind != arrives:
        return None
    if gives and takes and not gives["varying"] and not takes["varying"]:
        refused = [
            input_ for input_ in takes["inputs"] if input_["type"] == kind and input_.get("filter")
        ]
        if refused:
            return None
        return false(PORTS, "both ends have the port")
    return None


def _has_port(ports: list[dict[str, Any]], kind: str, index: int) -> bool:
    return Counter(port["type"] for port in ports)[kind] > index


def _judge_input(alarm: Alarm, answer: Answer) -> Judgement | None:
    name = _node_name(alarm)
    node = answer.get(name) if isinstance(name, str) else None
    if not node or node["varying"]:
        return None
    if node["disabled"]:
        return false(PORTS, "the node is disabled")
    arriving = Counter(
        kind for kind, source in _list_incoming_edges(alarm.document, name) if source
    )
    for port in node["inputs"]:
        if port["type"] not in alarm.finding.message:
            continue
        if port.get("required") and not arriving[port["type"]]:
            return true(PORTS, "the input is required and no enabled node leads to it")
        if port.get("max") and arriving[port["type"]] > port["max"]:
            return true(PORTS, "the input takes fewer edges")
    return false(PORTS, "the input asks for no more and no fewer")


def _list_incoming_edges(document: Mapping[str, Any], name: str) -> Iterator[tuple[str, bool]]:
    """Yields the kind of each edge into a node, and whether its source is enabled."""
    enabled = {
        node.get("name")
        for node in document["nodes"]
        if isinstance(node, dict) and not node.get("disabled")
    }
    for source, kinds in document["connections"].items():
        for outputs in kinds.values():
            for output in outputs or ():
                for entry in output or ():
                    if isinstance(entry, dict) and entry.get("node") == name:
                        yield str(entry.get("type")), source in enabled
