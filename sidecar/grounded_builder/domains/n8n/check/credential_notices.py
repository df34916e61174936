"""Finds credential types whose own form begins with a warning, such as that they are retired."""

from __future__ import annotations

import html
import re
from typing import Any

from grounded_builder.catalog.registry import Registry

_TAG = re.compile(r"<[^<>]*>")
_READ = 1_000
_LONGEST = 160


def find_notice(kind: str, registry: Registry) -> str:
    """Returns the notice with which the form of a credential type begins, empty without one.

    n8n marks retired types in no other way. A notice of a type that signs in with OAuth does not
    count: it is about apps and scopes.
    """
    row = registry.credentials.get(kind)
    if row is None or row.extends:
        return ""
    parameters = registry.credential(kind).get("parameters")
    first = parameters[0] if isinstance(parameters, list) and parameters else None
    if not isinstance(first, dict) or first.get("type") != "notice" or first.get("displayOptions"):
        return ""
    return _plain_text(first.get("displayName"))


def _plain_text(text: Any) -> str:
    plain = html.unescape(_TAG.sub(" ", str(text or "")[:_READ]))
    return " ".join(plain.split())[:_LONGEST].rstrip(" .")
