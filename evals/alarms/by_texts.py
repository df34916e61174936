"""Returns the questions to n8n that decide alarms about expressions, code and webhooks."""

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

_NAME = re.compile(r"n8n does not provide (\$?\w+)")
_UNGIVEN = {"CODE_NODE_PYTHON_UNSUPPORTED_GLOBAL", "CODE_MODE_API_MISUSE"}
_MEMBER = re.compile(r"(?:has a value|fails): (.+?) has no (?:method )?([\w$]+)")

# The webhook node looks at the nodes after it from this version on; without a version never.
_CHECKED_SINCE = 2
# The Respond to Webhook node looks for what was called among the nodes before it.
_PARENTS_SINCE = 1.1


def syntax(alarm: Alarm) -> Question | None:
    """Can n8n's evaluator, or the wrapper of the Code node, parse the text?"""
    text = _text(alarm)
    if text is None:
        return None
    if text.startswith("="):
        return Question({"ask": "expression", "node": _name(alarm), "text": text}, _judge_evaluated)
    return Question({"ask": "code", "text": text}, _judge_compiled)


def reference(alarm: Alarm) -> Question | None:
    """Is the name no node, and is it n8n that is asked for it?"""
    text = _text(alarm)
    if text is None:
        return None
    is_code = not text.startswith("=")
    asked = {"ask": "reference", "node": _name(alarm), "name": alarm.finding.token, "text": text}
    return Question({**asked, "isCode": is_code}, _judge_reference)


def variable(alarm: Alarm) -> Question | None:
    """Does n8n give the name to expressions or code?"""
    if alarm.place == "pythonCode":
        return Question({"ask": "python", "node": _name(alarm), "text": _text(alarm)}, _looked_at)
    name = _NAME.search(alarm.finding.message)
    if name is None:
        return None
    return _evaluation(alarm, [f"={{{{ typeof {name[1]} }}}}"], [name[1]], _unheard)


def member(alarm: Alarm) -> Question | None:
    """Has what n8n gives the member?"""
    match = _MEMBER.search(alarm.finding.message)
    if match is None:
        return None
    subject = "$now" if match[1].endswith("DateTime") else match[1].removeprefix("a ")
    called = f"{subject}.{match[2]}"
    texts = [f"={{{{ typeof {called} }}}}", f"={{{{ {called}(1) }}}}"]
    return _evaluation(alarm, texts, [], _unheard)


def ran_before(alarm: Alarm) -> Question | None:
    """Can the node that is read have run, in an execution that comes to the one that reads?"""
    text = _text(alarm)
    if text is None:
        return None
    asked = {"ask": "reach", "node": _name(alarm), "name": alarm.finding.token, "text": text}
    return Question(asked, _ran_before)


def loop(alarm: Alarm) -> Question:
    """Does the loop output lead back?"""
    return Question({"ask": "loop", "node": _name(alarm)}, _loop)


def webhooks(alarm: Alarm) -> Question:
    """Does another node wait for the same call?"""
    return Question({"ask": "webhooks", "node": _name(alarm)}, _judge_shared)


def _judge_shared(_alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if answer["shared"]:
        return true(PATHS, "are the same for two nodes: n8n answers 409 when it publishes them")
    return false(PATHS, "are those of one node each")


def _ran_before(_alarm: Alarm, answer: Answer) -> Judgement | None:
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


def _loop(_alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if answer["back"]:
        return false(GRAPH, "has a way back")
    return true(GRAPH, "has no way back to the node, which ends its loop only when it runs again")


def _evaluation(
    alarm: Alarm,
    texts: list[str],
    names: list[str],
    read: Callable[[Alarm, Answer], Judgement | None],
) -> Question:
    asked = {"ask": "evaluated", "node": _name(alarm), "texts": texts, "names": names}
    return Question({**asked, "text": _text(alarm) or ""}, read)


def _unheard(alarm: Alarm, answer: Answer) -> Judgement | None:
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


def _looked_at(_alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if _UNGIVEN.isdisjoint(answer["codes"]):
        return false(LINTER, "finds nothing that its runner does not define")
    return true(LINTER, "finds a name that its runner does not define")


def ask_about_responses(alarm: Alarm) -> Question:
    """What does the node itself say of the nodes before and after it?"""
    return Question({"ask": "responding", "node": _name(alarm)}, _judge_responses)


def _name(alarm: Alarm) -> Any:
    return alarm.node.get("name") if alarm.node else None


def _text(alarm: Alarm) -> str | None:
    value: Any = alarm.document
    for part in alarm.finding.at:
        value = value[part]
    return value if isinstance(value, str) else None


def _judge_evaluated(alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if answer["refused"]:
        return true(EVALUATOR, "refuses the syntax")
    return false(EVALUATOR, "takes the syntax")


def _judge_compiled(alarm: Alarm, answer: Answer) -> Judgement | None:
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
        return false(GRAPH, "the code gives $ a meaning of its own")
    if answer["mentions"] and answer["mentions"] == answer["guarded"]:
        return false(GRAPH, "every mention stands in a try: the code runs without the node")
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
