"""Lists the names in a value that a list of the account can explain, and writes chosen entries."""

from __future__ import annotations

from typing import Any

from grounded_builder.domains.n8n.lists.list_client import ListEntry
from grounded_builder.domains.n8n.lists.list_values import ListValue
from grounded_builder.domains.n8n.parameters.account_values import is_own_stand_in
from grounded_builder.domains.n8n.parameters.javascript_semantics import is_expression
from grounded_builder.domains.n8n.parameters.locators import is_keyword, open_choice_of
from grounded_builder.domains.n8n.parameters.value_types import choices_of

# Stands for a value that is not written, or is a placeholder.
EMPTY_TEXT = ""
_MOST_NAMES = 20


def list_names(value: ListValue) -> tuple[str, ...]:
    """Returns the written texts of a value that are looked up: no expressions and no placeholders.

    Ids and addresses of locators are taken as they are.
    """
    if value.kind == "locator":
        names = _names_in_locator(value)
    else:
        entries = value.value if isinstance(value.value, list) else [value.value]
        known = {str(choice) for choice in choices_of(value.declared) or ()}
        known.add(str(value.declared.default))
        names = [
            str(entry)
            for entry in entries
            if isinstance(entry, str | int | float) and not isinstance(entry, bool)
        ]
        names = [name for name in names if name not in known and not is_expression(name)]
    return tuple(
        dict.fromkeys(name for name in names if name and not is_own_stand_in(name, value.declared))
    )[:_MOST_NAMES]


def _names_in_locator(value: ListValue) -> list[str]:
    written = value.value
    if not isinstance(written, dict):
        return []
    mode, text = written.get("mode"), written.get("value")
    if not isinstance(mode, str) or is_expression(text):
        return []
    opened = open_choice_of(written, value.declared)
    if opened:
        return [opened]
    if not isinstance(text, str) or not text or "{{" in text:
        return []
    is_word = mode.casefold().endswith("id") and is_keyword(text)
    return [text] if is_word or value.takes_names else []


def with_entry(value: ListValue, written: Any, name: str, entry: ListEntry) -> Any:
    """Returns a value with an entry in the place of its name, as n8n's editor writes it."""
    if value.kind == "locator":
        if isinstance(written, dict) and written.get("value") == entry.value:
            return written
        located: dict[str, Any] = {
            "__rl": True,
            "mode": "list",
            "value": entry.value,
            "cachedResultName": entry.name,
        }
        return {**located, "cachedResultUrl": entry.url} if entry.url else located
    if isinstance(written, list):
        return [entry.value if str(item) == name else item for item in written]
    return written if written == entry.value else entry.value
