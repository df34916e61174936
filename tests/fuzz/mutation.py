"""Changes an input as a careless or hostile writer would: JSON by its tree, text by its pieces."""

from __future__ import annotations

import json
from collections.abc import Iterable
from copy import deepcopy
from random import Random
from typing import Any

import orjson

from tests.fuzz.target import LONGEST, Form

_DEEP: Any = 1
for _ in range(60):
    _DEEP = [_DEEP]
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 0.5, 1e308, 1e-320, 2**53 + 1, -(2**63), 2**64, 10**400),
    *("", " ", "\x00", "\ud800", "\ufeff", "\u202e", "é", "©", "x" * 3000, "__proto__"),
    *("constructor", "toString", "={{ $json.a }}", "={{ (", "={{ '\\'", "={{ $('Mail').item }}"),
    *("NaN", "1e999", "../../etc/passwd", "file:///etc/passwd", "http://127.0.0.1/", "$.a[*]"),
    *("(a+)+$", "[[[[", "{{{{", "}}}}", '"', "\\", "`${", "%{", "'''", "...", "eye(3)*[1;2]"),
    *([], {}, [[]], [{}], {"": ""}, {"id": 1}, {"from": "a", "output": 9}, _DEEP),
)
_PIECES: tuple[str, ...] = (
    *("{", "}", "[", "]", "(", ")", '"', "'", "`", "\\", ",", ":", ";", "\n", "\r", "\u2028"),
    *("```json\n", "```", "</think>", "{{", "}}", "={{", "<!--", "-->", "/*", "*/", "//", "%{"),
    *("$('a')", "$json", "$node['a']", "?.", "=>", "async ", "await ", "...", "0x", "1e9", "NaN"),
    *("<P Name='a'>", "</P>", "<!ENTITY a 'b'>", "<![CDATA[", "]]>", "&a;", "Block {", "__MWOPC_"),
)
_MOST_CHANGES = 4
_PLACES_SEEN = 400


def mutate(data: bytes, form: Form, chance: Random) -> bytes:
    """Return a changed copy; JSON that is none, and now and then any JSON, is changed as text."""
    if form == "json" and chance.random() < 0.85:
        try:
            value = orjson.loads(data)
        except orjson.JSONDecodeError:
            pass
        else:
            for _ in range(chance.randint(1, _MOST_CHANGES)):
                value = _change_tree(value, chance)
            return encode(value)[:LONGEST]
    if form == "lines" and chance.random() < 0.85:
        return _change_line(data, chance)[:LONGEST]
    if form == "bytes" and chance.random() < 0.7:
        return _change_bytes(bytearray(data), chance)[:LONGEST]
    return _change_text(data, chance)[:LONGEST]


def encode(value: Any) -> bytes:
    """Return JSON with halves of characters as escapes and without a bound on numbers."""
    return json.dumps(value).encode()


def decode(data: bytes) -> Any:
    """Return the JSON value in the bytes, None where there is none, as the API reads it."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            return None


def _change_tree(value: Any, chance: Random) -> Any:
    places = _places(value)
    holder, key = chance.choice(places)
    if holder is None:
        return _draw(chance) if chance.random() < 0.1 else [value]
    action = chance.randrange(7)
    if action == 0:
        del holder[key]
    elif action in (1, 2):
        holder[key] = _draw(chance)
    elif action == 3:
        other, name = chance.choice(places)
        if other is not None and name in (other if isinstance(other, dict) else range(len(other))):
            # A copy: a value inside of itself would be no JSON.
            holder[key] = orjson.loads(_plain(other[name]))
    elif action == 4 and isinstance(holder, list):
        holder.insert(key, orjson.loads(_plain(holder[key])))
    elif action == 4:
        holder[str(chance.choice(_VALUES))[:40]] = holder.pop(key)
    elif isinstance(holder[key], str):
        changed = _change_text(holder[key].encode("utf-8", "surrogatepass"), chance)
        holder[key] = changed.decode("utf-8", "replace")[:4000]
    elif isinstance(holder[key], int):
        holder[key] += chance.choice((-1, 1, 2**31, -(2**53)))
    else:
        holder[key] = [holder[key]]
    return value


def _draw(chance: Random) -> Any:
    return deepcopy(chance.choice(_VALUES))


def _plain(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except (TypeError, orjson.JSONEncodeError):
        return b"null"


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every holder and key, the outermost value as (None, None); a bounded number."""
    places: list[tuple[Any, Any]] = [(None, None)]
    level = [value]
    while level and len(places) < _PLACES_SEEN:
        holder = level.pop(0)
        keys: Iterable[Any] = ()
        if isinstance(holder, dict | list):
            keys = holder if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            places.append((holder, key))
            if isinstance(holder[key], dict | list):
                level.append(holder[key])
    return places


def _change_line(data: bytes, chance: Random) -> bytes:
    """One line of JSON Lines changed, left out, written twice or moved."""
    lines = data.splitlines()
    place = chance.randrange(len(lines)) if lines else 0
    action = chance.randrange(8)
    if not lines or action == 0:
        lines.insert(place, lines[chance.randrange(len(lines))] if lines else b"{}")
    elif action == 1:
        lines.append(lines.pop(place))
    else:
        lines[place] = mutate(lines[place], "json", chance).replace(b"\n", b" ")
    return b"\n".join(lines) + b"\n"


def _change_text(data: bytes, chance: Random) -> bytes:
    text = data.decode("utf-8", "replace")
    for _ in range(chance.randint(1, _MOST_CHANGES)):
        start = chance.randint(0, len(text))
        end = min(len(text), start + chance.choice((0, 1, 2, 8, 60)))
        action = chance.randrange(5)
        if action == 0:
            text = text[:start] + text[end:]
        elif action == 1:
            text = text[:start] + chance.choice(_PIECES) + text[start:]
        elif action == 2:
            text = text[:start] + chance.choice(_PIECES) * chance.choice((2, 30, 900)) + text[end:]
        elif action == 3:
            text = text[:end] + text[start:end] * chance.choice((1, 3, 100)) + text[end:]
        else:
            text = (
                text[:start] + chr(chance.choice((0, 0x7F, 0x2028, 0xFFFF, 0x1F600))) + text[end:]
            )
        text = text[:LONGEST]
    return text.encode("utf-8", "replace")


def _change_bytes(data: bytearray, chance: Random) -> bytes:
    for _ in range(chance.randint(1, 8)):
        place = chance.randint(0, len(data))
        action = chance.randrange(4)
        if action == 0 and place < len(data):
            data[place] ^= 1 << chance.randrange(8)
        elif action == 1 and place < len(data):
            data[place] = chance.choice((0, 0x7F, 0x80, 0xFF))
        elif action == 2:
            del data[place : place + chance.choice((1, 4, 64))]
        else:
            data[place:place] = chance.randbytes(chance.choice((1, 2, 4)))
    return bytes(data)
