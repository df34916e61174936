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
    options_of,
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


def read_outlook(given: Given) -> Transfer | None:
    """Returns a mail of Outlook; Microsoft/Outlook: getPollResponse, simplifyOutputMessages."""
    kind = given.get("output")
    if kind == "fields":
        known = read_names(list_at(given, "fields"))
        return give(make_closed_shape("id", "@odata.etag", *known)) if known else None
    if kind != "simple":
        return None
    names = ("id", "conversationId", "subject", "bodyPreview", "to", "categories", "hasAttachments")
    sender = Shape(is_open=True, absent={"emailAddress": "read the address itself, $json.from"})
    more = 'set "output" to "raw" for the whole mail, or read one of '
    fields_text = ", ".join((*names, "from"))
    return give(Shape({**dict.fromkeys(names), "from": sender}, hint=more + fields_text))


def read_imap(given: Given, bound: ResolvedNode) -> Transfer | None:
    """Returns a mail read by IMAP; EmailReadImap/v2: itemBuilderFor."""
    kind = given.get("format")
    if (bound.version or 0) < 2:
        return None
    if kind == "raw":
        return give(make_closed_shape("raw"))
    if kind == "resolved":
        replacements = {"textPlain": "text", "textHtml": "html"}
        absent = {name: f"read {other}" for name, other in replacements.items()}
        return give(Shape(is_open=True, absent=absent))
    if kind != "simple":
        return None
    names = ("textHtml", "textPlain", "metadata", "attributes", "cc", "date", "from")
    return give(make_closed_shape(*names, "subject", "to"))


def read_leads(given: Given) -> Transfer | None:
    """Returns an answered lead form; FacebookLeadAdsTrigger: webhook."""
    names = ("id", "form", "ad", "adset", "page", "created_time")
    if options_of(given).get("simplifyOutput") is False:
        return give(make_closed_shape(*names, "field_data", "event"))
    return give(Shape(dict.fromkeys((*names, "data")), payload="data"))


def read_strava(given: Given) -> Transfer | None:
    """Returns an event of Strava, and the activity that n8n asks for."""
    names = ("aspect_type", "event_time", "object_id", "object_type", "owner_id")
    more = ("subscription_id", "updates")
    if given.get("resolveData") is True:
        return give(Shape(dict.fromkeys((*names, *more, "object_data")), payload="object_data"))
    return give(Shape(dict.fromkeys((*names, *more)), hint='turn on "resolveData"'))


def read_keap(given: Given) -> Transfer | None:
    """Returns one changed object of Keap; KeapTrigger: webhook."""
    if given.get("rawData") is True:
        return None
    return give(_make_reference("eventKey", "objectType", "id", "timestamp", "apiUrl"))


def read_notion(given: Given) -> Transfer | None:
    """Returns a page of Notion; NotionTrigger simplifies it as the first version of Notion does."""
    if given.get("simple") is not True:
        return None
    help_ = "a property is at the top by its own name, such as $json['Status']"
    return give(Shape(is_open=True, absent={"properties": help_}))


def read_pipedrive(_given: Given, bound: ResolvedNode) -> Transfer | None:
    """Returns a changed object of Pipedrive; the second form of its webhooks has version 1.1."""
    if (bound.version or 0) < 1.1:
        return None
    names = ("data", "previous", "meta")
    absent = {"current": "read $json.data"}
    return give(Shape(dict.fromkeys(names), payload="data", absent=absent))


def read_calendly(_given: Given, bound: ResolvedNode) -> Transfer | None:
    """Returns an event of Calendly."""
    if (bound.version or 0) < 2:
        return None
    return give(
        Shape(dict.fromkeys(("event", "created_at", "created_by", "payload")), payload="payload")
    )


def _make_reference(*names: str) -> Shape:
    """Returns the shape of an event that names what has changed by its id alone."""
    fields_text = ", ".join(names)
    return Shape(
        dict.fromkeys(names),
        hint=f"it outputs only {fields_text}: add a step that gets the rest of the data by the id",
    )


def _make_event(*names: str, payload: str) -> Shape:
    return Shape(dict.fromkeys((*names, payload.split(".", maxsplit=1)[0])), payload=payload)


