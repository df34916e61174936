"""Asks a running n8n to create and publish a workflow, once each, and stores its answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.domains.n8n.deploy.http import N8nError
from grounded_builder.domains.n8n.deploy.import_run import discard


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether n8n created and published a workflow, with its error message."""

    created: bool
    published: bool
    message: str


class Answers:
    """The answers of one n8n version, stored in a file of lines, so that a run can resume."""

    def __init__(self, client: N8nClient, file: Path | None = None) -> None:
        self._client = client
        self._file = file
        self._known: dict[str, Answer] = {}
        if file is not None and file.exists():
            for line in file.read_text().splitlines():
                value = json.loads(line)
                key = value.pop("workflow")
                self._known[key] = Answer(**value)

    def of(self, workflow: Mapping[str, Any]) -> Answer:
        """Returns the answer of n8n to a copy of a workflow, which is deleted afterwards."""
        text = json.dumps(workflow, sort_keys=True)
        key = hashlib.sha256(text.encode()).hexdigest()
        if key not in self._known:
            answer = self._known[key] = self._ask_n8n(workflow)
            if self._file is not None:
                with self._file.open("a") as lines:
                    lines.write(json.dumps({"workflow": key, **asdict(answer)}) + "\n")
        return self._known[key]

    def _ask_n8n(self, workflow: Mapping[str, Any]) -> Answer:
        try:
            made = self._client.create(workflow)
        except N8nError as error:
            return Answer(created=False, published=False, message=_message_of(error))
        try:
            self._client.activate(made["id"])
        except N8nError as error:
            return Answer(created=True, published=False, message=_message_of(error))
        finally:
            discard(self._client, made["id"])
        return Answer(created=True, published=True, message="")


def _message_of(error: N8nError) -> str:
    if error.kind not in ("refused", "conflict"):
        raise error
    return error.n8n_message or error.what
