"""Answers the requests of a rehearsal as a scenario states, and others as the rehearsal does."""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, cast

from evals.cases.described import fits_request, prompt_of
from grounded_builder.domains.n8n.rehearsal.answer_server import AnswerServer, Prepare
from grounded_builder.domains.n8n.rehearsal.answers import wire_formats
from grounded_builder.domains.n8n.rehearsal.answers.chat_models import choose_reply
from grounded_builder.domains.n8n.rehearsal.answers.chat_prompts import ChatPrompt
from grounded_builder.domains.n8n.rehearsal.answers.replies import Reply
from grounded_builder.domains.n8n.rehearsal.exchange import (
    Answer,
    Answering,
    Exchange,
    Request,
    json_answer,
)
from grounded_builder.domains.n8n.rehearsal.stage import Stage

_SOURCE = "the scenario"
_FINAL_TOOL = "format_final_json_response"
_MOMENT = re.compile(r"@(ts|ms|iso|date|mail)-(\d+)")
_PDF_START = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
_PDF_PAGES = (
    b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\n"
)
_PDF_END = b"trailer<</Root 1 0 R/Size 4>>\n%%EOF\n"


class GivenAnswers:
    """The answers of one scenario.

    Each rule has ``to`` (the requests), and ``reply`` (JSON), ``text`` with its ``type``, a
    ``file``, or ``replies``, one for each value of the field ``per`` and each login. ``models`` are
    the replies of chat models in order; an object goes to the first prompt that demands its fields.
    In texts ``@iso-60`` is the moment a minute ago, ``@ts-60`` and ``@ms-60`` its number.
    """

    def __init__(self, rules: Sequence[Mapping[str, Any]], models: Sequence[Any]) -> None:
        self._rules = rules
        self._models = list(models)
        self._orders: dict[int, list[tuple[str, str]]] = {}

    def wrap(self, answering: Answering) -> Answering:
        """Returns the function that gives these answers, and those of another function else."""

        def answer(request: Request) -> Answer:
            return self._choose(request) or answering(request)

        return answer

    def _choose(self, request: Request) -> Answer | None:
        for number, rule in enumerate(self._rules):
            if fits_request(rule["to"], request):
                return self._make(number, rule, request)
        prompt = prompt_of(request)
        return self._reply(prompt) if prompt is not None and self._models else None

    def _make(self, number: int, rule: Mapping[str, Any], request: Request) -> Answer:
        status = int(rule.get("status", 200))
        if "file" in rule:
            return Answer(
                status, _pdf(int(rule["file"]["bytes"])), _SOURCE, {"content-type": rule["type"]}
            )
        if "text" in rule:
            body = str(expand(rule["text"])).encode()
            return Answer(status, body, _SOURCE, {"content-type": rule["type"]})
        value = rule.get("reply")
        if "replies" in rule:
            value = self._take_turn(number, rule, request)
        return json_answer(expand(value), _SOURCE, status)

    def _take_turn(self, number: int, rule: Mapping[str, Any], request: Request) -> Any:
        """Returns the reply to the n-th sender or value; the last one stays."""
        field = str(rule.get("per", ""))
        content = request.query.get(field)
        if content is None:
            match = re.search(rf'"?{re.escape(field)}"?[=:]\s*"?([\w#-]+)', request.body.decode())
            content = match[1] if match else ""
        key = (content, request.headers.get("authorization", ""))
        order = self._orders.setdefault(number, [])
        if key not in order:
            order.append(key)
        return rule["replies"][min(order.index(key), len(rule["replies"]) - 1)]

    def _reply(self, prompt: ChatPrompt) -> Answer | None:
        default, _ = choose_reply(prompt)
        if default.tool and default.tool != _FINAL_TOOL:
            return None
        final = next((tool.schema for tool in prompt.tools if tool.name == _FINAL_TOOL), None)
        schema = final if default.tool else prompt.schema
        value = self._take_model_reply(schema)
        if value is None:
            return None
        if default.tool:
            reply = Reply(tool=default.tool, arguments=_wrap(value, schema))
        else:
            text = value if isinstance(value, str) else json.dumps(_wrap(value, schema))
            reply = Reply(text=text)
        body, kind = wire_formats.render(prompt, reply)
        return Answer(200, body.encode(), _SOURCE, {"content-type": kind})

    def _take_model_reply(self, schema: Mapping[str, Any] | None) -> Any:
        """Returns the reply with the demanded fields, else the next text; the last one stays."""
        written = json.dumps(schema)
        for value in self._models:
            if isinstance(value, Mapping) and all(f'"{key}"' in written for key in value):
                return value
        texts = [value for value in self._models if isinstance(value, str)]
        if len(texts) > 1:
            self._models.remove(texts[0])
        return texts[0] if texts and (schema is None or not _is_object(schema)) else None


@contextmanager
def answers_of(stage: Stage, given: GivenAnswers) -> Iterator[None]:
    """Lets a stage answer as a scenario states, until the end of the context."""
    server = stage.answers
    stage.answers = cast("AnswerServer", _Relay(server, given))
    try:
        yield
    finally:
        stage.answers = server


class _Relay:
    """An answer server whose answers are first asked of a scenario."""

    def __init__(self, server: AnswerServer, given: GivenAnswers) -> None:
        self._server = server
        self._given = given

    @property
    def is_full(self) -> bool:
        return self._server.is_full

    def begin(self, answering: Answering, prepare: Prepare | None = None) -> None:
        self._server.begin(self._given.wrap(answering), prepare)

    def end(self) -> tuple[Exchange, ...]:
        return self._server.end()


def expand(value: Any) -> Any:
    """Returns a value with moments in place of their descriptions."""
    if isinstance(value, Mapping):
        if value.keys() == {"@base64url"}:
            return urlsafe_b64encode(str(expand(value["@base64url"])).encode()).decode()
        return {key: expand(item) for key, item in value.items()}
    if isinstance(value, list):
        return [expand(item) for item in value]
    if value == "@now":
        return int(datetime.now(UTC).timestamp())
    return _MOMENT.sub(_write_moment, value) if isinstance(value, str) else value


def _write_moment(match: re.Match[str]) -> str:
    moment = datetime.now(UTC) - timedelta(seconds=int(match[2]))
    seconds = int(moment.timestamp())
    return {
        "ts": str(seconds),
        "ms": str(seconds * 1_000),
        "iso": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "date": f"{moment:%Y-%m-%d}",
        "mail": format_datetime(moment),
    }[match[1]]


def _wrap(value: Any, schema: Mapping[str, Any] | None) -> Any:
    """Returns a value below ``output`` where the schema demands that."""
    properties = (schema or {}).get("properties")
    is_wrapped = isinstance(properties, Mapping) and properties.keys() == {"output"}
    return {"output": value} if is_wrapped and "output" not in value else value


def _is_object(schema: Mapping[str, Any]) -> bool:
    return isinstance(schema.get("properties"), Mapping) and bool(schema["properties"])


def _pdf(size: int) -> bytes:
    """Returns a PDF of at least this many bytes."""
    fixed = len(_PDF_START) + len(_PDF_PAGES) + len(_PDF_END)
    return _PDF_START + _PDF_PAGES + b"%" + b" " * max(size - fixed - 2, 0) + b"\n" + _PDF_END
