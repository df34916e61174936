"""Lists the connections of a diagram's lines as links from output port to input port."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grounded_builder.domains.simulink.read.document import ends


@dataclass(frozen=True, slots=True)
class Link:
    """A connection between two ports."""

    start: Mapping[str, Any]
    end: Mapping[str, Any]


def links_of(lines: Sequence[Mapping[str, Any]]) -> list[Link]:
    """Returns all pairs of ports that lines connect, in forward direction."""
    return [
        _link(line["from"], end)
        for line in lines
        if line.get("from") is not None
        for _, end in ends(line, ())
        if end is not None
    ]


def _link(start: Mapping[str, Any], end: Mapping[str, Any]) -> Link:
    """Returns a link in forward direction: a physical one, which has none, from right to left."""
    backwards = (start["kind"], end["kind"]) == ("lconn", "rconn")
    return Link(end, start) if backwards else Link(start, end)
