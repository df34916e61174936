"""Decodes classic model text (``Model { Name "x" }``), and parses it into parts."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from grounded_builder.domains.simulink.read.section import Part, Room, UnreadableError
from grounded_builder.domains.simulink.read.xml_text import DEEPEST
from grounded_builder.ir.rules.reading import TOO_DEEP

_TOKEN = re.compile(
    r'[ \t\r\f\v]+|(?P<line>\n)|(?P<text>"(?:[^"\\]++|\\.)*+")|(?P<open>\{)|(?P<close>\})'
    r'|(?P<list>\[[^\]]*+\])|(?P<note>\#[^\n]*)|(?P<word>[^\s{}"\[]+)|(?P<odd>.).*+',
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_ENCODING = re.compile(rb'SavedCharacterEncoding\s+"([^"\n]{1,40})"')
# Python codecs of character sets; other codecs escape or decompress, some in unbounded time.
_CHARACTER_SET = re.compile(
    r"ascii|utf-(?:8|16)|iso(?:8859|2022)|cp\d|euc|gb|big5|shift_jis|koi8|mac|johab|hz|kz|ptcp|tis"
)
_HEADER = 20_000


def decode(raw: bytes) -> tuple[str, bool]:
    """Returns the text of a file in its declared encoding, and whether all of it was decoded."""
    raw = raw.removeprefix(codecs.BOM_UTF8)
    named = _ENCODING.search(raw[:_HEADER])
    encoding = named[1].decode("ascii", "replace") if named else "utf-8"
    for attempt in (encoding, "utf-8"):
        try:
            codec = codecs.lookup(attempt).name
            if _CHARACTER_SET.match(codec):
                return raw.decode(codec), True
        except (ValueError, LookupError):
            continue
    # Files without a declared encoding use the code page of the machine that wrote them.
    return raw.decode("cp1252", "replace"), named is None


def read_mdl(text: str) -> Part:
    """Returns a part with the sections of a file; raises UnreadableError for malformed text."""
    top = Part("")
    open_parts = [top]
    key: str | None = None
    # A text may continue in further texts, one in each line, which are joined after the last one.
    name, texts = "", list[str]()
    room = Room()
    for kind, token, at in _tokens(text):
        here = open_parts[-1]
        if kind == "text":
            room.take(1)
            if key is not None:
                name, texts, key = key, [_unescape(token)], None
            elif texts:
                texts.append(_unescape(token))
            else:
                raise UnreadableError(f"{_line(text, at)}: a text without a name")
            continue
        if kind == "line":
            if key is not None:
                here.take(key, "")
                key = None
            continue
        _take_text(here, name, texts)
        texts = []
        room.take(1)
        if kind == "open":
            if key is None:
                raise UnreadableError(f'{_line(text, at)}: "{{" without a name')
            if len(open_parts) > DEEPEST:
                raise UnreadableError(f"sections are nested deeper than {DEEPEST}", TOO_DEEP)
            part = Part(key)
            here.parts.append(part)
            open_parts.append(part)
            key = None
        elif kind == "close":
            if key is not None:
                here.take(key, "")
                key = None
            if len(open_parts) == 1:
                raise UnreadableError(f'{_line(text, at)}: "}}" closes nothing')
            open_parts.pop()
        elif key is None and kind == "word":
            key = token
        elif key is not None:
            here.take(key, token)
            key = None
        else:
            raise UnreadableError(f"{_line(text, at)}: {token[:20]!r} without a name")
    _take_text(open_parts[-1], name, texts)
    if len(open_parts) > 1:
        raise UnreadableError(f'the text ends inside "{open_parts[-1].tag}"')
    return top


def _take_text(part: Part, name: str, texts: list[str]) -> None:
    """Adds a value that was written as one text or several."""
    if texts:
        part.take(name, "".join(texts))


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    fresh = True
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind is None or (kind == "note" and fresh):
            continue
        if kind == "note":
            # A value may begin with a comment character: only whole lines are comments.
            kind = "word"
        fresh = kind == "line"
        if kind == "odd":
            raise UnreadableError(f"{_line(text, match.start())}: a text or list is not closed")
        yield kind, match.group(), match.start()


def _unescape(token: str) -> str:
    inner = token[1:-1]
    if "\\" not in inner:
        return inner
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), inner)


def _line(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at) + 1}"
