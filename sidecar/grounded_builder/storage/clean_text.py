"""Texts that may be stored: cleaned of secrets, or sealed.

They are prepared before a transaction begins; other texts of a statement are cleaned while it runs
(``storage/database.py``), which is only suitable for short ones.
"""

from __future__ import annotations

from typing import Any

from grounded_builder.redaction.redact import without_secrets
from grounded_builder.storage.json_column import dump_json, storable


class CleanText(str):
    """A text that is stored unchanged: its secrets were removed, or it is sealed."""

    __slots__ = ()


def clean_json(value: Any) -> CleanText:
    """Returns the JSON text of a value without the secrets in it."""
    return CleanText(dump_json(without_secrets(value)))


def clean_text(text: str, longest: int) -> CleanText:
    """Returns a text without the secrets in it, cut to so many characters."""
    return CleanText(storable(without_secrets(text), longest))
