"""Write a changed document into its old text: what did not change keeps its bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
_VALUE = json.JSONDecoder(strict=False).raw_decode
_INDENT = re.compile(r"\n([ \t]+)")
_MOST_COMPARED = 2_000


@dataclass(frozen=True, slots=True)
class _Member:
    """An entry of a container as it stands in the text: ``head`` is key, colon and space."""

    key: Any
    head: str
    start: int
    end: int


# The number of the entry that it was, None for a new one, and its new text.
_Part = tuple[int | None, str]


def rewrite_text(text: str, before: Any, after: Any) -> str:
    """The text of ``after``, written as ``text`` writes ``before``.

    ``text`` must be exactly one JSON document; ValueError where it is not.
    """
    start = _skip(text, 0)
    value, end = _VALUE(text, start)
    if value != before or text[end:].strip():
        raise ValueError("the text is not the document")
    return text[:start] + _write_value(text, start, end, before, after) + text[end:]


def format_like(value: Any, text: str) -> str:
    """A whole document, indented as another text is, or by two."""
    unit = _indentation(text) or "  "
    return _dump(value, unit) + "\n"


def _write_value(text: str, start: int, end: int, before: Any, after: Any) -> str:
    if _same(before, after):
        return text[start:end]
    if isinstance(before, dict) and isinstance(after, dict) and before and after:
        return _object(text, start, end, before, after)
    if isinstance(before, list) and isinstance(after, list) and before and after:
        return _array(text, start, end, before, after)
    return _fresh(after, text, start)


def _object(text: str, start: int, end: int, before: dict[str, Any], after: dict[str, Any]) -> str:
    members = _members(text, start)
    place = {member.key: index for index, member in enumerate(members)}
    renamed = _renamed_key(before, after)
    template = members[0].head
    colon = template[template.rindex('"') + 1 :]
    parts: list[_Part] = []
    for key, value in after.items():
        was = renamed.get(key, key)
        old = place.get(was)
        if old is None:
            parts.append((None, _dump(key) + colon + _fresh(value, text, members[0].start)))
            continue
        member = members[old]
        head = member.head if was == key else _dump(key) + colon
        parts.append((old, head + _write_value(text, member.start, member.end, before[was], value)))
    return _join_members(text, start, end, members, parts)


def _renamed_key(before: dict[str, Any], after: dict[str, Any]) -> dict[str, str]:
    """New keys that stand where an old one with the same value stood."""
    results = [key for key in before if key not in after]
    new = [key for key in after if key not in before]
    return {
        key: was for was, key in zip(results, new, strict=False) if _same(before[was], after[key])
    }


def _array(text: str, start: int, end: int, before: list[Any], after: list[Any]) -> str:
    members = _members(text, start)
    parts: list[_Part] = []
    for old, new in _align_members(before, after):
        if old is None:
            parts.append((None, _fresh(after[new], text, members[0].start)))
        else:
            member = members[old]
            value = _write_value(text, member.start, member.end, before[old], after[new])
            parts.append((old, value))
    return _join_members(text, start, end, members, parts)


def _align_members(before: Sequence[Any], after: Sequence[Any]) -> list[tuple[int | None, int]]:
    """For each new entry the old one that it was, None for one that is new."""
    if max(len(before), len(after)) > _MOST_COMPARED:
        return [(new if new < len(before) else None, new) for new in range(len(after))]
    old_keys, new_keys = [_dump(item) for item in before], [_dump(item) for item in after]
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
    """The entries between the brackets of the old container, spaced as they were."""
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


def _members(text: str, start: int) -> list[_Member]:
    """The entries of the container that begins here."""
    members: list[_Member] = []
    is_object, at = text[start] == "{", _skip(text, start + 1)
    while text[at] not in "]}":
        head_start, key = at, len(members)
        if is_object:
            key, at = _VALUE(text, at)
            at = _skip(text, _skip(text, at) + 1)
        end = _VALUE(text, at)[1]
        members.append(_Member(key, text[head_start:at], at, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return members


def _fresh(value: Any, text: str, near: int) -> str:
    """A value that the text did not have, indented as the line near it is."""
    unit = _indentation(text)
    if unit is None:
        return _dump(value)
    line = text[text.rfind("\n", 0, near) + 1 : near]
    margin = line[: len(line) - len(line.lstrip())]
    ending = "\r\n" if "\r\n" in text else "\n"
    return (ending + margin).join(_dump(value, unit).split("\n"))


def _indentation(text: str) -> str | None:
    """How a text indents its members; None where it stands on one line."""
    match = _INDENT.search(text)
    return match[1] if match else None


def _dump(value: Any, indent: str | None = None) -> str:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair can only be written escaped
        return json.dumps(value, indent=indent)
    return text


def _same(one: Any, other: Any) -> bool:
    """Whether two values are one in JSON: 1 is not true, and 1.0 is written as it was."""
    return one is other or (one == other and _dump(one) == _dump(other))


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at
