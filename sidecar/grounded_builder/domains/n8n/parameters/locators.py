"""Converts texts to resource locators, completes these, and finds unfit or unchosen ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.n8n.parameters.account_values import (
    is_own_stand_in,
    may_be_named,
)
from grounded_builder.domains.n8n.parameters.javascript_semantics import is_expression
from grounded_builder.domains.n8n.parameters.patterns import pattern_matches
from grounded_builder.domains.n8n.parameters.properties import LOCATORS, Property, only_dicts

_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
# One word, possibly with a short number behind it: "Leads", "CRM", "Sheet1"; "f1" is an id.
_WORD = re.compile(r"[^\W\d_]{2,}[0-9]{0,4}|[^\W\d_]")
# Random ids of services have at least this many characters if they have no digit.
_SHORTEST_LETTER_ID = 16
_SHORTEST_CAPITAL_ID = 8
# These types declare no modes: the editor writes the two below, and n8n reads the value as an id.
_BY_ID_ALONE = LOCATORS - {"resourceLocator"}
_MODES_BY_ID = ("id", "list")
_NAME = "name"
_KEYWORD = re.compile(r"[a-z]{2,20}")
_TEXT_OF_WORDS = "Two words"


def locate(text: Any, declared: Property) -> dict[str, Any]:
    """Returns a text or number as a locator in the mode that takes it.

    A text that no mode takes is put into ``cachedResultName``, which n8n's editor shows, for a
    person to choose by. A lower-case word stays the value as well: it may be a keyword of the
    service, such as ``primary``.
    """
    modes = _modes_of(declared)
    plain = str(text)
    known = _find_default(plain, declared)
    if known is not None:
        return known
    mode = None if is_own_stand_in(plain, declared) else _find_mode(plain, modes)
    if mode is not None:
        return {"__rl": True, "mode": mode, "value": text}
    return _leave_to_choose(plain, declared, modes)


def _leave_to_choose(
    name: str, declared: Property, modes: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Returns a locator that shows a name, for a person to choose by."""
    mode = _first_mode(declared, modes)
    value = name if mode == "list" and modes and _KEYWORD.fullmatch(name) else ""
    return {"__rl": True, "mode": mode, "value": value, "cachedResultName": name}


def locate_surely(text: str, declared: Property) -> dict[str, Any] | None:
    """Returns a text as a locator where only one mode takes it, None elsewhere."""
    modes = _modes_of(declared)
    is_address = _ADDRESS.match(text) is not None
    typed = [name for name in modes if name != "list" and (name == "url") is is_address]
    fitting = [name for name in typed or modes if fits_mode(modes[name], text)]
    located = locate(text, declared) if len(fitting) == 1 else None
    return located if located is not None and located["value"] else None


def complete_locator(value: Mapping[str, Any], declared: Property) -> dict[str, Any]:
    """Returns a locator with the mark of one and with a mode that takes its value."""
    mode, pointed = value.get("mode"), value.get("value")
    modes = _modes_of(declared)
    has_value = isinstance(pointed, str | int | float) and pointed != ""
    if mode in modes and not _is_unfit(value, modes, declared):
        return {**value, "__rl": True}
    if not has_value or isinstance(pointed, bool):
        return {**value, "__rl": True, "mode": _first_mode(declared, modes)}
    located = locate(pointed, declared)
    # An id of any form is allowed where its mode has no pattern: the drafted mode says otherwise.
    is_name = mode == _NAME and mode not in modes and _is_name(str(pointed))
    if is_name and _is_id(located["mode"]):
        located = _leave_to_choose(str(pointed), declared, modes)
    return {**value, **located}


def is_unfit(value: Mapping[str, Any], declared: Property) -> bool:
    """Returns whether a mode does not exist, or cannot take the literal value beside it."""
    mode, modes = value.get("mode"), _modes_of(declared)
    if not isinstance(mode, str) or not mode or is_expression(mode):
        return False
    if not modes:
        return declared.type in _BY_ID_ALONE and mode not in _MODES_BY_ID
    return mode not in modes or _is_unfit(value, modes, declared)


def _is_unfit(
    value: Mapping[str, Any], modes: Mapping[str, Mapping[str, Any]], declared: Property
) -> bool:
    """Returns whether a mode cannot take the value where another one can."""
    mode, text = str(value.get("mode")), value.get("value")
    if not isinstance(text, str) or not text or is_expression(text) or "{{" in text:
        return False
    if value.get("cachedResultName") or value.get("cachedResultUrl"):
        return False
    is_address = _ADDRESS.match(text) is not None
    if mode != "list" and (fits_mode(modes[mode], text) or (is_address and "url" not in modes)):
        return False
    if mode != "list":
        return bool(locate(text, declared)["mode"] != mode)
    # n8n checks no pattern in a list, and services take keywords: only a name can move.
    ids = [name for name in modes if _is_id(name)]
    is_id = any(fits_mode(modes[name], text) for name in ids)
    is_known = _find_default(text, declared) is not None
    return bool(ids) and not is_id and not is_known and _find_mode(text, modes) is not None


def is_keyword(text: str) -> bool:
    """Returns whether a text is one word in small letters, as keywords of services are."""
    return _KEYWORD.fullmatch(text) is not None


