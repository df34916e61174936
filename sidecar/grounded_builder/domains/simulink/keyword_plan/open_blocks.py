"""Adds the blocks that unread clauses surely name as open steps, without values and lines."""

from __future__ import annotations

from collections.abc import Sequence

from grounded_builder.domains.simulink.keyword_plan.blocks import Block, Library, blocks_in
from grounded_builder.domains.simulink.resolve.name_index import fold
from grounded_builder.drafting.planner.draft import Draft
from grounded_builder.drafting.planner.function_words import CHOICES, CONDITIONALS, GRAMMAR
from grounded_builder.drafting.planner.reading import DENIED, Clause, Reading, read_request

_LEADING = frozenset({"to", "into", "onto", "on", "in", "from", "through", "via"})
_ARTICLES = frozenset({"a", "an", "one"})
_LEVELS = frozenset({"subsystem", "subsystems", "inside", "chart", "simscape"})
"""Words of a request whose blocks may belong elsewhere than in the model itself."""
_SAMPLED = ("discret", "sampl", "digital")


def draw_open_blocks(
    reading: Reading, draft: Draft, library: Library, clauses: Sequence[Clause]
) -> None:
    """Adds one open step for each block that a clause without a step surely names.

    Where a request has subsystems, charts or physical networks, only sinks are added.
    """
    fresh = read_request(reading.written, "simulink")
    request = {word.folded_text for word in fresh.words(0, len(fresh.text))}
    is_sampled = any(word.startswith(_SAMPLED) for word in request)
    is_flat = request.isdisjoint(_LEVELS)
    words = {c: {w.folded_text for w in fresh.words(c.start, c.end)} for c in clauses}
    chosen = {clause.sentence for clause in clauses if words[clause] & CHOICES}
    named = blocks_in(fresh, library)
    placed = [*draft.places.values()]
    used = {step["tool"] for step in draft.steps}
    for clause in clauses:
        if reading.closed.get(clause.start) == DENIED:
            used |= {block.tool for block in named if clause.start <= block.start < clause.end}
    for clause in clauses:
        is_closed = reading.closed.get(clause.start, DENIED) != DENIED
        is_placed = any(clause.start <= at < clause.end for at in placed)
        is_open = clause.sentence in chosen or words[clause] & CONDITIONALS
        here = [block for block in named if clause.start <= block.start < clause.end]
        for block in here if is_closed and not (is_placed or is_open) else ():
            is_sampled_one = is_sampled and block.tool.startswith("simulink/Continuous/")
            is_sink = library.is_sink(block.tool)
            is_sure = (is_flat or is_sink) and not is_sampled_one
            if block.tool in used or not is_sure or not _is_surely_named(fresh, block, clause):
                continue
            if is_sink or not block.name.isalpha():  # a switch or a ground may be another thing
                used.add(block.tool)
                step = draft.add(block.tool, {}, block.start)
                draft.note(step, f"the values and the lines of {block.name} are open")


def _is_surely_named(reading: Reading, block: Block, clause: Clause) -> bool:
    """Returns whether words name a block by its title, and no property or part of another thing.

    It begins its clause, or a signal leads to it or comes from it; no noun is right behind it.
    """
    text = reading.masked[block.start : block.end]
    if block.is_deed or block.params or block.article == "the" or fold(text) != fold(block.name):
        return False
    before = [word.folded_text for word in reading.words(clause.start, block.start)]
    after = reading.words(block.end, clause.end)[:1]
    is_end = reading.masked[block.end : block.end + 1] in ("", ".", ",", ";", ")", "\n")
    is_noun = any(w.folded_text not in GRAMMAR and w.folded_text != "block" for w in after)
    if is_noun and not is_end:
        return False
    has_article = bool(before) and before[-1] in _ARTICLES
    before = before[:-1] if has_article else before
    is_single = block.name.isalpha()
    return (has_article or not is_single) and (not before or before[-1] in _LEADING)
