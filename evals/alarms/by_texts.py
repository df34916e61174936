"""Asks n8n the questions that decide alarms about expressions, code and webhooks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from evals.alarms.alarm import Alarm
from evals.alarms.judgement import Answer, Judgement, Question, false, true

EVALUATOR, RUNNER = "n8n's expression evaluator", "the Code node's wrapper"
PATHS = "the paths of n8n's webhooks"
GRAPH, NODES = "n8n's workflow graph", "the node's own check"

LINTER = "n8n's own look at Python code"

_NAME = re.compile(r"(?:n8n does not provide|nothing declares) (\$?\w+)")
_UNGIVEN = {"CODE_NODE_PYTHON_UNSUPPORTED_GLOBAL", "CODE_MODE_API_MISUSE"}
_MEMBER = re.compile(r"(?:has a value|fails): (.+?) has no (?:method )?([\w$]+)")

# The Webhook node checks the nodes after it from this version on.
_CHECKED_SINCE = 2
# The Respond to Webhook node checks the nodes before it from this version on.
_PARENTS_SINCE = 1.1


def ask_about_syntax(alarm: Alarm) -> Question | None:
    """Asks whether n8n's evaluator, or the wrapper of the Code node, can parse the text."""
    text = _text_of(alarm)
    if text is None:
        return None
    if text.startswith("="):
        return Question(
            {"ask": "expression", "node": _node_name(alarm), "text": text}, _judge_syntax
        )
    return Question({"ask": "code", "text": text}, _judge_code)


def ask_about_reference(alarm: Alarm) -> Question | None:
    """Asks whether the name is no node, and whether n8n resolves it."""
    text = _text_of(alarm)
    if text is None:
        return None
    is_code = not text.startswith("=")
    asked = {
        "ask": "reference",
        "node": _node_name(alarm),
        "name": alarm.finding.token,
        "text": text,
    }
    return Question({**asked, "isCode": is_code}, _judge_reference)


def ask_about_variable(alarm: Alarm) -> Question | None:
    """Asks whether n8n provides the name to expressions or code."""
    if alarm.place == "pythonCode":
        return Question(
            {"ask": "python", "node": _node_name(alarm), "text": _text_of(alarm)}, _judge_python
        )
    name = _NAME.search(alarm.finding.message)
    if name is None:
        return None
    return _ask_for_evaluation(
        alarm, [f"={{{{ typeof {name[1]} }}}}"], [name[1]], _judge_evaluation
    )


def ask_about_member(alarm: Alarm) -> Question | None:
    """Asks whether the value that n8n provides has the member."""
    match = _MEMBER.search(alarm.finding.message)
    if match is None:
        return None
    subject = "$now" if match[1].endswith("DateTime") else match[1].removeprefix("a ")
    called = f"{subject}.{match[2]}"
    texts = [f"={{{{ typeof {called} }}}}", f"={{{{ {called}(1) }}}}"]
    return _ask_for_evaluation(alarm, texts, [], _judge_evaluation)


def ask_about_order(alarm: Alarm) -> Question | None:
    """Asks whether the referenced node can run before the one that refers to it."""
    text = _text_of(alarm)
    if text is None:
        return None
    asked = {"ask": "reach", "node": _node_name(alarm), "name": alarm.finding.token, "text": text}
    return Question(asked, _judge_order)


def ask_about_loop(alarm: Alarm) -> Question:
    """Asks whether the loop output leads back to the node."""
    return Question({"ask": "loop", "node": _node_name(alarm)}, _judge_loop)


def ask_about_webhooks(alarm: Alarm) -> Question:
    """Asks whether another node listens to the same call."""
    return Question({"ask": "webhooks", "node": _node_name(alarm)}, _judge_webhooks)


def _judge_webhooks(_alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if answer["shared"]:
        return true(PATHS, "are the same for two nodes: n8n answers 409 when it publishes them")
    return false(PATHS, "are those of one node each")


def _judge_order(_alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if not answer["runs"]:
        return false(GRAPH, "has no trigger that leads to the node: it never runs")
    if answer["fails"] and all(answer["fails"]):
        return true(EVALUATOR, "fails on it even where both have run: no path leads from one")
    if answer["before"]:
        return false(GRAPH, "has an execution in which the node that is read runs first")
    if answer["asks"]:
        return None
    return true(GRAPH, "has no execution in which the node that is read runs first")


def _judge_loop(_alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if answer["back"]:
        return false(GRAPH, "has a way back")
    return true(GRAPH, "has no way back to the node, which ends its loop only when it runs again")


def _ask_for_evaluation(
    alarm: Alarm,
    texts: list[str],
    names: list[str],
    read: Callable[[Alarm, Answer], Judgement | None],
) -> Question:
    asked = {"ask": "evaluated", "node": _node_name(alarm), "texts": texts, "names": names}
    return Question({**asked, "text": _text_of(alarm) or ""}, read)


def _judge_evaluation(alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if answer["declared"]:
        return false(EVALUATOR, "is not asked: the code declares the name")
    if answer["added"]:
        return None
    values = answer["values"]
    if all(
        value.get("value") in (None, "undefined", "null") or "error" in value for value in values
    ):
        return true(EVALUATOR, "has nothing under the name")
    return false(EVALUATOR, "has something under the name")


def _judge_python(_alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if _UNGIVEN.isdisjoint(answer["codes"]):
        return false(LINTER, "finds nothing that its runner does not define")
    return true(LINTER, "finds a name that its runner does not define")


def ask_about_responses(alarm: Alarm) -> Question:
    """Asks for the node's own checks of the nodes before and after it."""
    return Question({"ask": "responding", "node": _node_name(alarm)}, _judge_responses)


def _node_name(alarm: Alarm) -> Any:
    return alarm.node.get("name") if alarm.node else None


def _text_of(alarm: Alarm) -> str | None:
    value: Any = alarm.document
    for part in alarm.finding.at:
        value = value[part]
    return value if isinstance(value, str) else None


def _judge_syntax(alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if answer["refused"]:
        return true(EVALUATOR, "refuses the syntax")
    return false(EVALUATOR, "takes the syntax")


def _judge_code(alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if answer["refused"]:
        return true(RUNNER, "does not compile")
    if answer["calls"]:
        return true(RUNNER, "compiles to the call of a text, which throws")
    return false(RUNNER, "compiles")


def _judge_reference(alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if not answer["absent"]:
        return false(GRAPH, "the node is there")
    if answer["redefined"]:
        return false(GRAPH, "the code redefines $")
    if answer["mentions"] and answer["mentions"] == answer["guarded"]:
        return false(GRAPH, "every mention is in a try: the code runs without the node")
    return true(GRAPH, "has no node of this name, and throws where it is asked for")


def _judge_responses(alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if alarm.code == "N8N313" and (answer.get("version") or 0) < _CHECKED_SINCE:
        return false(NODES, "compares nothing at this version: the call is answered at once")
    if alarm.code == "N8N311":
        checked = (answer.get("version") or 0) >= _PARENTS_SINCE
        if answer["called"]:
            return false(NODES, "finds a node before it that is called")
        return true(NODES, "fails when it runs") if checked else None
    return true(NODES, "fails each call") if answer["refused"] else None
