"""Finds and removes the secrets in JSON values and texts: by form, or by the name of their key."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count
from typing import Any

from grounded_builder.catalog.text_cleaning import sub_closed
from grounded_builder.redaction import own_secrets
from grounded_builder.redaction.classify_value import is_random, is_unnamed
from grounded_builder.redaction.find_secrets import NAMES, find_secrets

MARK = own_secrets.MARK
SECRET_NOTICE = f"A secret in the request was not read and is replaced by {MARK}; use a credential."

_MIN_CHARS = 4
_MAX_NAME_CHARS = 200
# Each secret is searched for in all texts: beyond this number, whole texts are replaced.
_MAX_SECRETS = 200
# The next free number of a name is counted up to here, and then taken from the number of names.
_MAX_TRIED = 10
# A name in JSON whose whole value is a secret.
_NAMED = re.compile(
    rf"(?:{NAMES}|^secret|[-_ ]secret|^authorization|^x-[\w-]{{0,60}}(?:key|token|auth)"
    r"|^(?:set-)?cookie|^pass|[-_]pass|^pw)$",
    re.IGNORECASE,
)
_MAYBE_NAMED = re.compile(r"(?:token|secret|(?<=.)key|pass|pwd|pw|auth)s?$", re.IGNORECASE)
# A text written out in an expression: ={{ 'Bearer ' + '...' }}
_LITERAL = re.compile(r"['\"`]([^'\"`{}\s]{12,400})['\"`]")
_EXPRESSION = re.compile(r"\{\{.*?\}\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """The definition of a secret in a JSON value.

    ``names`` matches the names of secrets: ``read_named_value`` returns the secret in a text with
    such a name, "" for none. Values of ``inherited_types`` inherit the name. ``find_in_text``
    returns the secrets in any text.
    """

    names: re.Pattern[str]
    read_named_value: Callable[[str], str]
    find_in_text: Callable[[str], Iterable[str]]
    inherited_types: tuple[type, ...]


def iter_secrets(pattern: SecretPattern, value: Any, *, named: bool = False) -> Iterator[str]:
    """Yields the secrets in a JSON value; ``named`` is true if its name is that of a secret."""
    if isinstance(value, str):
        if named and (secret := pattern.read_named_value(value)):
            yield secret
        yield from pattern.find_in_text(value)
    elif isinstance(value, list):
        for element in value:
            yield from iter_secrets(pattern, element, named=named)
    elif isinstance(value, dict):
        # Headers and query parameters are lists of names and values.
        pair_name = value.get("name") or value.get("key")
        is_pair = isinstance(pair_name, str) and _is_name(pattern.names, pair_name)
        for key, entry in value.items():
            # With an ambiguous name, only a value that looks random is a secret.
            label = pair_name if key == "value" and isinstance(pair_name, str) else str(key)
            if (
                isinstance(entry, str)
                and _is_name(_MAYBE_NAMED, label)
                and is_random(strip_expressions(entry))
            ):
                yield entry
            is_named = _is_name(pattern.names, str(key)) or (is_pair and key == "value")
            inherits = named and isinstance(entry, pattern.inherited_types)
            yield from iter_secrets(pattern, entry, named=is_named or inherits)


@lru_cache(8192)
def _is_name(names: re.Pattern[str], name: str) -> bool:
    return len(name) <= _MAX_NAME_CHARS and names.search(name) is not None


def redact(text: str, secrets: Iterable[str]) -> str:
    """Returns a text without these secrets, removing the longest first."""
    return _replace_all(text, _sort_by_length(secrets))


def _sort_by_length(secrets: Iterable[str]) -> list[str]:
    """Returns the secrets that are long enough to be removed, longest first."""
    known = {secret for secret in secrets if len(secret) >= _MIN_CHARS}
    return sorted(known, key=len, reverse=True)


def _replace_all(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, MARK)
    return text


def strip_expressions(text: str) -> str:
    """Returns a value, or "" if it only refers to a secret by an expression.

    ``=Bearer {{ $json.token }}`` refers to a secret and contains none.
    """
    rest = sub_closed(_EXPRESSION, "}}", "", text.removeprefix("=")).strip(" =")
    return "" if rest.casefold() in ("", "bearer", "basic", "token", "oauth", "key") else text


def without_secrets(value: Any) -> Any:
    """Returns a JSON value without the secrets in it, the same object if it has none."""
    secrets = {
        secret for secret in _secrets_in(value) if len(secret) >= _MIN_CHARS and secret != MARK
    }
    if len(secrets) > _MAX_SECRETS:
        return _map_texts(value, lambda text: _mark_text(text, secrets))
    return replace_secrets(value, secrets) if secrets else value


def _mark_text(text: str, secrets: Collection[str]) -> str:
    """Returns the mark in place of a text that has a secret."""
    return MARK if text in secrets or any(True for _ in _secrets_in(text)) else text


def without_secrets_in_json(text: str) -> str:
    """Returns a text without secrets; if it is JSON, names in it count as well."""
    if text[:1] in "{[" and text[-1:] in "}]":
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return str(without_secrets(text))
        clean = without_secrets(value)
        return text if clean is value else json.dumps(clean, ensure_ascii=False)
    return str(without_secrets(text))


def _secrets_in(value: Any) -> Iterator[str]:
    """Yields the secrets of a value by names, and those in its texts joined to one."""
    if isinstance(value, str):
        yield from own_secrets.find_own_secrets(value)
        yield from find_secrets(value)
        return
    texts: list[str] = []
    yield from iter_secrets(_PATTERN, value)
    _collect_texts(value, texts)
    for text in texts:
        yield from own_secrets.find_own_secrets(text)
        if len(text) > _LONG_TEXT:
            yield from _secrets_of_long_text(text)
    yield from find_secrets(_BETWEEN.join(text for text in texts if len(text) <= _LONG_TEXT))


@lru_cache(64)
def _secrets_of_long_text(text: str) -> tuple[str, ...]:
    """Returns the secrets in a text that is stored several times, such as a prompt."""
    return tuple(find_secrets(text))


def _collect_texts(value: Any, texts: list[str]) -> None:
    if isinstance(value, str):
        texts.append(value)
    elif isinstance(value, dict):
        for name, inner in value.items():
            texts.append(str(name))
            _collect_texts(inner, texts)
    elif isinstance(value, list | tuple):
        for inner in value:
            _collect_texts(inner, texts)


def replace_secrets(
    value: Any, secrets: Collection[str], without: frozenset[str] = frozenset()
) -> Any:
    """Returns a JSON value with the mark in place of these secrets, ``without`` some keys."""
    longest_first = _sort_by_length(secrets)
    return _map_texts(value, lambda text: _replace_all(text, longest_first), without)


def _map_texts(
    value: Any, change: Callable[[str], str], without: Collection[str] = frozenset()
) -> Any:
    """Returns a JSON value with its texts and keys changed, ``without`` some keys.

    Keys that become equal are numbered, so that no entry is lost.
    """
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list | tuple):
        return [_map_texts(entry, change, without) for entry in value]
    if isinstance(value, dict):
        clean: dict[str, Any] = {}
        for key, entry in value.items():
            if key not in without:
                clean[_free_key(change(str(key)), clean)] = _map_texts(entry, change, without)
        return clean
    return value


def _free_key(name: str, taken: Collection[str]) -> str:
    """Returns the name, with a number if it is already used."""
    numbers = chain(range(2, _MAX_TRIED), count(len(taken) + 1))
    numbered = (f"{name} {number}" for number in numbers)
    return name if name not in taken else next(key for key in numbered if key not in taken)


def _read_written_secret(text: str) -> str:
    written = strip_expressions(text)
    if written:
        return written if is_unnamed(written) else ""
    literals = (match[1] for match in _LITERAL.finditer(text))
    return next((literal for literal in literals if is_random(literal)), "")


def _find_none(_text: str) -> Iterable[str]:
    return ()


# No text contains this separator, and no pattern matches across it.
_BETWEEN = "\n\0\n"
# Longer texts are searched on their own, and the result is cached.
_LONG_TEXT = 4_000
_PATTERN = SecretPattern(_NAMED, _read_written_secret, _find_none, inherited_types=(list,))
