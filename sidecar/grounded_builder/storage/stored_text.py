"""Prepares texts for columns: as JSON, bounded, and cleaned of secrets or sealed.

Long texts are cleaned before a transaction begins; other texts of a statement are cleaned while it
runs (``storage/database.py``), which is only suitable for short ones.
"""

from __future__ import annotations

import json
from typing import Any

from grounded_builder.diagnostics.json_texts import dump_json
from grounded_builder.redaction.redact import without_secrets


def load_json(text: str | None) -> Any:
    """Returns the value that ``dump_json`` wrote; None for no text."""
    return None if text is None else json.loads(text)


def storable(text: str, longest: int) -> str:
    """Returns text that every database accepts: bounded, without NUL and lone surrogates."""
    value = text[:longest].replace("\0", "\\0")
    return value.encode("utf-8", "backslashreplace").decode()


class CleanText(str):
    """A text that is stored unchanged: its secrets were removed, or it is sealed."""

    __slots__ = ()


def clean_json(value: Any) -> CleanText:
    """Returns the JSON text of a value without the secrets in it."""
    return CleanText(dump_json(without_secrets(value)))


def clean_text(text: str, longest: int) -> CleanText:
    """Returns a text without the secrets in it, cut to so many characters."""
    return CleanText(storable(without_secrets(text), longest))
