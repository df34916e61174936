"""Finds changes of choices, such as the operation, that make n8n show a hidden parameter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, product
from typing import Any

from grounded_builder.domains.n8n.parameters.javascript_semantics import is_expression
from grounded_builder.domains.n8n.parameters.place import Place
from grounded_builder.domains.n8n.parameters.properties import Property
from grounded_builder.domains.n8n.parameters.value_types import EMPTY, choices_of

_MAX_TRIED = 24
_MAX_REMEDIES = 3


def find_remedies(hidden: Iterable[Property], place: Place) -> tuple[Mapping[str, Any], ...]:
    """Returns the changes of settings that show a hidden parameter and all others written.

    A setting is a choice that conditions of the parameter name, such as the operation. Conditions
    are read with the values of the node, and without the defaults of parameters that a change would
    show.
    """
    written = {
        name: value
        for name, value in place.given.items()
        if value not in EMPTY and name in place.level.by_name
    }
    remedies: list[Mapping[str, Any]] = []
    for changes in islice(_changes(hidden, place), _MAX_TRIED):
        changed = {**place.simple, **changes}
        if changes not in remedies and all(
            name in changes or _has_effect(name, value, changed, place)
            for name, value in written.items()
        ):
            remedies.append(changes)
            if len(remedies) == _MAX_REMEDIES:
                break
    return tuple(remedies)


def _changes(hidden: Iterable[Property], place: Place) -> Iterator[Mapping[str, Any]]:
    """Yields the changes of settings with which the conditions of a parameter are met."""
    for prop in hidden:
        shown = prop.raw.get("displayOptions")
        wanted = shown.get("show") if isinstance(shown, dict) else None
        if not isinstance(wanted, dict):
            continue
        unmet = {
            key: [value for value in values if _is_choice(key, value, place)]
            for key, values in wanted.items()
            if isinstance(values, list) and place.simple.get(key) not in values
        }
        for combination in product(*unmet.values()):
            if combination:
                yield dict(zip(unmet, combination, strict=True))


def _has_effect(name: str, value: Any, simple: Mapping[str, Any], place: Place) -> bool:
    """Returns whether a value is read with these settings: shown, and one of the shown options."""
    shown = [prop for prop in place.level.by_name[name] if prop.is_shown(simple, simple)]
    if not shown or not isinstance(value, str) or is_expression(value):
        return bool(shown)
    options = [choices_of(prop) if prop.type == "options" else None for prop in shown]
    return any(choices is None or value in choices for choices in options)


def _is_choice(key: str, value: Any, place: Place) -> bool:
    """Returns whether a value is an option of a parameter, or true or false for a switch."""
    return any(
        isinstance(value, bool) if prop.type == "boolean" else value in (choices_of(prop) or ())
        for prop in place.level.by_name.get(key, ())
    )
