"""Guess a tool from the words of a clause that names none, and only where they fit clearly."""

from __future__ import annotations

from grounded_builder.drafting.planner.tool_facts import Pick, Toolbox
from grounded_builder.resolve.mentions import is_everyday
from grounded_builder.resolve.tool_search import find_tools

_LOOKED_AT = 6
_LEAST = 0.55
_LEAST_WITH_OPERATION = 0.35
_EXPECTED = 0.5
_MOST = 0.75


def guess(text: str, box: Toolbox, *, starts: bool) -> Pick | None:
    """The tool that fits a text clearly enough; an operation that fits counts for it."""
    if box.named_only:
        return None
    for hit in box.registry.search.find(text, _LOOKED_AT, trigger=starts):
        least = _LEAST_WITH_OPERATION if hit.params else _LEAST
        clear = hit.score >= least and (hit.params or starts or _is_named(hit.tool, text, box))
        if clear and _stands_alone(hit.tool, box):
            return Pick(hit.tool, hit.params)
    for hit in find_tools(text, box.registry, 1, trigger=starts):
        if hit.why and hit.score >= _EXPECTED and _stands_alone(hit.tool, box):
            return Pick(hit.tool, hit.params)
    return None


def _stands_alone(tool: str, box: Toolbox) -> bool:
    return not box.serves(tool) and not box.registry.tools[tool].superseded


def _is_named(tool: str, text: str, box: Toolbox) -> bool:
    """Whether a text says most of a tool's name, verbs and everyday words aside."""
    search = box.registry.search
    telling = {term for term in search.terms(text) if not is_everyday(term)}
    return search.named(search.by_id[tool], telling) >= _MOST
