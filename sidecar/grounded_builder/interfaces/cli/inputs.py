"""What a command is given: files, folders, standard input, or JSON Lines of documents."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from grounded_builder.diagnostics.json_kind import kind_in_words
from grounded_builder.interfaces.cli.context import UnusableError
from grounded_builder.interfaces.cli.files import SUFFIX, find, lies_below
from grounded_builder.ir.options import Limits

STDIN = "-"
STDIN_NAME = "<stdin>"
_LONG_NUMBER = re.compile(rb"\d{19}")
_LINE_KEYS = ("workflow", "plan", "draft", "model")


@dataclass(frozen=True, slots=True)
class Document:
    """One file's text as it was read, undecoded."""

    source: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Line:
    """One line of JSON Lines: its ``id`` to echo, and the object, or why it is none."""

    number: int
    id: Any
    value: dict[str, Any]
    fault: str | None = None


def documents(paths: list[str]) -> Iterator[Document | OSError]:
    """Yields every document that paths stand for, folders walked for ``*.json``; a failure is
    yielded.

    UnusableError, before anything is read, for a path that is not there or holds no document:
    judging nothing is no clean result.
    """
    files = find([path for path in paths if path != STDIN])
    if STDIN in paths or not paths:
        yield Document(STDIN_NAME, sys.stdin.buffer.read())
    for file in files:
        try:
            yield Document(str(file.path), file.path.read_bytes())
        except OSError as error:
            yield error


def only_document(file: str, limit: str) -> Document:
    """Returns the document of a file; raises UnusableError for a folder, with the limit
    it breaks.
    """
    if Path(file).is_dir():
        raise UnusableError(f"{file} is a folder: {limit}, name its file")
    document = next(documents([file]))
    if isinstance(document, OSError):
        raise UnusableError(f"{file}: {document.strerror}")
    return document


def lines(paths: list[str]) -> Iterator[Line]:
    """Yields every line of the JSON Lines inputs; a line that is no object carries its fault.

    UnusableError, before anything is read, for a path that is not a file.
    """
    for path in paths:
        if path != STDIN:
            _expect_lines(Path(path))
    for path in paths or [STDIN]:
        if path == STDIN:
            yield from _lines(sys.stdin.buffer)
        else:
            with Path(path).open("rb") as stream:
                yield from _lines(stream)


def one_a_line(paths: list[str], suffixes: tuple[str, ...] = (SUFFIX,)) -> bool:
    """Returns whether JSON Lines are read from these paths: not from folders, patterns and
    documents.
    """
    for path in paths:
        if path == STDIN:
            return True
        if lies_below(path):
            return False
        if path.endswith(suffixes) and not path.endswith(SUFFIX):
            return False
        if path.endswith(SUFFIX) and Path(path).is_file():
            return not _is_document(Path(path))
    return True


def _is_document(file: Path) -> bool:
    """Returns whether a file holds one JSON document instead of a line for each."""
    try:
        value = json.loads(file.read_bytes())
    except (ValueError, RecursionError, OSError):
        return False
    return not isinstance(value, dict) or not any(key in value for key in _LINE_KEYS)


def decoded(raw: bytes, limits: Limits) -> Any:
    """Returns the JSON value when the bytes are clean JSON, else the bytes for the tolerant reader.

    What is larger than the limit stays bytes too: the reader says so without decoding it.
    """
    if len(raw) > limits.draft_bytes:
        return raw
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return raw
    return value if isinstance(value, dict | list) else raw


def _expect_lines(path: Path) -> None:
    if not path.exists():
        raise UnusableError(f"{path}: no such file")
    if path.is_dir():
        raise UnusableError(f"{path} is a folder: jsonl takes files, one document on a line")


def _lines(stream: Any) -> Iterator[Line]:
    for number, raw in enumerate(stream, 1):
        if raw.strip():
            yield _line(number, raw)


def _line(number: int, raw: bytes) -> Line:
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        return Line(number, None, {}, f"line {number} is not JSON: {error.msg}")
    if not isinstance(value, dict):
        return Line(number, None, {}, f"line {number} is {kind_in_words(value)}, not an object")
    return Line(number, _identity(value.get("id"), raw), value)


def _identity(identity: Any, raw: bytes) -> Any:
    """Returns the id as it was written: whole numbers beyond 64 bits are read as floats
    otherwise.
    """
    if identity is None or not _LONG_NUMBER.search(raw):
        return identity
    try:
        return json.loads(raw)["id"]
    except RecursionError:
        return identity
