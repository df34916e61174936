"""Loads recorded facts of n8n's source, and judges the alarms that match them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.alarms.alarm import Alarm
from evals.alarms.judgement import Judgement, Truth

FILE = Path(__file__).with_name("readings.json")
JUDGE = "recorded fact"


@dataclass(frozen=True, slots=True)
class Readings:
    """Recorded facts; the first that matches an alarm applies."""

    entries: tuple[dict[str, Any], ...]

    @staticmethod
    def load(file: Path = FILE) -> Readings:
        """Returns the readings of a file, by default those of the repository."""
        return Readings(tuple(json.loads(file.read_text())))

    def of(self, alarm: Alarm) -> Judgement | None:
        """Returns the judgement of the first matching reading, or None."""
        for entry in self.entries:
            if _matches(entry, alarm):
                state: Truth = entry["truth"]
                return Judgement(state, JUDGE, f"{entry['reason']} ({entry['source']})")
        return None


def _matches(entry: dict[str, Any], alarm: Alarm) -> bool:
    """Checks whether the code, and the given type, versions, place and value match the alarm."""
    node = alarm.node or {}
    return (
        entry["code"] == alarm.code
        and entry.get("type", node.get("type")) == node.get("type")
        and ("versions" not in entry or node.get("typeVersion") in entry["versions"])
        and entry.get("place", alarm.place) == alarm.place
        and ("token" not in entry or entry["token"] == alarm.finding.token)
    )
