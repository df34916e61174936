"""Defines a user's decision on the tool of a name, and the key that the name's spellings share."""

from __future__ import annotations

from dataclasses import dataclass

from grounded_builder.catalog.name_index import fold_name
from grounded_builder.catalog.tokenize import normalize_text

LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class NameDecisions:
    """A user's decision about a name: its tool, or None with a replacement to suggest."""

    tool: str | None
    instead: str | None = None


def decision_key(name: str) -> str:
    """Returns the key that all spellings of a name share, without case, spaces and marks."""
    shown = normalize_text(name).strip()
    return (fold_name(shown) or shown.casefold())[:LONGEST_NAME]
