"""Runs functions of the installed n8n on places in workflows, through a Node process."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evals.alarms.alarm import Alarm
from evals.alarms.judgement import Answer

_SCRIPT = Path(__file__).with_name("n8n.mjs")
_DEADLINE_S = 900


def ask(
    places: Sequence[tuple[Alarm, Mapping[str, Any]]], n8n_dir: Path, node: Path
) -> list[Answer]:
    """Returns one answer for each place, in order."""
    lines: dict[str, dict[str, Any]] = {}
    for index, (alarm, place) in enumerate(places):
        line = lines.setdefault(
            alarm.workflow, {"id": alarm.workflow, "workflow": alarm.document, "places": []}
        )
        line["places"].append({"key": str(index), **place})
    done = subprocess.run(
        [str(node), str(_SCRIPT)],
        input="\n".join(json.dumps(line) for line in lines.values()).encode(),
        stdout=subprocess.PIPE,
        env={"PATH": os.environ.get("PATH", ""), "GROUNDED_N8N_DIR": str(n8n_dir)},
        timeout=_DEADLINE_S,
        check=True,
    )
    entries: dict[str, Answer] = {}
    for text in done.stdout.splitlines():
        entries.update(json.loads(text)["answers"])
    return [entries[str(index)] for index in range(len(places))]
