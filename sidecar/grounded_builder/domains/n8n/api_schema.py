"""Lists the workflow keys that n8n's API accepts, with value tests, and the export-only keys.

The keys are those of POST /api/v1/workflows in n8n 2.41.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import orjson

Test = Callable[[Any], bool]


def is_text(value: Any) -> bool:
    """Returns whether a value is a JSON string."""
    return isinstance(value, str)


def is_flag(value: Any) -> bool:
    """Returns whether a value is a JSON boolean."""
    return isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Returns whether a value is a JSON number."""
    return value.__class__ is int or value.__class__ is float


def is_object(value: Any) -> bool:
    """Returns whether a value is a JSON object."""
    return isinstance(value, dict)


def is_list(value: Any) -> bool:
    """Returns whether a value is a JSON list."""
    return isinstance(value, list)


def is_position(value: Any) -> bool:
    """Returns whether a value is two numbers: x and y on the canvas."""
    return (
        isinstance(value, list) and len(value) == 2 and is_number(value[0]) and is_number(value[1])
    )


def is_static(value: Any) -> bool:
    """Returns whether a value is an object, null, or text that is JSON."""
    if not isinstance(value, str):
        return value is None or isinstance(value, dict)
    try:
        orjson.loads(value)
    except orjson.JSONDecodeError:
        return False
    return True


def one_of(*values: str) -> Test:
    """Returns the test for one of a closed list of texts."""
    return lambda value: isinstance(value, str) and value in values


def _tags(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(tag, dict) and tag.keys() == {"key", "value"} and all(map(is_text, tag.values()))
        for tag in value
    )


def _node_tags(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() <= {"tag"} and _tags(value.get("tag", []))


def _groups(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(group, dict)
        and {"id", "name", "nodeIds"} <= group.keys() <= {"id", "name", "nodeIds", "description"}
        and is_list(group["nodeIds"])
        for group in value
    )


def _object_or_null(value: Any) -> bool:
    return value is None or isinstance(value, dict)


def _text_or_null(value: Any) -> bool:
    return value is None or isinstance(value, str)


Shape = Mapping[str, tuple[Test, str]]

WORKFLOW: Shape = {
    "name": (is_text, "text"),
    "nodes": (is_list, "a list of nodes"),
    "connections": (is_object, "an object keyed by node names"),
    "settings": (is_object, "an object"),
    "nodeGroups": (_groups, "a list of groups with id, name and nodeIds"),
    "staticData": (is_static, "an object, null or JSON text"),
    "pinData": (_object_or_null, "an object keyed by node names, or null"),
    "projectId": (is_text, "text"),
    "parentFolderId": (_text_or_null, "text or null"),
}

# n8n writes these itself when it exports or answers, and refuses or ignores them when it creates.
WORKFLOW_EXPORT_ONLY = frozenset(
    {
        "active",
        "activeVersion",
        "activeVersionId",
        "checksum",
        "createdAt",
        "description",
        "homeProject",
        "id",
        "isArchived",
        "meta",
        "parentFolder",
        "scopes",
        "shared",
        "sharedWithProjects",
        "sourceWorkflowId",
        "tags",
        "triggerCount",
        "updatedAt",
        "usedCredentials",
        "versionCounter",
        "versionId",
        "versionMetadata",
    }
)

NODE: Shape = {
    "id": (is_text, "text"),
    "name": (is_text, "text"),
    "type": (is_text, "text"),
    "typeVersion": (is_number, "a number"),
    "position": (is_position, "two numbers, [x, y]"),
    "parameters": (is_object, "an object"),
    "credentials": (is_object, "an object keyed by credential types"),
    "webhookId": (is_text, "text"),
    "disabled": (is_flag, "true or false"),
    "notes": (is_text, "text"),
    "notesInFlow": (is_flag, "true or false"),
    "executeOnce": (is_flag, "true or false"),
    "alwaysOutputData": (is_flag, "true or false"),
    "retryOnFail": (is_flag, "true or false"),
    "maxTries": (is_number, "a number"),
    "waitBetweenTries": (is_number, "a number of milliseconds"),
    "continueOnFail": (is_flag, "true or false"),
    "onError": (is_text, "text"),
    "customTelemetryTags": (_node_tags, 'an object with a list "tag" of keys and values'),
}

# The templates that n8n itself publishes carry "cid" and "creator".
NODE_EXPORT_ONLY = frozenset(
    {
        "cid",
        "color",
        "createdAt",
        "creator",
        "extendsCredential",
        "forceCustomOperation",
        "issues",
        "rewireOutputLogTo",
        "updatedAt",
    }
)

_SAVED = ("all", "none")
_CALLERS = ("any", "none", "workflowsFromAList", "workflowsFromSameOwner")
_REDACTED = ("none", "non-manual", "manual-only", "all")

SETTINGS: Shape = {
    "saveExecutionProgress": (is_flag, "true or false"),
    "saveManualExecutions": (is_flag, "true or false"),
    "saveDataErrorExecution": (one_of(*_SAVED), '"all" or "none"'),
    "saveDataSuccessExecution": (one_of(*_SAVED), '"all" or "none"'),
    "executionTimeout": (is_number, "a number of seconds"),
    "errorWorkflow": (is_text, "the id of a workflow"),
    "timezone": (is_text, "the name of a time zone"),
    "executionOrder": (is_text, '"v1" or "v0"'),
    "callerPolicy": (one_of(*_CALLERS), f"one of {', '.join(_CALLERS)}"),
    "callerIds": (is_text, "workflow ids, separated by commas"),
    "timeSavedMode": (one_of("fixed", "dynamic"), '"fixed" or "dynamic"'),
    "timeSavedPerExecution": (is_number, "a number of minutes"),
    "redactionPolicy": (one_of(*_REDACTED), f"one of {', '.join(_REDACTED)}"),
    "availableInMCP": (is_flag, "true or false"),
    "customTelemetryTags": (_tags, "a list of keys and values"),
}

# n8n takes these and drops them: what is read back would differ.
SETTINGS_EXPORT_ONLY = frozenset({"binaryMode", "credentialResolverId"})

# The editor writes this word where a setting follows the instance; n8n drops it on saving.
SETTINGS_FOLLOW = "DEFAULT"
