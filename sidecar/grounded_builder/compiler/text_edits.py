"""Writes a changed document as JSON text in the format of the old text, keeping unchanged bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any

from grounded_builder.diagnostics.json_position import skip_space

_decode_value = json.JSONDecoder(strict=False).raw_decode
_INDENT = re.compile(r"\n([ \t]+)")
_MAX_COMPARED = 2_000


@dataclass(frozen=True, slots=True)
class _Member:
    """An entry of a container in the text: ``head`` is key, colon and space."""

    key: Any
    head: str
    start: int
    end: int


# The index of the entry in the old container, None for a new one, and its new text.
_Part = tuple[int | None, str]


def rewrite_text(text: str, before: Any, after: Any) -> str:
    """Returns the text of ``after``, formatted as ``text`` formats ``before``.

    Raises ValueError if ``text`` is not exactly the document ``before``.
    """
    start = skip_space(text, 0)
    value, end = _decode_value(text, start)
    if value != before or text[end:].strip():
        raise ValueError("the text is not the document")
    return text[:start] + _write_value(text, start, end, before, after) + text[end:]


def format_like(value: Any, text: str) -> str:
    """Returns a whole document, indented like another text, or by two spaces."""
    unit = _find_indent(text) or "  "
    return _dump(value, unit) + "\n"


def _write_value(text: str, start: int, end: int, before: Any, after: Any) -> str:
    if _is_same(before, after):
        return text[start:end]
    if isinstance(before, dict) and isinstance(after, dict) and before and after:
        return _write_object(text, start, end, before, after)
    if isinstance(before, list) and isinstance(after, list) and before and after:
        return _write_array(text, start, end, before, after)
    return _write_new(after, text, start)


def _write_object(
    text: str, start: int, end: int, before: dict[str, Any], after: dict[str, Any]
) -> str:
    members = _read_members(text, start)
    place = {member.key: index for index, member in enumerate(members)}
    renamed = _find_renamed_keys(before, after)
    template = members[0].head
    colon = template[template.rindex('"') + 1 :]
    parts: list[_Part] = []
    for key, value in after.items():
        old_key = renamed.get(key, key)
        old = place.get(old_key)
        if old is None:
            parts.append((None, _dump(key) + colon + _write_new(value, text, members[0].start)))
            continue
        member = members[old]
        head = member.head if old_key == key else _dump(key) + colon
        parts.append(
            (old, head + _write_value(text, member.start, member.end, before[old_key], value))
        )
    return _join_members(text, start, end, members, parts)


def _find_renamed_keys(before: dict[str, Any], after: dict[str, Any]) -> dict[str, str]:
    """Maps new keys to the removed keys with the same position and value."""
    removed = [key for key in before if key not in after]
    added = [key for key in after if key not in before]
    return {
        key: old
        for old, key in zip(removed, added, strict=False)
        if _is_same(before[old], after[key])
    }


def _write_array(text: str, start: int, end: int, before: list[Any], after: list[Any]) -> str:
    members = _read_members(text, start)
    parts: list[_Part] = []
    for old, new in _align_members(before, after):
        if old is None:
            parts.append((None, _write_new(after[new], text, members[0].start)))
        else:
            member = members[old]
            value = _write_value(text, member.start, member.end, before[old], after[new])
            parts.append((old, value))
    return _join_members(text, start, end, members, parts)


def _align_members(before: Sequence[Any], after: Sequence[Any]) -> list[tuple[int | None, int]]:
    """Returns the index of the old entry for each new entry, None if it is new."""
    if max(len(before), len(after)) > _MAX_COMPARED:
        return [(new if new < len(before) else None, new) for new in range(len(after))]
    old_keys, new_keys = [_dump(entry) for entry in before], [_dump(entry) for entry in after]
    pairs: list[tuple[int | None, int]] = []
    matcher = SequenceMatcher(None, old_keys, new_keys, autojunk=False)
    for op, i1, i2, j1, j2 in matcher.get_opcodes():
        if op in ("equal", "replace"):
            pairs += [(i1 + n if i1 + n < i2 else None, j1 + n) for n in range(j2 - j1)]
        elif op == "insert":
            pairs += [(None, new) for new in range(j1, j2)]
    return pairs


def _join_members(
    text: str, start: int, end: int, members: list[_Member], parts: list[_Part]
) -> str:
    """Returns the entries in the brackets of the old container, with its spacing."""
    opening = text[start : members[0].start - len(members[0].head)]
    commas = [
        text[member.end : other.start - len(other.head)] for member, other in pairwise(members)
    ] or ["," + opening[1:]]
    out = [opening]
    for number, (old, part) in enumerate(parts):
        if number:
            out.append(commas[old - 1] if old else commas[0])
        out.append(part)
    return "".join(out) + text[members[-1].end : end]


def _read_members(text: str, start: int) -> list[_Member]:
    """Returns the entries of the container that begins here."""
    members: list[_Member] = []
    is_object, at = text[start] == "{", skip_space(text, start + 1)
    while text[at] not in "]}":
        head_start, key = at, len(members)
        if is_object:
            key, at = _decode_value(text, at)
            at = skip_space(text, skip_space(text, at) + 1)
        end = _decode_value(text, at)[1]
        members.append(_Member(key, text[head_start:at], at, end))
        at = skip_space(text, end)
        if text[at] == ",":
            at = skip_space(text, at + 1)
    return members


def _write_new(value: Any, text: str, near: int) -> str:
    """Returns a value that the text did not have, indented like the line near it."""
    unit = _find_indent(text)
    if unit is None:
        return _dump(value)
    line = text[text.rfind("\n", 0, near) + 1 : near]
    margin = line[: len(line) - len(line.lstrip())]
    ending = "\r\n" if "\r\n" in text else "\n"
    return (ending + margin).join(_dump(value, unit).split("\n"))


def _find_indent(text: str) -> str | None:
    """Returns the indentation of a text, None if it is on one line."""
    match = _INDENT.search(text)
    return match[1] if match else None


def _dump(value: Any, indent: str | None = None) -> str:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair can only be written escaped
        return json.dumps(value, indent=indent)
    return text


def _is_same(left: Any, right: Any) -> bool:
    """Returns whether two values are equal as JSON text: 1 is not true, nor 1.0."""
    return left is right or (left == right and _dump(left) == _dump(right))
