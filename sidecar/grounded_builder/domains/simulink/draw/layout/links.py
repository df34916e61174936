"""What is joined in a diagram: port to port."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grounded_builder.domains.simulink.read.document import ends


@dataclass(frozen=True, slots=True)
class Link:
    """A line from one port to one other."""

    start: Mapping[str, Any]
    end: Mapping[str, Any]


def links_of(lines: Sequence[Mapping[str, Any]]) -> list[Link]:
    """Every pair of ports that a line joins ahead."""
    return [
        _link(line["from"], end)
        for line in lines
        if line.get("from") is not None
        for _, end in ends(line, ())
        if end is not None
    ]


def _link(start: Mapping[str, Any], end: Mapping[str, Any]) -> Link:
    """A line that goes ahead: a physical one, which has no direction, from right to left."""
    backwards = (start["kind"], end["kind"]) == ("lconn", "rconn")
    return Link(end, start) if backwards else Link(start, end)
