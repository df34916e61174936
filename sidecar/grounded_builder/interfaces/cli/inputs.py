"""Reads the inputs of commands: documents in files, folders and standard input, or JSON Lines."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from grounded_builder.diagnostics.json_kind import name_json_kind
from grounded_builder.interfaces.cli.context import UnusableError
from grounded_builder.interfaces.cli.files import SUFFIX, find, lies_below
from grounded_builder.ir.options import Limits

STDIN = "-"
STDIN_NAME = "<stdin>"
_LONG_NUMBER = re.compile(rb"\d{19}")
_LINE_KEYS = ("workflow", "plan", "draft", "model")


@dataclass(frozen=True, slots=True)
class Document:
    """One file's undecoded content."""

    source: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Line:
    """One line of JSON Lines: its ``id`` to echo, and its object, or why it has none."""

    number: int
    id: Any
    value: dict[str, Any]
    fault: str | None = None


def read_documents(paths: list[str]) -> Iterator[Document | OSError]:
    """Yields every document in the given paths, with ``*.json`` files of folders; yields failures
    too.

    Raises UnusableError, before anything is read, for a path that does not exist or contains no
    document: checking nothing is not a clean result.
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
    """Returns the document of a file; raises UnusableError, with the limit, for a folder."""
    if Path(file).is_dir():
        raise UnusableError(f"{file} is a folder: {limit}, name its file")
    document = next(read_documents([file]))
    if isinstance(document, OSError):
        raise UnusableError(f"{file}: {document.strerror}")
    return document


def read_lines(paths: list[str]) -> Iterator[Line]:
    """Yields every line of the JSON Lines inputs; a line without an object carries its fault.

    Raises UnusableError, before anything is read, for a path that is not a file.
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


def is_json_lines(paths: list[str], suffixes: tuple[str, ...] = (SUFFIX,)) -> bool:
    """Returns whether these paths are read as JSON Lines, not as folders, patterns or documents."""
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
    """Returns whether a file is one JSON document, not one document per line."""
    try:
        value = json.loads(file.read_bytes())
    except (ValueError, RecursionError, OSError):
        return False
    return not isinstance(value, dict) or not any(key in value for key in _LINE_KEYS)


def decode(raw: bytes, limits: Limits) -> Any:
    """Returns the JSON value of clean JSON, or the bytes for the tolerant reader.

    Content above the limit stays bytes too: the reader reports it without decoding.
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
        raise UnusableError(f"{path} is a folder: jsonl takes files with one document per line")


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
        return Line(number, None, {}, f"line {number} is {name_json_kind(value)}, not an object")
    return Line(number, _identity(value.get("id"), raw), value)


def _identity(identity: Any, raw: bytes) -> Any:
    """Returns the id as it was written: whole numbers beyond 64 bits are otherwise read
    as floats.
    """
    if identity is None or not _LONG_NUMBER.search(raw):
        return identity
    try:
        return json.loads(raw)["id"]
    except RecursionError:
        return identity
