"""Finds the warning at the top of a credential type's form, such as that it is retired."""

from __future__ import annotations

import html
import re

from grounded_builder.catalog.registry import Registry

_TAG = re.compile(r"<[^<>]*>")
_LONGEST = 160


def find_notice(kind: str, registry: Registry) -> str:
    """Returns the notice with which the form of a credential type begins, empty without one.

    n8n marks retired types in no other way. A notice of a type that signs in with OAuth does not
    count: it is about apps and scopes.
    """
    row = registry.credentials.get(kind)
    if row is None or row.extends:
        return ""
    plain = html.unescape(_TAG.sub(" ", row.notice))
    return " ".join(plain.split())[:_LONGEST].rstrip(" .")
