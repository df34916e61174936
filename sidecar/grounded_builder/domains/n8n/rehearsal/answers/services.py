"""Answers requests for files and images, and wraps items in the formats of services."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.n8n.rehearsal.answers.files import PNG, write_file
from grounded_builder.domains.n8n.rehearsal.answers.question import Question
from grounded_builder.domains.n8n.rehearsal.exchange import Answer, json_answer

Item = Mapping[str, Any]

_SOURCE = "the format of the service"
_DAY = "2026-01-01T00:00:00.000Z"
_IMAGES = re.compile(r"/images/(?:generations|edits|variations)$")
# Paths that return the content of a file: Drive, Telegram, Slack, OneDrive, Dropbox, speech.
_FILES = re.compile(
    r"/file/bot[^/]{1,200}/.{1,500}|/files-pri/.{1,500}|.{0,500}/content|/2/files/download"
    r"|.{0,300}/audio/speech|.{0,500}/export"
)
_BUCKET = '<?xml version="1.0"?><LocationConstraint>us-east-1</LocationConstraint>'


def answer_service(question: Question) -> Answer | None:
    """Returns the answer of a request that has no JSON object of an item, None for others."""
    request = question.request
    if _IMAGES.search(question.path):
        data = [{"b64_json": PNG, "url": "https://example.com/1.png", "revised_prompt": "a text"}]
        return json_answer({"created": 1_767_225_600, "data": data}, "a small image")
    if request.host.endswith(".amazonaws.com") and "location" in request.query:
        return Answer(200, _BUCKET.encode(), _SOURCE, {"content-type": "application/xml"})
    if request.host == "api.dropboxapi.com" and question.path.endswith("/get_current_account"):
        return json_answer({"root_info": {"root_namespace_id": "1"}}, _SOURCE)
    if request.query.get("alt") == "media" or _FILES.fullmatch(question.path):
        content, kind = write_file(question)
        return Answer(200, content, "a small file", {"content-type": kind})
    return None


def wrap_item(question: Question, item: Item) -> Any:
    """Returns the body in which a service returns one object."""
    host = question.request.host
    if host == "api.telegram.org":
        return {"ok": True, "result": item.get("result", item)}
    if host.endswith("slack.com"):
        return {**item, "ok": True}
    if host == "api.airtable.com" and "records" in question.fields:
        sent = question.fields["records"]
        records = [
            {
                "id": f"rec{i:014d}",
                "createdTime": _DAY,
                **(record if "id" in record else {}),
                "fields": record.get("fields", {}),
            }
            for i, record in enumerate(sent if isinstance(sent, list) else ())
            if isinstance(record, Mapping)
        ]
        return {"records": records}
    if host in ("app.asana.com", "api.pipedrive.com", "api.twitter.com", "api.x.com"):
        return {"success": True, "data": item}
    return item
