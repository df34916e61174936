"""Finds reads of item fields in code, such as ``$json.a.b``, and writes such reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grounded_builder.domains.n8n.expressions.mask_literals import NAME_START, mask_literals

_MAX_STEPS = 12
_QUOTED = r"'[^'\\\n]*'|\"[^\"\\\n]*\""
_ROOT = re.compile(
    rf"""{NAME_START}(?:(?P<own>\$json|\$input\s*\.\s*(?:item|(?:first|last)\(\s*\))\s*\.\s*json)
      | \$\(\s*(?P<asked>{_QUOTED})\s*\)\s*\.\s*(?:item|(?:first|last)\(\s*\))\s*\.\s*json
      | \$node\s*\[\s*(?P<node>{_QUOTED})\s*\]\s*\.\s*json)(?![\w$])""",
    re.VERBOSE,
)
_STEP = re.compile(
    rf"\s*(?:\?\.)?\[\s*(?P<key>{_QUOTED})\s*\]|\s*\??\.\s*(?P<name>[A-Za-z_$][\w$]*)"
)
_CALL = re.compile(r"\s*(?:\?\.)?\(")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
# Code that expects a field to be absent.
_TOLERANT = re.compile(r"\|\||\?\?|&&|\?(?!\.\D)|[=!]=|\$if\b|\bisExecuted\b|\btypeof\b")
# The target of an assignment is not a read.
_ASSIGNS = re.compile(r"\s*=(?![=>])")


@dataclass(frozen=True, slots=True)
class FieldRead:
    """A read of a field: the node that is asked (None for the own input) and the path.

    ``start`` is where the whole begins, ``root_end`` where the path begins, and ``ends`` has the
    end of each of its names.
    """

    giver: str | None
    path: tuple[str, ...]
    start: int
    root_end: int
    ends: tuple[int, ...]


def find_field_reads(code: str) -> Iterator[FieldRead]:
    """Yields the reads of fields by constant names; the name of a called method is no field."""
    outline = ""
    for match in _ROOT.finditer(code):
        path: list[str] = []
        ends: list[int] = []
        place = match.end()
        for _ in range(_MAX_STEPS):
            step = _STEP.match(code, place)
            if step is None or _CALL.match(code, step.end()):
                break
            path.append(step["name"] or step["key"][1:-1])
            place = step.end()
            ends.append(place)
        if not path or _ASSIGNS.match(code, place):
            continue
        outline = outline or mask_literals(code)
        if outline.startswith("$", match.start()):
            node = match["asked"] or match["node"]
            giver = node[1:-1] if node else None
            yield FieldRead(giver, tuple(path), match.start(), match.end(), tuple(ends))


def is_tolerant(code: str) -> bool:
    """Returns whether code has an operator by which it may expect that a field is absent."""
    return _TOLERANT.search(code) is not None


def write_path(path: tuple[str, ...]) -> str:
    """Returns the members of a path as JavaScript."""
    return "".join(
        f".{name}" if _IDENTIFIER.fullmatch(name) else f"[{_quote(name)}]" for name in path
    )


def write_giver(node: str, *, is_single: bool) -> str:
    """Returns JavaScript for the fields of another node's item."""
    return f"$({_quote(node)}).{'first()' if is_single else 'item'}.json"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return "'" + escaped.replace("}}", "}\\u007d") + "'"
