"""Asks n8n the questions that decide alarms about parameters, credentials and versions."""

from __future__ import annotations

import re
from typing import Any

from evals.alarms.alarm import Alarm
from evals.alarms.judgement import Answer, Judgement, Question, false, true
from grounded_builder.catalog.name_index import fold_name

ORACLE, SECOND, CATALOG = "n8n's parameter check", "n8n's SDK schemas", "n8n's credential list"
VERSIONS = "n8n's list of versions"
CODE, COMPARISON, PARSER = "the node's code", "n8n's comparison of conditions", "JSON.parse"

# Parameters that select what a node does; other values may be passed on to a service.
_BRANCHES = frozenset({"resource", "operation", "authentication", "mode"})

_PATH = re.compile(r'"(?:parameters\.)?([^"]+)"')


def ask_about_name(alarm: Alarm) -> Question:
    """Asks whether n8n drops the name, and refuses or defaults the intended one."""
    return Question(_make_question(alarm), _judge_name)


def ask_about_value(alarm: Alarm) -> Question:
    """Asks whether n8n's parameter check or its SDK schemas refuse the value."""
    return Question(_make_question(alarm), _judge_value)


def ask_about_credential(alarm: Alarm) -> Question:
    """Asks whether the credential type exists and the node declares it."""
    return Question(
        {"ask": "credentials", "node": _node_name(alarm), "name": _last_part(alarm)},
        _judge_credential,
    )


def ask_about_version(alarm: Alarm) -> Question:
    """Asks whether the type lists the version."""
    return Question({"ask": "version", "node": _node_name(alarm)}, _judge_version)


def _judge_version(_alarm: Alarm, answer: Answer) -> Judgement | None:
    return false(VERSIONS, "has the version") if answer.get("listed") else None


def _make_question(alarm: Alarm) -> dict[str, Any]:
    value = _value_at(alarm)
    route = list(alarm.route)
    results = alarm.finding.alternatives[:1] if alarm.code == "GB302" else ()
    asked = {"ask": "parameters", "node": _node_name(alarm), "route": route, "value": value}
    return {**asked, "intended": results[0]} if results else asked


def _value_at(alarm: Alarm) -> Any:
    value: Any = (alarm.node or {}).get("parameters")
    for part in alarm.route:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _node_name(alarm: Alarm) -> Any:
    return alarm.node.get("name") if alarm.node else None


def _last_part(alarm: Alarm) -> str:
    return str(alarm.finding.at[-1]) if alarm.finding.at else ""


def _judge_name(alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer or answer["has"]:
        return None
    missing = [name for name in alarm.finding.alternatives if name in answer["issues"]]
    if missing:
        return true(
            ORACLE, "drops the name and refuses the node for the missing required parameter"
        )
    name = str(alarm.route[-1])
    if any(fold_name(name) == fold_name(alternative) for alternative in alarm.finding.alternatives):
        return true(
            ORACLE, "drops the name, which differs from the intended one only in case and marks"
        )
    text, renamed = str(alarm.finding.alternatives[0]), answer["renamed"]
    route = (*alarm.route[:-1], text)
    taken = renamed["filled"] and text not in renamed["issues"]
    if taken and not any(_covers(where, route) for where in _list_refused(renamed["sdk"])):
        return true(ORACLE, "drops the name, and accepts the value under the intended name")
    return None


def _judge_value(alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if answer["thrown"]:
        return true(ORACLE, "breaks on the value")
    names = {part for part in alarm.route if isinstance(part, str)}
    if any(name.split(".")[-1] in names for name in answer["issues"]):
        return true(ORACLE, "refuses the value")
    if any(_covers(where, alarm.route) for where in _list_refused(answer["sdk"])):
        return true(SECOND, "refuses the value")
    if answer["compared"]:
        return true(COMPARISON, "fails on the condition for any left value")
    if answer["never"]:
        return true(COMPARISON, "has no such operation: the condition is never met")
    if alarm.code == "GB304" and _all_dropped(_value_at(alarm), answer.get("filled")):
        return true(ORACLE, "drops all its values")
    if alarm.code == "GB328" and answer["json"] and not alarm.finding.message.startswith("="):
        return true(PARSER, "cannot read the text")
    if alarm.code == "GB305" and alarm.place in _BRANCHES:
        if answer["offered"]:
            return false(CODE, "offers the value")
        if answer["declarative"]:
            return true(CODE, "has none: only the options define the request")
        if not answer["named"]:
            return true(CODE, "has no branch for the value")
    return None


def _all_dropped(given: Any, accepted: Any) -> bool:
    """Checks whether n8n keeps an object there, but none of the given keys."""
    both = isinstance(given, dict) and isinstance(accepted, dict)
    return both and bool(given) and given.keys().isdisjoint(accepted)


def _list_refused(errors: list[dict[str, str]]) -> list[str]:
    """Returns the parameters that the messages of the SDK schemas name, dotted."""
    results = [match[1] for error in errors for match in [_PATH.search(error["message"])] if match]
    paths = [error["path"].removeprefix("parameters.") for error in errors if error["path"]]
    return [*results, *paths]


def _covers(where: str, route: tuple[str | int, ...]) -> bool:
    """Checks whether a dotted path equals the route, or one is a prefix of the other."""
    parts = [part for part in re.split(r"[.\[\]]", where) if part and not part.isdigit()]
    named = [part for part in route if isinstance(part, str)]
    shorter = min(len(parts), len(named))
    return bool(shorter) and parts[:shorter] == named[:shorter]


def _judge_credential(alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    name = _last_part(alarm)
    if not answer["exists"]:
        return true(CATALOG, "has no type of this name")
    if name in answer["declared"]:
        return None
    if answer["missing"]:
        return true(ORACLE, "refuses the node for the missing credential that it accepts")
    if name not in answer["chosen"]:
        return true(CATALOG, "lists no such type for this node: it is never read")
    return None
