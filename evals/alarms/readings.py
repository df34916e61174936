"""Loads recorded facts of n8n's source, and judges the alarms that they fit."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.alarms.alarm import Alarm
from evals.alarms.judgement import Judgement, Said

FILE = Path(__file__).with_name("readings.json")
JUDGE = "reading"


@dataclass(frozen=True, slots=True)
class Readings:
    """Recorded readings; of several that fit an alarm the first counts."""

    entries: tuple[dict[str, Any], ...]

    @staticmethod
    def load(file: Path = FILE) -> Readings:
        """The readings that are kept in the repository."""
        return Readings(tuple(json.loads(file.read_text())))

    def of(self, alarm: Alarm) -> Judgement | None:
        """What was read about this alarm."""
        for entry in self.entries:
            if _fits(entry, alarm):
                state: Said = entry["truth"]
                return Judgement(state, JUDGE, f"{entry['reason']} ({entry['source']})")
        return None


def _fits(entry: dict[str, Any], alarm: Alarm) -> bool:
    """Whether code, and where given type, versions, place and value are those of the alarm."""
    node = alarm.node or {}
    return (
        entry["code"] == alarm.code
        and entry.get("type", node.get("type")) == node.get("type")
        and ("versions" not in entry or node.get("typeVersion") in entry["versions"])
        and entry.get("place", alarm.place) == alarm.place
        and ("token" not in entry or entry["token"] == alarm.finding.token)
    )
