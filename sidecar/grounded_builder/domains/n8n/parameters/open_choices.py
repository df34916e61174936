"""Follows what n8n's editor hides or empties because a value of the account is not chosen yet."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.parameters.account_values import is_account_value
from grounded_builder.domains.n8n.parameters.findings import (
    VALUE_TO_CHOOSE,
    Subject,
    note_lost_values,
)
from grounded_builder.domains.n8n.parameters.javascript_semantics import is_deep_equal
from grounded_builder.domains.n8n.parameters.place import Place
from grounded_builder.domains.n8n.parameters.properties import Property
from grounded_builder.domains.n8n.parameters.value_types import EMPTY

# Stands for any entry of a list.
_CHOSEN = "chosen"
# The types that the editor empties when a value changes that their lists depend on.
_EMPTIED = frozenset({"resourceLocator", "resourceMapper"})


class OpenChoices:
    """The parameters of a node that n8n's editor drops because of choices that are still open.

    Google Sheets hides ``columns`` and ``options`` until a sheet is chosen, Call n8n Workflow Tool
    its ``workflowInputs``. The editor removes hidden values when it opens a workflow. When a
    document is chosen, it empties the sheet, and with the sheet the columns.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._names: list[str] = []
        self._noted: set[str] = set()

    @cached_property
    def _values(self) -> dict[str, Any]:
        """The values of the node with every empty choice made, nothing if none is empty."""
        place = self._place
        chosen: dict[str, Any] = {}
        for name, value in place.simple.items():
            if isinstance(value, dict) and value.get("__rl") is True:
                if value.get("value") in EMPTY:
                    chosen[name] = {**value, "value": _CHOSEN}
            elif value in EMPTY and any(
                is_account_value(prop, "") and prop.is_shown(place.simple, place.root)
                for prop in place.level.by_name.get(name, ())
            ):
                chosen[name] = _CHOSEN
        return {**place.simple, **chosen} if chosen else {}

    def find(self, name: str, known: Iterable[Property], value: Any) -> list[Property]:
        """Returns the declarations of a hidden parameter that are shown once all is chosen."""
        values = self._values
        shown = [prop for prop in known if values and prop.is_shown(values, values)]
        if shown and is_deliberate(tuple(shown), value):
            self._names.append(name)
        return shown

    def note(self, diagnostic: Diagnostic, subject: Subject) -> Diagnostic:
        """Returns an open choice with what the editor drops: the first one names what is hidden."""
        if diagnostic.rule != VALUE_TO_CHOOSE:
            return diagnostic
        hidden, self._names = self._names, []
        self._noted.update(hidden)
        dependents = [
            name for name in self._find_dependents(diagnostic.token or "") if name not in hidden
        ]
        if not hidden and not dependents:
            return diagnostic
        return note_lost_values(diagnostic, hidden, dependents, subject.node.params)

    def _find_dependents(self, name: str) -> list[str]:
        """Returns the written locators and mappings that the editor empties when a value changes.

        These are the ones whose lists depend on it (``loadOptionsDependsOn``), directly or through
        one another; n8n's editor of 2.41 empties no other kind.
        """
        dependents: list[str] = []
        changed = [name.partition(".")[0]]
        while changed:
            needed = changed.pop()
            for prop in self._place.level.properties:
                paths = prop.options.get("loadOptionsDependsOn")
                known = paths if prop.type in _EMPTIED and isinstance(paths, list) else []
                if prop.name in self._noted or needed not in {
                    str(path).partition(".")[0] for path in known
                }:
                    continue
                if _has_value(self._place.given.get(prop.name)):
                    self._noted.add(prop.name)
                    dependents.append(prop.name)
                    changed.append(prop.name)
        return dependents


def _has_value(value: Any) -> bool:
    """Returns whether a locator or a mapping has a value that the editor can empty."""
    return isinstance(value, dict) and value.get("value") not in ("", None, {})


def is_deliberate(known: tuple[Property, ...], value: Any) -> bool:
    """Returns whether a hidden value is more than a default that was saved with the node."""
    return value not in EMPTY and not any(is_deep_equal(value, prop.default) for prop in known)
