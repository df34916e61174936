"""Computes the fields that triggers and forms output (n8n-nodes-base 2.41)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.n8n.analysis.shapes import Shape
from grounded_builder.domains.n8n.analysis.transfers import (
    Given,
    Transfer,
    entry_names,
    give,
    json_names,
    list_at,
    make_closed_shape,
    make_open_shape,
    read_names,
)
from grounded_builder.ir.graph import ResolvedNode


def read_webhook(given: Given) -> Transfer | None:
    """Returns the parts of a request; what a caller sends is in one of them by its method."""
    method = given.get("httpMethod")
    sends_body = isinstance(method, str) and method.upper() in ("POST", "PUT", "PATCH", "DELETE")
    is_get = isinstance(method, str) and method.upper() in ("GET", "HEAD")
    names = ("headers", "params", "query", "body", "webhookUrl", "executionMode", "jwtPayload")
    payload = "body" if sends_body else "query" if is_get else ""
    return give(Shape(dict.fromkeys(names), payload=payload))


def read_form_names(given: Given, version: float) -> list[Any] | None:
    """Returns the names of a form's fields; Form/utils: getFieldIdentifier, prepareFormFields."""
    if given.get("defineForm") == "json":
        try:
            entries = json.loads(str(given.get("jsonOutput")))
        except (ValueError, RecursionError):
            return None
    else:
        entries = list_at(given, "formFields", "values")
    if not isinstance(entries, list):
        return None
    names: list[Any] = []
    for entry in entries:
        if not isinstance(entry, Mapping):
            return None
        label, name = entry.get("fieldLabel"), entry.get("fieldName")
        if entry.get("fieldType") == "html":
            names += [item for item in (label, name, entry.get("elementName")) if item]
        elif entry.get("fieldType") == "hiddenField":
            names.append(name)
        else:
            names.append(name if version >= 2.4 and name else label or name)
    return names


def read_form(given: Given, bound: ResolvedNode) -> Transfer | None:
    """Returns the answers to a form, and what n8n adds to them."""
    known = read_names(read_form_names(given, bound.version or 0))
    if known is None:
        return None
    more = ("submittedAt", "formMode", "formQueryParameters", "headers", "user")
    return give(make_closed_shape(*known, *more))


def make_schedule() -> Transfer | None:
    """Returns the time of a run in parts."""
    return give(
        make_closed_shape(
            *("timestamp", "Readable date", "Readable time", "Day of week", "Year", "Month"),
            *("Day of month", "Hour", "Minute", "Second", "Timezone"),
        )
    )


def read_chat(given: Given) -> Transfer | None:
    """Returns a message of a chat."""
    if given.get("public") is True and given.get("mode") == "webhook":
        return None
    return give(make_closed_shape("sessionId", "action", "chatInput", "files", "metadata", "user"))


def read_telegram(given: Given, bound: ResolvedNode) -> Transfer | None:
    """Returns an update, which has one field named like its kind."""
    declared = bound.spec.variant.get("parameters", ())
    kinds = [
        option.get("value")
        for parameter in declared
        if parameter.get("name") == "updates"
        for option in parameter.get("options") or ()
    ]
    known = read_names(kind for kind in kinds if kind != "*")
    if not known:
        return None
    chosen = given.get("updates")
    fields: dict[str, Shape | None] = dict.fromkeys([*known, "update_id"])
    person = make_open_shape("first_name", "last_name", "username", "language_code", "is_bot")
    message = {
        **dict.fromkeys(("message_id", "date", "text", "caption", "photo", "document", "voice")),
        "chat": make_open_shape("id"),
        "from": person,
    }
    if isinstance(chosen, list) and len(chosen) == 1 and isinstance(chosen[0], str):
        kind = chosen[0]
        if kind in ("message", "edited_message", "channel_post", "edited_channel_post"):
            fields[kind] = Shape(message, is_open=True)
    # The items of a download have the update and, in some versions, the file.
    return give(Shape(fields))


def make_repository() -> Transfer | None:
    """Returns the parts of a request from GitHub."""
    return give(Shape(dict.fromkeys(("body", "headers", "query")), payload="body"))


def make_error() -> Transfer | None:
    """Returns the failed run."""
    error = make_open_shape("message", "stack", "name", "description", "node")
    names = ("id", "url", "retryOf", "lastNodeExecuted", "mode", "executionContext")
    execution = Shape({**dict.fromkeys(names), "error": error}, is_open=True)
    workflow = make_open_shape("id", "name")
    return give(Shape({"execution": execution, "workflow": workflow, "trigger": None}))


def make_manual() -> Transfer | None:
    """Returns an empty item."""
    return give(make_closed_shape())


def read_call(given: Given) -> Transfer | None:
    """Returns the declared inputs of a called workflow."""
    source = given.get("inputSource")
    if source == "workflowInputs":
        names = entry_names(list_at(given, "workflowInputs", "values"))
    elif source == "jsonExample":
        names = json_names(given.get("jsonExample"))
    else:
        return None
    known = read_names(names)
    return give(make_closed_shape(*known)) if known else None


def read_gmail(given: Given) -> Transfer | None:
    """Returns a simplified mail, with the headers that n8n asks for."""
    if given.get("simple") is not True:
        return None
    names = ("id", "threadId", "labels", "labelIds", "snippet", "payload", "sizeEstimate")
    headers = ("From", "To", "Cc", "Bcc", "Subject", "historyId", "internalDate")
    return give(make_closed_shape(*names, *headers))