def is_entry_name(text: str) -> bool:
    """Returns whether a text is what a person calls an entry: several words, or a capitalised one.

    Ids of services can be words in small letters or in capitals, such as Gmail's ``INBOX``.
    """
    stripped = text.strip()
    is_plain = (stripped[:1].isupper() and stripped[1:].islower()) or not stripped.isalnum()
    return is_plain and _is_name(text) and not is_expression(text)


def open_choice_of(value: Any, declared: Property) -> str:
    """Returns the name or placeholder in a locator that a person has yet to choose by, if any."""
    modes, by_id = _modes_of(declared), declared.type != "resourceLocator"
    if isinstance(value, str):
        is_open = is_own_stand_in(value, declared) or (by_id and _is_name(value))
        return value if is_open and not is_expression(value) else ""
    if not isinstance(value, Mapping):
        return ""
    text, name = value.get("value"), value.get("cachedResultName")
    if text in (None, ""):
        return name if isinstance(name, str) else ""
    if not isinstance(text, str) or is_expression(text):
        return ""
    if is_own_stand_in(text, declared):
        return text
    is_chosen = _is_selected(value) or _find_default(text, declared) is not None
    is_id = by_id or value.get("mode") in _MODES_BY_ID
    if is_chosen or not is_id or "{{" in text:
        return ""
    if value.get("mode") == "id" and _KEYWORD.fullmatch(text):
        return ""  # some services have lower-case words as ids
    ids = [mode for name, mode in modes.items() if _is_id(name)]
    # Without a pattern an id of any form is allowed, but what has a list is usually no word.
    is_named = "list" in modes and not may_be_named(declared)
    return text if _is_name(text) and (by_id or is_named or any(map(_is_restricted, ids))) else ""


def fits_mode(mode: Mapping[str, Any], text: str) -> bool:
    """Returns whether a text matches the patterns of a mode, if it has any."""
    return all(pattern_matches(f"^{pattern}$", text) is True for pattern in _patterns_of(mode))


def _find_mode(text: str, modes: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Returns the mode that takes a literal text or an expression, None without one."""
    typed = [name for name in modes if name not in ("list", "url")]
    if is_expression(text):
        return next((name for name in typed if _is_id(name)), next(iter((*typed, *modes)), "id"))
    if not modes:
        # n8n looks up workflows and agents by id only.
        return None if _is_name(text) else "id"
    if _ADDRESS.match(text) and "url" in modes:
        return "url"
    fitting = [name for name in typed if fits_mode(modes[name], text)]
    names = [name for name in fitting if not _is_id(name)]
    # The id of some services is a word, such as that of a collection, but no phrase.
    is_phrase = " " in text.strip() and "list" in modes
    for name in fitting:
        has_other = names or is_phrase or _is_restricted(modes[name])
        if _is_id(name) and not (_is_name(text) and has_other):
            return name
    if names:
        return names[0]
    return None if typed or "list" not in modes else "list"


def _is_name(text: str) -> bool:
    """Returns whether a text is what a person calls something, not the id of a service."""
    stripped = text.strip()
    if " " in stripped or stripped.startswith(("#", "@")):
        return True
    longest = _SHORTEST_CAPITAL_ID if stripped.isupper() else _SHORTEST_LETTER_ID
    return bool(_WORD.fullmatch(stripped)) and len(stripped) < longest


def _is_id(mode: str) -> bool:
    return mode.casefold().endswith("id")


def _is_restricted(mode: Mapping[str, Any]) -> bool:
    """Returns whether the patterns of a mode for ids exclude names of several words."""
    return bool(_patterns_of(mode)) and not fits_mode(mode, _TEXT_OF_WORDS)


def _is_selected(value: Mapping[str, Any]) -> bool:
    """Returns whether n8n's editor wrote a locator: it adds the name of what was selected."""
    name = value.get("cachedResultName")
    return bool(value.get("cachedResultUrl") or (name and name != value.get("value")))


def _patterns_of(mode: Mapping[str, Any]) -> list[str]:
    facts = [rule.get("properties") for rule in only_dicts(mode.get("validation"))]
    patterns = [fact.get("regex") for fact in facts if isinstance(fact, dict)]
    return [pattern for pattern in patterns if isinstance(pattern, str)]


def _modes_of(declared: Property) -> dict[str, dict[str, Any]]:
    return {
        str(mode["name"]): mode for mode in only_dicts(declared.raw.get("modes")) if "name" in mode
    }


def _first_mode(declared: Property, modes: Mapping[str, Any]) -> str:
    """Returns the mode in which a person chooses: the list, else that of the default."""
    if "list" in modes or not modes:
        return "list"
    default = declared.default.get("mode") if isinstance(declared.default, dict) else None
    return str(default) if default in modes else next(iter(modes))


def _find_default(text: str, declared: Property) -> dict[str, Any] | None:
    """Returns the default of a locator if a text is its value or its name."""
    default = declared.default
    if not isinstance(default, dict) or default.get("value") in (None, ""):
        return None
    names = {str(default.get(key, "")).casefold() for key in ("value", "cachedResultName")}
    return {"__rl": True, **default} if text.casefold() in names else None
