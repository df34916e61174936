"""Runs an OpenAI-compatible server on loopback that answers from a script."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

_RESPONSES = "/v1/responses"
_COMPLETIONS = "/v1/chat/completions"


@dataclass
class OpenAIServer:
    """Sends ``replies`` in order and repeats the last one; ``asked`` lists the requests."""

    server: HTTPServer
    replies: list[str] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200

    @property
    def url(self) -> str:
        return self.server.url_for("/v1")

    def says(self, *replies: str) -> None:
        """Starts a new script."""
        self.replies[:] = replies
        self.asked.clear()
        self.status = 200

    def text_of_request(self, turn: int) -> str:
        """Returns the whole text of one request, in the order in which it was sent."""
        sent = self.asked[turn]
        messages = sent.get("input") or sent["messages"]
        return "\n".join(_text(message["content"]) for message in messages)

    def start(self) -> OpenAIServer:
        """Starts to answer both interfaces."""
        for path, shape in ((_RESPONSES, _response), (_COMPLETIONS, _completion)):
            self.server.expect_request(path, method="POST").respond_with_handler(
                lambda request, shape=shape: self._answer(request, shape)  # type: ignore[misc]
            )
        return self

    def _answer(self, request: Request, shape: Any) -> Response:
        self.asked.append(json.loads(request.get_data()))
        if self.status != 200:
            failed = {"error": {"message": "the model is broken", "type": "scripted"}}
            return Response(json.dumps(failed), self.status, content_type="application/json")
        text = self.replies[min(len(self.asked), len(self.replies)) - 1]
        return Response(json.dumps(shape(text)), content_type="application/json")


@pytest.fixture
def openai() -> Iterator[OpenAIServer]:
    """Yields a server without a script, which a test sets with ``says``."""
    with HTTPServer(host="127.0.0.1") as server:
        yield OpenAIServer(server).start()


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


def _completion(text: str) -> Mapping[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "completion-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def _response(text: str) -> Mapping[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    message = {
        "type": "message",
        "id": "message-1",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }
    return {
        "id": "response-1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "scripted",
        "output": [message],
        "usage": {
            "input_tokens": 1,
            "output_tokens": 1,
            "total_tokens": 2,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
        "parallel_tool_calls": True,
        "tools": [],
        "tool_choice": "auto",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
    }
