"""Read a catalog file: JSON Lines from a header to an end line, everything between checked."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NoReturn

import orjson
from pydantic import ValidationError

from grounded_builder.catalog.catalog_line import KINDS, LINE, SCHEMA
from grounded_builder.catalog.sanitize import clean_name, sanitize_entry
from grounded_builder.catalog.stored_tool import Entry, pack
from grounded_builder.catalog.tool import Header, Package

_PROBLEMS_SHOWN = 20
_FAULTS_A_LINE = 3
_ID_LENGTH = 300


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits on one catalog file: sizes in bytes, lines in number, nesting in levels."""

    file_bytes: int = 256_000_000
    line_bytes: int = 16_000_000
    lines: int = 250_000
    depth: int = 100


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a file, and on which line, counted from 1."""

    message: str
    line: int | None = None

    def __str__(self) -> str:
        return self.message if self.line is None else f"line {self.line}: {self.message}"


class CatalogError(ValueError):
    """A catalog file that cannot be taken: every problem found, and what to do about it."""

    def __init__(self, problems: tuple[Problem, ...], help_text: str) -> None:
        super().__init__("; ".join(str(problem) for problem in problems))
        self.problems = problems
        self.help = help_text


@dataclass(frozen=True, slots=True)
class CatalogFile:
    """A file that has been read whole and found sound; ``sha256`` is of its bytes."""

    header: Header
    entries: tuple[Entry, ...]
    sha256: str


def read_catalog(
    source: bytes | BinaryIO, domain: str | None = None, bounds: Bounds | None = None
) -> CatalogFile:
    """Read a catalog; CatalogError names all that is wrong with it, up to twenty problems.

    ``domain`` is the one expected, if any. The source is read line by line, once.
    """
    stream = io.BytesIO(source) if isinstance(source, bytes | bytearray) else source
    reading = _Reading(stream, bounds or Bounds())
    header = reading.header(domain)
    reading.rest()
    if reading.problems:
        raise CatalogError(tuple(reading.problems), _help(reading))
    return CatalogFile(header, tuple(reading.entries), reading.digest.hexdigest())


@dataclass(slots=True)
class _Reading:
    """The state of reading one file."""

    stream: BinaryIO
    bounds: Bounds
    entries: list[Entry] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    first_lines: dict[tuple[str, str], int] = field(default_factory=dict)
    digest: Any = field(default_factory=hashlib.sha256)
    number: int = 0
    size: int = 0
    cut_off: bool = False
    ended: bool = False

    def header(self, domain: str | None) -> Header:
        """Read the first line; without a good one nothing else is worth reading."""
        raw = next(self._lines(), None)
        if raw is None:
            self._refuse("the file is empty")
        line = self._json(raw)
        if not isinstance(line, dict) or line.get("kind") != "header":
            self.problems.clear()
            self._refuse("the first line is no catalog header: this is not a catalog file")
        if line.get("schema") != SCHEMA:
            text = orjson.dumps(line.get("schema")).decode()[:40]
            self._refuse(
                f"the catalog has schema {text}, this version reads schema {SCHEMA}",
                "make the catalog with the node-catalog-sync that belongs to this version",
            )
        if not self._conforms(line):
            raise CatalogError(tuple(self.problems), _help(self))
        if domain is not None and line["domain"] != domain:
            self._refuse(
                f"the catalog is of domain {line['domain']}, not {domain}",
                f"name the domain {line['domain']}, or load another file",
            )
        return _header(line)

    def rest(self) -> None:
        """Read all other lines, up to the end line and the end of the file."""
        for raw in self._lines():
            if len(self.problems) >= _PROBLEMS_SHOWN:
                return
            line = self._json(raw)
            if not isinstance(line, dict):
                continue
            if self.ended:
                self._note("there is more after the end line: two files may have been joined")
                break
            self._take(line)
        if not self.ended:
            self.cut_off = True
            self._note(f"the file was cut off: it stops after line {self.number}, without an end")

    def _take(self, line: dict[str, Any]) -> None:
        kind = line.get("kind")
        if kind not in KINDS:
            self._note(f"unknown kind {orjson.dumps(kind).decode()[:60]}")
        elif kind == "header":
            self._note("a second header: two files may have been joined")
        elif not self._conforms(line):
            return
        elif kind == "end":
            self._end(line)
        else:
            self._entry(line)

    def _entry(self, line: dict[str, Any]) -> None:
        key = (line["kind"], line["id"])
        if len(key[1]) > _ID_LENGTH or not key[1].isprintable():
            self._note(f"{key[0]} {_quoted(key[1])}: the id is too long or has control characters")
            return
        earlier = self.first_lines.setdefault(key, self.number)
        if earlier != self.number:
            self._note(f"{key[0]} {_quoted(key[1])} is on line {earlier} already")
            return
        serving: dict[float, int] = {}
        for index, variant in enumerate(line.get("variants", ())):
            for version in variant["versions"]:
                first = serving.setdefault(version, index)
                if first != index:
                    places = f"variants {first} and {index}"
                    self._note(f"tool {_quoted(key[1])}: version {version:g} is in {places}")
        sanitize_entry(line)
        if line["kind"] == "tool" and not line["name"]:
            self._note(f"tool {_quoted(key[1])}: nothing of its name can be shown")
            return
        self.entries.append(pack(line))

    def _end(self, line: dict[str, Any]) -> None:
        self.ended = True
        kinds = [kind for kind, _ in self.first_lines]
        for kind, stated in (("tool", line["tools"]), ("credential", line["credentials"])):
            counted = kinds.count(kind)
            # A line that was refused is not missing.
            if counted != stated and not self.problems:
                self.cut_off = True
                self._note(f"the end line states {stated} of kind {kind}, the file has {counted}")

    def _lines(self) -> Iterator[bytes]:
        while True:
            raw = self.stream.readline(self.bounds.line_bytes + 1)
            if not raw:
                return
            self.number += 1
            self.size += len(raw)
            self.digest.update(raw)
            if len(raw) > self.bounds.line_bytes:
                self._refuse(f"the line is longer than {self.bounds.line_bytes:,} bytes")
            if self.size > self.bounds.file_bytes or self.number > self.bounds.lines:
                limit = f"{self.bounds.file_bytes:,} bytes or {self.bounds.lines:,} lines"
                self._refuse(f"the file is larger than {limit}")
            if raw.strip():
                yield raw

    def _json(self, raw: bytes) -> Any:
        """Decode a line; a broken last line without a line feed is where a file was cut off."""
        try:
            line = orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            if raw.endswith(b"\n"):
                self._note(f"not JSON: {error.msg}, at character {error.colno}")
            return None
        if not isinstance(line, dict):
            self._note("not a JSON object")
        elif _deeper_than(line, self.bounds.depth):
            self._note(f"nested deeper than {self.bounds.depth} levels")
            return None
        return line

    def _conforms(self, line: dict[str, Any]) -> bool:
        try:
            LINE.validate_python(line)
        except ValidationError as error:
            named = f"{line['kind']} {_quoted(line['id'])}: " if "id" in line else ""
            faults = error.errors(include_url=False, include_input=False, include_context=False)
            for fault in faults[:_FAULTS_A_LINE]:
                # The first part of a location is the kind that was tried.
                place = "/".join(str(part) for part in fault["loc"][1:])
                self._note(f"{named}{place}: {fault['msg']}")
            return False
        return True

    def _note(self, message: str) -> None:
        self.problems.append(Problem(message, self.number or None))

    def _refuse(self, message: str, help_text: str | None = None) -> NoReturn:
        self._note(message)
        raise CatalogError(tuple(self.problems), help_text or _help(self))


def _header(line: dict[str, Any]) -> Header:
    packages = tuple(
        Package(
            name=clean_name(package["name"]),
            version=package.get("version"),
            community=package.get("community", False),
            error=clean_name(package["error"]) if package.get("error") else None,
        )
        for package in line["packages"]
    )
    return Header(
        domain=line["domain"],
        schema=SCHEMA,
        origin=line["origin"],
        versions=dict(sorted(line["versions"].items())),
        packages=packages,
        generator=clean_name(line.get("generator", "")),
    )


def _help(reading: _Reading) -> str:
    if reading.cut_off:
        return "make or send the file again; nothing of it was loaded"
    return "make the catalog again with node-catalog-sync; nothing of this file was loaded"


def _quoted(identity: Any) -> str:
    return clean_name(str(identity))[:120]


def _deeper_than(value: Any, depth: int) -> bool:
    level: list[Any] = [value]
    for _ in range(depth):
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True
