"""What people decided that names mean, laid over whatever catalog is active."""

from __future__ import annotations

from dataclasses import dataclass

from grounded_builder.catalog.name_index import plain
from grounded_builder.catalog.tokenize import normal

LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class NameDecisions:
    """What a name means by decision: a tool, or none and what to take instead."""

    tool: str | None
    instead: str | None = None


def key_of(name: str) -> str:
    """What the spellings of one name have in common: neither case nor spaces nor marks."""
    shown = normal(name).strip()
    return (plain(shown) or shown.casefold())[:LONGEST_NAME]