def _make_jira() -> Shape:
    fields = ("summary", "description", "status", "priority", "assignee", "reporter", "labels")
    issue = Shape(
        {**dict.fromkeys(("id", "key", "self")), "fields": make_open_shape(*fields, "issuetype")},
        is_open=True,
    )
    missing = dict.fromkeys((*fields, "issuetype"), "read it below $json.issue.fields")
    return Shape({"issue": issue}, is_open=True, absent={**missing, "key": "read $json.issue.key"})


def _make_form_encoded(name: str, *examples: str) -> Shape:
    """Returns the shape of an event whose fields have brackets in their names."""
    shown = " or ".join(f"$json['{name}[{example}]']" for example in examples)
    return Shape(is_open=True, absent={name: f"the name of a field has the brackets: read {shown}"})


# What services send, or what n8n makes of it, where that does not depend on parameters.
EVENTS: Mapping[str, Shape] = {
    "activeCampaignTrigger": _make_form_encoded("contact", "email", "first_name"),
    "airtableTrigger": _make_event("id", "createdTime", payload="fields"),
    "asanaTrigger": _make_reference(
        *("user", "created_at", "action", "resource", "parent", "change", "type")
    ),
    "boxTrigger": _make_event(
        *("type", "id", "created_at", "created_by", "trigger", "webhook", "additional_info"),
        payload="source",
    ),
    "calTrigger": Shape(
        is_open=True, absent={"payload": "its fields are at the top, such as $json.startTime"}
    ),
    "clickUpTrigger": _make_reference(
        *("event", "history_items", "task_id", "list_id", "folder_id", "space_id", "goal_id"),
        *("key_result_id", "webhook_id", "team_id", "data"),
    ),
    "copperTrigger": _make_reference(
        *("ids", "type", "event", "subscription_id", "updated_attributes", "timestamp", "secret")
    ),
    "googleDriveTrigger": Shape(
        is_open=True,
        absent=dict.fromkeys(
            ("body", "content", "data", "text"),
            "it outputs a description of the file: add a step that downloads it",
        ),
    ),
    "hubspotTrigger": _make_reference(
        *("contactId", "companyId", "dealId", "ticketId", "conversationId", "propertyName"),
        *("propertyValue", "subscriptionType", "eventId", "subscriptionId", "portalId", "appId"),
        *("occurredAt", "attemptNumber", "changeSource", "changeFlag", "sourceId", "messageId"),
        *("messageType", "primaryObjectId", "mergedObjectIds", "newObjectId", "isSensitive"),
        *("numberOfPropertiesMoved", "objectTypeId", "fromObjectId", "toObjectId"),
        *("associationType", "isPrimaryAssociation", "associationRemoved"),
    ),
    "jiraTrigger": _make_jira(),
    "linearTrigger": _make_event(
        *("action", "actor", "createdAt", "type", "url", "updatedFrom", "organizationId"),
        *("webhookId", "webhookTimestamp"),
        payload="data",
    ),
    "mailchimpTrigger": _make_form_encoded("data", "email", "merges][FNAME"),
    "microsoftTeamsTrigger": _make_reference(
        *("id", "@odata.id", "@odata.type", "@odata.etag"),
    ),
    "payPalTrigger": _make_event(
        *("id", "event_version", "create_time", "resource_type", "resource_version"),
        *("event_type", "summary", "status", "transmissions", "links"),
        payload="resource",
    ),
    "slackTrigger": Shape(
        is_open=True, absent={"event": "its fields are at the top, such as $json.text"}
    ),
    "stripeTrigger": _make_event(
        *("id", "object", "account", "api_version", "context", "created", "livemode"),
        *("pending_webhooks", "request", "type"),
        payload="data.object",
    ),
    "trelloTrigger": make_closed_shape("action", "model", "webhook"),
    "whatsAppTrigger": Shape(
        is_open=True,
        absent={"entry": "its fields are at the top, such as $json.messages[0].text.body"},
    ),
    "wiseTrigger": _make_event(
        "subscription_id", "event_type", "schema_version", "sent_at", payload="data"
    ),
}
