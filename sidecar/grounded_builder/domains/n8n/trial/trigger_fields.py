"""Returns the fields that a trigger's own parameters declare, with values of their kinds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.ir.graph import ResolvedNode

FORM = "n8n-nodes-base.formTrigger"
_WEBHOOK = "n8n-nodes-base.webhook"
_CALLED = "n8n-nodes-base.executeWorkflowTrigger"
# What the chat triggers of @n8n/n8n-nodes-langchain 2.41 give for a message.
_CHATS = frozenset(
    f"@n8n/n8n-nodes-langchain.{name}" for name in ("chatTrigger", "manualChatTrigger")
)
_MESSAGE = {"sessionId": "sample", "action": "sendMessage", "chatInput": "sample"}
_MOMENT = "2026-01-31T09:00:00.000Z"
# A form of 2.4 names its fields by `fieldName`, earlier ones by the label.
_NAMED_FIELDS = 2.4
_OF_KIND: Mapping[str, Any] = {
    "number": 1,
    "boolean": True,
    "array": ["sample"],
    "object": {},
    "email": "someone@example.com",
    "date": "2026-01-31",
}


def declare_fields(bound: ResolvedNode) -> Mapping[str, Any]:
    """Returns the fields of a message, a form, a request, or a call by another workflow."""
    if bound.node.tool in _CHATS:
        return _MESSAGE
    if bound.node.tool == _WEBHOOK:
        return {"headers": {}, "params": dict(_list_variables(bound)), "query": {}, "body": {}}
    if bound.node.tool == FORM:
        answers = {
            name_form_field(bound, field): _choose_value(field) for field in list_form_fields(bound)
        }
        return {**answers, "submittedAt": _MOMENT, "formMode": "production"} if answers else {}
    if bound.node.tool == _CALLED:
        return {
            str(item["name"]): _OF_KIND.get(str(item.get("type")), "sample")
            for item in _list_values(bound.node.params.get("workflowInputs"))
            if isinstance(item.get("name"), str)
        }
    return {}


def list_form_fields(bound: ResolvedNode) -> Iterator[Mapping[str, Any]]:
    """Yields the fields of a form that have a name; text between fields has none."""
    for field in _list_values(bound.node.params.get("formFields")):
        is_text = field.get("fieldType") == "html" and not field.get("elementName")
        if name_form_field(bound, field) and not is_text:
            yield field


def name_form_field(bound: ResolvedNode, field: Mapping[str, Any]) -> str:
    """Returns the key of a form field in the item, "" without one."""
    keys = ["fieldLabel", "fieldName"]
    if field.get("fieldType") == "html":
        keys = ["elementName"]
    elif bound.version is not None and bound.version >= _NAMED_FIELDS:
        keys = ["fieldName", "fieldLabel"]
    names = (field.get(key) for key in keys)
    return next((name for name in names if isinstance(name, str) and name), "")


def _choose_value(field: Mapping[str, Any]) -> Any:
    kind = str(field.get("fieldType"))
    options = [
        item["option"]
        for item in _list_values(field.get("fieldOptions"))
        if isinstance(item.get("option"), str)
    ]
    if kind == "file":
        file = {"filename": "sample.pdf", "mimetype": "application/pdf", "size": 600}
        return [file] if field.get("multipleFiles") else file
    if kind == "hiddenField":
        return field.get("fieldValue", "")
    if kind == "checkbox" or field.get("multiselect"):
        return options[:1]
    if options and kind in ("dropdown", "radio"):
        return options[0]
    return _OF_KIND.get(kind, "sample")


def _list_variables(bound: ResolvedNode) -> Iterator[tuple[str, str]]:
    """Yields the variables of a webhook's path with a value."""
    path = bound.node.params.get("path")
    for part in path.split("/") if isinstance(path, str) and path[:1] != "=" else ():
        if part.startswith(":") and part[1:]:
            yield part[1:], "sample"


def _list_values(collection: Any) -> Iterator[Mapping[str, Any]]:
    values = collection.get("values") if isinstance(collection, Mapping) else None
    for item in values if isinstance(values, list) else ():
        if isinstance(item, Mapping):
            yield item
