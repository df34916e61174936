"""Arranges connected steps in straight rows, and orders the rows from top to bottom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """A main edge between two steps."""

    source: str
    output: int
    target: str
    input: int


def order_rows(
    steps: Sequence[str], links: Sequence[Link], layer: Mapping[str, int]
) -> list[list[str]]:
    """Returns rows of steps that follow each other, branches under the row that they leave.

    A long edge prefers to be a straight piece of its row: a curve would run through the nodes
    beside its ends. Both its ends stand alone on their rows if it cannot be one.
    """
    forward = [link for link in links if layer[link.source] < layer[link.target]]
    position = {step: index for index, step in enumerate(steps)}

    def length(link: Link) -> int:
        return layer[link.target] - layer[link.source]

    ahead: dict[str, Link] = {}
    back: dict[str, Link] = {}
    bent_out: set[str] = set()
    bent_in: set[str] = set()
    for link in sorted(
        forward,
        key=lambda link: (-length(link), position[link.source], link.output, link.input),
    ):
        long = length(link) > 1
        free = link.source not in ahead and link.target not in back
        alone = link.source not in bent_out and link.target not in bent_in
        if free and alone:
            ahead[link.source], back[link.target] = link, link
        elif long:
            bent_out.add(link.source)
            bent_in.add(link.target)
    return _walk(steps, forward, ahead, back)


def _walk(
    steps: Sequence[str],
    forward: Sequence[Link],
    ahead: Mapping[str, Link],
    back: Mapping[str, Link],
) -> list[list[str]]:
    """Returns the rows in the order in which a walk from the starts meets them."""
    leaving: dict[str, list[Link]] = {}
    for link in forward:
        leaving.setdefault(link.source, []).append(link)
    rows: list[list[str]] = []
    seen: set[str] = set()
    entered = {link.target for link in forward}
    for start in (*(step for step in steps if step not in entered), *steps):
        waiting = [start]
        while waiting:
            step = waiting.pop()
            if step in seen:
                continue
            while step in back:
                step = back[step].source
            row = [step]
            while row[-1] in ahead:
                row.append(ahead[row[-1]].target)
            seen.update(row)
            rows.append(row)
            for member in row:
                branches = sorted(leaving.get(member, ()), key=lambda link: link.output)
                waiting.extend(link.target for link in reversed(branches))
    return rows
