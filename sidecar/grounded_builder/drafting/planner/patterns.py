"""Find the patterns of a domain in a text: tools that belong together under one phrase."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grounded_builder.drafting.planner.tool_facts import Pick, Toolbox
from grounded_builder.ir.domain import Pattern
from grounded_builder.resolve.tool_search import find_tools

_USUAL = 40


@dataclass(frozen=True, slots=True)
class Patterned:
    """What a pattern asks for; ``used`` are the places of the brands that it took."""

    hosts: tuple[Pick, ...] = ()
    subs: tuple[Pick, ...] = ()
    used: tuple[tuple[int, int], ...] = ()

    def uses(self, at: int, length: int) -> bool:
        """Whether a name at a place is one that the pattern took."""
        return any(at < end and start < at + length for start, end in self.used)


def patterns_in(text: str, box: Toolbox) -> Patterned:
    """The tools of the first pattern whose phrase a text has, those that take others first."""
    found = next(
        (pattern for pattern in box.domain.prompting.patterns if _speaks(pattern, text)), None
    )
    if found is None:
        return Patterned()
    picks: list[Pick] = []
    used: list[tuple[int, int]] = []
    for part in found.parts:
        tool, places = (part.tool, []) if part.tool else serving(text, part.kind, box)
        if tool is None or not box.is_installed(tool):
            return Patterned()
        used += places
        served = box.serves(tool, part.params)
        picks.append(Pick(tool, part.params, "", served[0] if served else ""))
    return Patterned(
        tuple(pick for pick in picks if not pick.serves),
        tuple(pick for pick in picks if pick.serves),
        tuple(used),
    )


def serving(text: str, kind: str, box: Toolbox) -> tuple[str | None, list[tuple[int, int]]]:
    """The tool of a kind whose brand a text names, else the usual one that needs no account."""
    brands = box.brands(text, kind)
    if brands:
        return brands[0].tool, [(brand.at, brand.end) for brand in brands]
    usual = [hit.tool for hit in find_tools(text, box.registry, _USUAL, kind=kind)]
    usual = [tool for tool in usual if kind not in box.wants(tool)]
    free = [tool for tool in usual if not box.needs_account(tool)]
    return next(iter(free or usual), None), []


def _speaks(pattern: Pattern, text: str) -> bool:
    return re.search(pattern.phrase, text, re.IGNORECASE) is not None
