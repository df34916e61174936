"""Determines whether n8n accepts a value for a field type, by its rule validateFieldType."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from grounded_builder.domains.n8n.parameters.dates import is_readable
from grounded_builder.domains.n8n.parameters.javascript_semantics import (
    MISSING,
    is_deep_equal,
    number_of,
    text_of,
)

_ALPHANUMERIC = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*\Z")
_TIME = re.compile(r"\d{2}:\d{2}(:\d{2})?([-+]\d{4})?([-+]\d{1,2}(:\d{2})?)?\Z", re.ASCII)
_JWT = re.compile(r"[A-Za-z0-9\-_]+\.[A-Za-z0-9\-_]+\.[A-Za-z0-9\-_.+/=]*\Z")
_URL_SCHEMES = frozenset({"http", "https", "ftp", "file"})
_NOT_IN_HOST = re.compile(r"[\x00-\x20#%/:<>?@\[\\\]^|\x7f]")

_FORM_KEYS = frozenset(
    {
        *("fieldLabel", "fieldName", "fieldType", "fieldValue", "fieldOptions", "elementName"),
        *("placeholder", "defaultValue", "requiredField", "html", "formatDate"),
        *("multiselect", "multipleFiles", "acceptFileTypes"),
        *("limitSelection", "numberOfSelections", "minSelections", "maxSelections"),
    }
)
_FORM_TYPES = frozenset(
    {
        *("text", "textarea", "email", "password", "number", "date", "file", "html"),
        *("dropdown", "checkbox", "radio", "hiddenField"),
    }
)


def matches_field_type(value: Any, kind: str, choices: Iterable[Any] = ()) -> bool:
    """Returns whether n8n accepts the value for this field type; null fits every type."""
    if value is None or value is MISSING:
        return True
    if kind == "options":
        return any(is_deep_equal(value, choice) for choice in choices)
    test = _TESTS.get(kind.lower())
    return test is None or test(value)


def _is_number(value: Any) -> bool:
    return not math.isnan(number_of(value))


def _is_boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return True
    if isinstance(value, str):
        if value.lower() in ("true", "false"):
            return True
        if not value.strip():
            return False
    return number_of(value) in (0.0, 1.0)


def _is_array(value: Any) -> bool:
    if isinstance(value, list):
        return True
    text = text_of(value)
    return isinstance(_parse_json(text), list) or isinstance(
        _parse_json(text.replace("'", '"')), list
    )


def _is_object(value: Any) -> bool:
    """Returns whether a value is JSON or a JavaScript object literal, recognised by its braces."""
    if isinstance(value, dict):
        return True
    text = text_of(value).strip()
    read = _parse_json(text)
    return (
        isinstance(read, dict)
        or read is None
        or (read is MISSING and text[:1] == "{" and text[-1:] == "}")
    )


def _is_file(value: Any) -> bool:
    return isinstance(value, dict) and "mimeType" in value and ("data" in value or "id" in value)


def _is_url(value: Any) -> bool:
    text = text_of(value).strip()
    if isinstance(value, str) and "://" not in text:
        text = f"https://{text}"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    if parts.scheme not in _URL_SCHEMES:
        return False
    host = parts.hostname or text.partition("://")[2].strip("/").partition("/")[0]
    if not host or (port is not None and not 0 <= port < 65_536):
        return parts.scheme == "file"
    return host[:1] == "[" or ":" in host or _NOT_IN_HOST.search(host) is None


def _is_jwt(value: Any) -> bool:
    return bool(value) and _JWT.match(text_of(value)) is not None


def _is_form(value: Any) -> bool:
    fields = _parse_json(text_of(value))
    return isinstance(fields, list) and all(map(_is_form_field, fields))


def _is_form_field(entry: Any) -> bool:
    if not isinstance(entry, dict) or not entry.keys() <= _FORM_KEYS:
        return False
    if "fieldType" in entry and text_of(entry["fieldType"]) not in _FORM_TYPES:
        return False
    if "fieldOptions" not in entry:
        return True
    choices = entry["fieldOptions"]
    values = choices.get("values") if isinstance(choices, dict) else choices
    return isinstance(values, list) and all(
        isinstance(value, dict) and len(value) == 1 and isinstance(value.get("option"), str)
        for value in values
    )


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError):
        return MISSING


def _reject_constant(constant: str) -> Any:
    raise ValueError(constant)


_TESTS: Mapping[str, Callable[[Any], bool]] = {
    "string-alphanumeric": lambda value: (
        not isinstance(value, dict | list) and _ALPHANUMERIC.match(text_of(value)) is not None
    ),
    "number": _is_number,
    "boolean": _is_boolean,
    "datetime": lambda value: is_readable(text_of(value)),
    "time": lambda value: _TIME.match(text_of(value)) is not None,
    "binary": _is_file,
    "object": _is_object,
    "array": _is_array,
    "url": _is_url,
    "jwt": _is_jwt,
    "form-fields": _is_form,
}
