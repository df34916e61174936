"""What a command is given: files, folders, standard input, or JSON Lines of documents."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from grounded_builder.cli.environment import UnusableError
from grounded_builder.setting import Limits

_STDIN = "-"


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
    """Every document below the paths, folders walked for ``*.json``; a failure is yielded.

    UnusableError, before anything is read, for a path that is not there or holds no document:
    judging nothing is no clean result.
    """
    for path in paths:
        if path != _STDIN:
            _expect(Path(path))
    for path in paths or [_STDIN]:
        if path == _STDIN:
            yield Document("<stdin>", sys.stdin.buffer.read())
            continue
        for file in _files(Path(path)):
            try:
                yield Document(str(file), file.read_bytes())
            except OSError as error:
                yield error


def lines(paths: list[str]) -> Iterator[Line]:
    """Every line of the JSON Lines inputs; a line that is no object carries its fault.

    UnusableError, before anything is read, for a path that is not a file.
    """
    for path in paths:
        if path != _STDIN:
            _expect_lines(Path(path))
    for path in paths or [_STDIN]:
        if path == _STDIN:
            yield from _lines(sys.stdin.buffer)
        else:
            with Path(path).open("rb") as stream:
                yield from _lines(stream)


def decoded(raw: bytes, limits: Limits) -> Any:
    """The JSON value when the bytes are clean JSON, else the bytes for the tolerant reader.

    What is larger than the limit stays bytes too: the reader says so without decoding it.
    """
    if len(raw) > limits.draft_bytes:
        return raw
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return raw
    return value if isinstance(value, dict | list) else raw


def _expect(path: Path) -> None:
    if not path.exists():
        raise UnusableError(f"{path}: no such file or folder")
    if not _files(path):
        raise UnusableError(f"{path}: no *.json file in this folder")


def _expect_lines(path: Path) -> None:
    if not path.exists():
        raise UnusableError(f"{path}: no such file")
    if path.is_dir():
        raise UnusableError(f"{path} is a folder: jsonl takes files, one document on a line")


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(file for file in path.rglob("*.json") if file.is_file())
    return [path]


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
        return Line(number, None, {}, f"line {number} is {type(value).__name__}, not an object")
    return Line(number, value.get("id"), value)
