"""Holds the conversation of a case with a sidecar, one reply of a model at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import requests

from evals.cases.case_files import PLAIN_ANSWER, Case

_TIMEOUT_S = 600
_STATE = "talk.json"
_RESULT = "result.json"
_EARLIER = "Earlier in this conversation the person wrote:"


@dataclass(slots=True)
class Address:
    """Where the sidecar is."""

    url: str
    token: str

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the answer to a request; raises SystemExit with the sidecar's error."""
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = requests.post(f"{self.url}{path}", json=body, headers=headers, timeout=_TIMEOUT_S)
        if not answer.ok:
            raise SystemExit(f"{path}: {answer.status_code} {answer.text[:2_000]}")
        content: dict[str, Any] = answer.json()
        return content


@dataclass(slots=True)
class Talk:
    """The state of one conversation: what a person still writes, and has written in ``history``.

    ``workflow`` is what an earlier text led to.
    """

    case: str
    turns: list[str]
    answers: list[str]
    session: str = ""
    history: list[str] = field(default_factory=list)
    workflow: dict[str, Any] | None = None
    replies: int = 0


def open_talk(case: Case, address: Address, folder: Path) -> str:
    """Writes the first text of a case to the sidecar; returns what came of it in words.

    The folder gets the messages for the model, or the result.
    """
    talk = Talk(case.name, list(case.turns[1:]), list(case.answers), history=[case.turns[0]])
    if case.workflow is None:
        answer = address.post("/v1/n8n/sessions", {"request": case.turns[0], "clarify": True})
    else:
        answer = _edit(address, case.workflow, case.turns[0])
    return _go_on(talk, answer, address, folder)


def reply(name: str, text: str, address: Address, folder: Path) -> str:
    """Gives the model's reply to the sidecar; returns what came of it in words."""
    path = folder / name / _STATE
    if not path.exists():
        raise SystemExit(f"{path} does not exist: open the cases first")
    if (folder / name / _RESULT).exists():
        raise SystemExit(f"{name} has a result: {folder / name / _RESULT}")
    talk = Talk(**json.loads(path.read_text("utf-8")))
    talk.replies += 1
    (folder / name / f"reply-{talk.replies}.txt").write_text(text, "utf-8")
    answer = address.post(f"/v1/sessions/{talk.session}/drafts", {"reply": text})
    return _go_on(talk, answer, address, folder)


def _go_on(talk: Talk, answer: dict[str, Any], address: Address, folder: Path) -> str:
    """Answers questions and writes the remaining turns, until a reply of the model is needed."""
    while answer["status"] != "draft":
        if answer["status"] == "question":
            text = _answer_question(talk)
            answer = address.post(f"/v1/sessions/{answer['session']}/drafts", {"answer": text})
        elif talk.turns:
            answer = _write_rest(talk, answer, address)
        else:
            return _keep_result(talk, answer, folder)
    talk.session = answer["session"]
    place = folder / talk.case
    path = place / f"round-{talk.replies + 1}.json"
    shown = {key: answer[key] for key in ("messages", "response_schema")}
    _write(path, {"case": talk.case, "round": talk.replies + 1, **shown})
    _write(place / _STATE, asdict(talk))
    return f"{talk.case}: {path}"


def _answer_question(talk: Talk) -> str:
    """Returns all that the person has yet to say; an answer of no content if that is nothing."""
    texts, talk.turns, talk.answers = [*talk.turns, *talk.answers], [], []
    talk.history += texts
    return "\n".join(texts) or PLAIN_ANSWER


def _write_rest(talk: Talk, answer: Mapping[str, Any], address: Address) -> dict[str, Any]:
    """Asks for changes of what was built; where nothing was built, for all of it again."""
    rest, talk.turns = "\n".join(talk.turns), []
    talk.workflow = workflow = _workflow_of(answer)
    if workflow is None:
        whole = "\n".join([*talk.history, rest])
        return address.post("/v1/n8n/sessions", {"request": whole, "clarify": True})
    return _edit(address, workflow, f"{rest}\n\n{_EARLIER}\n" + "\n".join(talk.history))


def _edit(address: Address, workflow: Mapping[str, Any], request: str) -> dict[str, Any]:
    body = {"workflow": workflow, "request": request, "drafter": "external"}
    return address.post("/v1/n8n/edit", body)


def _workflow_of(answer: Mapping[str, Any]) -> dict[str, Any] | None:
    edited = answer.get("edit")
    workflow = edited["workflow"] if edited else answer.get("artifact")
    return workflow if isinstance(workflow, dict) else None


def _keep_result(talk: Talk, answer: Mapping[str, Any], folder: Path) -> str:
    facts = ("outcome", "reason", "summary", "todo", "diagnostics", "rounds")
    shown = {key: answer.get(key) for key in facts}
    # A change that is refused leaves what there was.
    workflow = _workflow_of(answer) or talk.workflow
    result = {"case": talk.case, "workflow": workflow, "replies": talk.replies, **shown}
    _write(folder / talk.case / _RESULT, result)
    return f"{talk.case}: {answer['outcome']} after {talk.replies} replies"


def _write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1), "utf-8")
