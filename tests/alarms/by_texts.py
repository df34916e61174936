"""Judges alarms about expressions, code and answers to a webhook by n8n's own readers."""

from __future__ import annotations

from typing import Any

from tests.alarms.alarm import Alarm
from tests.alarms.judgement import Answer, Judgement, Question, false, true

EVALUATOR, RUNNER = "n8n's expression evaluator", "the Code node's wrapper"
GRAPH, NODES = "n8n's workflow graph", "the node's own check"

# The webhook node looks at the nodes after it from this version on; without a version never.
_CHECKED_SINCE = 2


def syntax(alarm: Alarm) -> Question | None:
    """Can n8n's evaluator, or the wrapper of the Code node, parse the text?"""
    text = _text(alarm)
    if text is None:
        return None
    if text.startswith("="):
        return Question({"ask": "expression", "node": _name(alarm), "text": text}, _evaluated)
    return Question({"ask": "code", "text": text}, _compiled)


def reference(alarm: Alarm) -> Question | None:
    """Is the name no node, and is it n8n that is asked for it?"""
    text = _text(alarm)
    if text is None:
        return None
    is_code = not text.startswith("=")
    asked = {"ask": "reference", "node": _name(alarm), "name": alarm.finding.token, "text": text}
    return Question({**asked, "isCode": is_code}, _referred)


def responding(alarm: Alarm) -> Question:
    """What does the node itself say of the nodes before and after it?"""
    return Question({"ask": "responding", "node": _name(alarm)}, _responding)


def _name(alarm: Alarm) -> Any:
    return alarm.node.get("name") if alarm.node else None


def _text(alarm: Alarm) -> str | None:
    value: Any = alarm.document
    for part in alarm.finding.at:
        value = value[part]
    return value if isinstance(value, str) else None


def _evaluated(alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if answer["refused"]:
        return true(EVALUATOR, "refuses the syntax")
    return false(EVALUATOR, "takes the syntax")


def _compiled(alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if answer["refused"]:
        return true(RUNNER, "does not compile")
    return false(RUNNER, "compiles")


def _referred(alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if not answer["absent"]:
        return false(GRAPH, "the node is there")
    if answer["redefined"]:
        return false(GRAPH, "the code gives $ a meaning of its own")
    if answer["mentions"] and answer["mentions"] == answer["guarded"]:
        return false(GRAPH, "every mention stands in a try: the code runs without the node")
    return true(GRAPH, "has no node of this name, and throws where it is asked for")


def _responding(alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if alarm.code == "N8N313" and (answer.get("version") or 0) < _CHECKED_SINCE:
        return false(NODES, "compares nothing at this version: the call is answered at once")
    return true(NODES, "fails each call") if answer["refused"] else None
