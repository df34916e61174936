"""Reads and validates catalog files (JSON Lines) or single tools; reports all their faults."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NoReturn

import orjson
from pydantic import ValidationError

from grounded_builder.catalog.catalog_line import KINDS, LINE, SCHEMA
from grounded_builder.catalog.stored_tool import Entry, pack
from grounded_builder.catalog.text_cleaning import clean_name, sanitize_entry
from grounded_builder.catalog.tool import Header, Package

_MAX_PROBLEMS = 20
_MAX_FAULTS_PER_LINE = 3
_MAX_ID_CHARS = 300
_HELP = "send one tool in one of the shapes in docs/tools.md"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits on one catalog file: sizes in bytes, number of lines, levels of nesting."""

    file_bytes: int = 256_000_000
    line_bytes: int = 16_000_000
    lines: int = 250_000
    depth: int = 100


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of a catalog file, with its line counted from 1, or None for the whole file."""

    message: str
    line: int | None = None

    def __str__(self) -> str:
        return self.message if self.line is None else f"line {self.line}: {self.message}"


class CatalogError(ValueError):
    """A catalog file is refused: all its problems, and what to do about them."""

    def __init__(self, problems: tuple[Problem, ...], help_text: str) -> None:
        super().__init__("; ".join(str(problem) for problem in problems))
        self.problems = problems
        self.help = help_text


@dataclass(frozen=True, slots=True)
class CatalogFile:
    """A checked catalog file; ``sha256`` is the digest of its bytes."""

    header: Header
    entries: tuple[Entry, ...]
    sha256: str


def read_catalog(
    source: bytes | BinaryIO, domain: str | None = None, bounds: Bounds | None = None
) -> CatalogFile:
    """Returns the header and entries of a catalog file.

    The source is read line by line, once. ``domain`` is the expected domain, None for any. Raises
    CatalogError with up to twenty problems.
    """
    stream = io.BytesIO(source) if isinstance(source, bytes | bytearray) else source
    reader = _Reader(stream, bounds or Bounds())
    header = reader.header(domain)
    reader.rest()
    if reader.problems:
        raise CatalogError(tuple(reader.problems), _choose_help(reader))
    return CatalogFile(header, tuple(reader.entries), reader.digest.hexdigest())


@dataclass(slots=True)
class _Reader:
    """The state while one file is read."""

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
        """Returns the header in the first line; raises CatalogError at once if it is invalid."""
        raw = next(self._iter_lines(), None)
        if raw is None:
            self._refuse("the file is empty")
        line = self._parse_line(raw)
        if not isinstance(line, dict) or line.get("kind") != "header":
            self.problems.clear()
            self._refuse("the first line is not a catalog header: this is not a catalog file")
        if line.get("schema") != SCHEMA:
            text = orjson.dumps(line.get("schema")).decode()[:40]
            self._refuse(
                f"the catalog has schema {text}, this version reads schema {SCHEMA}",
                "make the catalog with the node-catalog-sync that belongs to this version",
            )
        if not self._conforms(line):
            raise CatalogError(tuple(self.problems), _choose_help(self))
        if domain is not None and line["domain"] != domain:
            self._refuse(
                f"the catalog is of domain {line['domain']}, not {domain}",
                f"name the domain {line['domain']}, or load another file",
            )
        return _parse_header(line)

    def rest(self) -> None:
        """Reads the other lines, up to the end line and the end of the file."""
        for raw in self._iter_lines():
            if len(self.problems) >= _MAX_PROBLEMS:
                return
            line = self._parse_line(raw)
            if not isinstance(line, dict):
                continue
            if self.ended:
                self._add_problem(
                    "there are lines after the end line: two files may have been joined"
                )
                break
            self._read_line(line)
        if not self.ended:
            self.cut_off = True
            self._add_problem(
                f"the file was cut off: it stops after line {self.number}, without an end"
            )

    def _read_line(self, line: dict[str, Any]) -> None:
        kind = line.get("kind")
        if kind not in KINDS:
            self._add_problem(f"unknown kind {orjson.dumps(kind).decode()[:60]}")
        elif kind == "header":
            self._add_problem("a second header: two files may have been joined")
        elif not self._conforms(line):
            return
        elif kind == "end":
            self._read_end(line)
        else:
            self._read_entry(line)

    def _read_entry(self, line: dict[str, Any]) -> None:
        key = (line["kind"], line["id"])
        if len(key[1]) > _MAX_ID_CHARS or not key[1].isprintable():
            self._add_problem(
                f"{key[0]} {_shorten(key[1])}: the id is too long or has control characters"
            )
            return
        earlier = self.first_lines.setdefault(key, self.number)
        if earlier != self.number:
            self._add_problem(f"{key[0]} {_shorten(key[1])} is on line {earlier} already")
            return
        variant_of: dict[float, int] = {}
        for index, variant in enumerate(line.get("variants", ())):
            for version in variant["versions"]:
                first = variant_of.setdefault(version, index)
                if first != index:
                    variants = f"variants {first} and {index}"
                    self._add_problem(
                        f"tool {_shorten(key[1])}: version {version:g} is in {variants}"
                    )
        sanitize_entry(line)
        if line["kind"] == "tool" and not line["name"]:
            self._add_problem(f"tool {_shorten(key[1])}: its name has no visible character")
            return
        self.entries.append(pack(line))

    def _read_end(self, line: dict[str, Any]) -> None:
        self.ended = True
        kinds = [kind for kind, _ in self.first_lines]
        for kind, stated in (("tool", line["tools"]), ("credential", line["credentials"])):
            counted = kinds.count(kind)
            # A line with a problem has no entry, but is not missing.
            if counted != stated and not self.problems:
                self.cut_off = True
                self._add_problem(
                    f"the end line states {stated} of kind {kind}, the file has {counted}"
                )

    def _iter_lines(self) -> Iterator[bytes]:
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

    def _parse_line(self, raw: bytes) -> Any:
        """Returns a line as JSON, None if it cannot be read.

        A broken last line without a line feed is where a file was cut off, which is reported later.
        """
        try:
            line = orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            if raw.endswith(b"\n"):
                self._add_problem(f"not JSON: {error.msg}, at character {error.colno}")
            return None
        if not isinstance(line, dict):
            self._add_problem("not a JSON object")
        elif _is_deeper(line, self.bounds.depth):
            self._add_problem(f"nested deeper than {self.bounds.depth} levels")
            return None
        return line

    def _conforms(self, line: dict[str, Any]) -> bool:
        try:
            LINE.validate_python(line)
        except ValidationError as error:
            prefix = f"{line['kind']} {_shorten(line['id'])}: " if "id" in line else ""
            faults = error.errors(include_url=False, include_input=False, include_context=False)
            for fault in faults[:_MAX_FAULTS_PER_LINE]:
                # The first part of a location is the kind of the line.
                location = "/".join(str(part) for part in fault["loc"][1:])
                self._add_problem(f"{prefix}{location}: {fault['msg']}")
            return False
        return True

    def _add_problem(self, message: str) -> None:
        self.problems.append(Problem(message, self.number or None))

    def _refuse(self, message: str, help_text: str | None = None) -> NoReturn:
        self._add_problem(message)
        raise CatalogError(tuple(self.problems), help_text or _choose_help(self))


def _parse_header(line: dict[str, Any]) -> Header:
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


def _choose_help(reader: _Reader) -> str:
    if reader.cut_off:
        return "make or send the file again; nothing of it was loaded"
    return "make the catalog again with node-catalog-sync; nothing of this file was loaded"


def _shorten(identity: Any) -> str:
    return clean_name(str(identity))[:120]


def _is_deeper(value: Any, depth: int) -> bool:
    level: list[Any] = [value]
    for _ in range(depth):
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def read_tool(line: Mapping[str, Any], domain: str, bounds: Bounds) -> Entry:
    """Returns the entry of one tool; raises CatalogError with all problems."""
    header = {
        "kind": "header",
        "domain": domain,
        "schema": SCHEMA,
        "origin": "installed",
        "versions": {},
        "packages": [],
    }
    end = {"kind": "end", "tools": 1, "credentials": 0}
    try:
        lines = [orjson.dumps(part) for part in (header, {"kind": "tool", **line}, end)]
    except TypeError as error:
        problem = Problem("it has a number or a text that JSON in UTF-8 cannot hold")
        raise CatalogError((problem,), _HELP) from error
    try:
        file = read_catalog(b"\n".join(lines) + b"\n", domain, bounds)
    except CatalogError as error:
        problems = tuple(Problem(part.message) for part in error.problems)
        raise CatalogError(problems, _HELP) from error
    return file.entries[0]
