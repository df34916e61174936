"""Asks n8n-workflow of an installed n8n for a node's filled parameters, issues and credentials."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

_SCRIPT = Path(__file__).with_name("oracle.mjs")
_DEADLINE_S = 240


@dataclass(frozen=True, slots=True)
class Question:
    """A node with a tool and version of the catalog."""

    id: str
    tool: str
    version: float
    node: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of n8n: filled parameters, names with issues, missing credential types.

    ``error`` is set if n8n cannot fill the parameters, ``thrown`` if it fails while it looks for
    issues; both are refusals at publication.
    """

    id: str
    full: dict[str, Any] = field(default_factory=dict)
    parameters: list[str] = field(default_factory=list)
    credentials: list[str] = field(default_factory=list)
    thrown: str = ""
    error: str = ""


def ask(
    questions: Iterable[Question], catalog: Path, n8n_dir: Path, node: Path
) -> dict[str, Answer]:
    """Returns the answer to each question, by its id."""
    lines = [json.dumps({**asdict(question), "withFull": True}) for question in questions]
    done = subprocess.run(
        [str(node), str(_SCRIPT), str(catalog)],
        input="\n".join(lines).encode(),
        stdout=subprocess.PIPE,
        env={"PATH": os.environ.get("PATH", ""), "GROUNDED_N8N_DIR": str(n8n_dir)},
        timeout=_DEADLINE_S,
        check=True,
    )
    answers = (Answer(**json.loads(line)) for line in done.stdout.splitlines())
    return {answer.id: answer for answer in answers}
