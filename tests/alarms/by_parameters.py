"""Judges alarms about parameters and credentials by n8n's two oracles."""

from __future__ import annotations

import re
from typing import Any

from grounded_builder.registry.names import plain
from tests.alarms.alarm import Alarm
from tests.alarms.judgement import Answer, Judgement, Question, true

ORACLE, SECOND, CATALOG = "n8n's parameter check", "n8n's second oracle", "n8n's credential list"

_PATH = re.compile(r'"(?:parameters\.)?([^"]+)"')


def misnamed(alarm: Alarm) -> Question:
    """Is the name dropped, and what stands for it refused or left at its default?"""
    return Question(_asked(alarm), _misnamed)


def misfitting(alarm: Alarm) -> Question:
    """Does either oracle refuse the value?"""
    return Question(_asked(alarm), _misfitting)


def credential(alarm: Alarm) -> Question:
    """Does the type exist, and does the node declare it?"""
    return Question({"ask": "credentials", "node": _name(alarm), "name": _last(alarm)}, _credential)


def _asked(alarm: Alarm) -> dict[str, Any]:
    return {"ask": "parameters", "node": _name(alarm), "route": list(alarm.route)}


def _name(alarm: Alarm) -> Any:
    return alarm.node.get("name") if alarm.node else None


def _last(alarm: Alarm) -> str:
    return str(alarm.finding.at[-1]) if alarm.finding.at else ""


def _misnamed(alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer or answer["has"]:
        return None
    missing = [name for name in alarm.finding.alternatives if name in answer["issues"]]
    if missing:
        return true(ORACLE, "drops the name and refuses the node for what is required in its stead")
    name = str(alarm.route[-1])
    if any(plain(name) == plain(meant) for meant in alarm.finding.alternatives):
        return true(ORACLE, "drops the name, which differs by case and marks from the one meant")
    return None


def _misfitting(alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    if answer["thrown"]:
        return true(ORACLE, "breaks on the value")
    names = {part for part in alarm.route if isinstance(part, str)}
    if any(name.split(".")[-1] in names for name in answer["issues"]):
        return true(ORACLE, "refuses the value")
    if any(_covers(where, alarm.route) for where in _refused(answer["sdk"])):
        return true(SECOND, "refuses the value")
    return None


def _refused(errors: list[dict[str, str]]) -> list[str]:
    """The parameters that the second oracle's messages name, dotted."""
    said = [match[1] for error in errors for match in [_PATH.search(error["message"])] if match]
    paths = [error["path"].removeprefix("parameters.") for error in errors if error["path"]]
    return [*said, *paths]


def _covers(where: str, route: tuple[str | int, ...]) -> bool:
    """Whether a dotted path leads to the route, to a part of it, or to what holds it."""
    said = [part for part in re.split(r"[.\[\]]", where) if part and not part.isdigit()]
    named = [part for part in route if isinstance(part, str)]
    shorter = min(len(said), len(named))
    return bool(shorter) and said[:shorter] == named[:shorter]


def _credential(alarm: Alarm, answer: Answer) -> Judgement | None:
    if "failed" in answer:
        return None
    name = _last(alarm)
    if not answer["exists"]:
        return true(CATALOG, "has no type of this name")
    if answer["missing"]:
        return true(ORACLE, "refuses the node for the credential that it takes instead")
    if name not in answer["declared"] and name not in answer["chosen"]:
        return true(CATALOG, "names no such type for this node at any setting: it is never read")
    return None
