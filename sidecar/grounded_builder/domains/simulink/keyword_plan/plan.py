"""Adds the blocks that a request names to a draft, with their parameters and connections."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.simulink.keyword_plan.blocks import (
    Block,
    Library,
    blocks_in,
)
from grounded_builder.domains.simulink.keyword_plan.chains import ChainDrawer
from grounded_builder.domains.simulink.keyword_plan.loop import draw_loop
from grounded_builder.domains.simulink.keyword_plan.numbers import parameter_named, place_numbers
from grounded_builder.domains.simulink.keyword_plan.quantities import Quantity, quantities_in
from grounded_builder.domains.simulink.keyword_plan.rc_network import draw_rc_network
from grounded_builder.domains.simulink.resolve.name_index import fold
from grounded_builder.drafting.planner.draft import Draft
from grounded_builder.drafting.planner.reading import (
    Clause,
    Reading,
    cut,
    keep_clauses,
)

_MOST_BLOCKS = 60
_CLAUSE_JOINTS = re.compile(
    r"\s*(?:->|=>|\u2192)\s*|\s*,\s*(?:and\s+|but\s+)?|\s+(?:and then|then|but)\s+"
    r"|\s+(?=without\b)",
    re.IGNORECASE,
)
_WITH = re.compile(r"\bwith\s+(?:an?\s+|the\s+)?$")
_OF_NUMBER = re.compile(r"\s*(?:of|=|is)?\s*")
_BRACKETS = re.compile(r"\([^()]{0,200}\)|\[[^\[\]]{0,200}\]")
_RUN = re.compile(r"\b(?:simulate|run)(?: (?:it|the model|this))? for\s+$", re.IGNORECASE)
_NAMED_TEXT = re.compile(
    r"\s*(?:as|to|with|in|into)?\s*(?:the )?(?:variable|file|tag)(?: name)?(?: called| named)?\s+"
    r"[\"'`]?([A-Za-z][\w.]{0,60})[\"'`]?",
    re.IGNORECASE,
)


def plan_from_request(reading: Reading, draft: Draft, registry: Registry) -> Sequence[Clause]:
    """Draws the blocks that a request names into a draft; returns the clauses of the request.

    Blocks are joined where the words between them state it. Unconnected ports and unread words are
    open points.
    """
    library = Library(registry)
    if not reading.clauses:
        brackets = [match.span() for match in _BRACKETS.finditer(reading.masked)]
        keep_clauses(reading, cut(reading, _CLAUSE_JOINTS, brackets))
    clauses = reading.clauses
    numbers = list(quantities_in(reading.masked))
    _read_run(reading, draft, numbers)
    # A pattern is drawn of a request that is read whole: a part that is not may change it.
    if reading.is_complete() and draw_rc_network(reading, draft, library, numbers):
        return clauses
    blocks = _without_results(blocks_in(reading, library), reading)[:_MOST_BLOCKS]
    blocks = blocks if reading.is_complete() else _without_other_names(blocks, reading)
    blocks = _without_parameter_names(reading, blocks, numbers)
    numbers = [
        number for number in numbers if not any(b.start <= number.start < b.end for b in blocks)
    ]
    place_numbers(reading, blocks, numbers)
    _read_names(reading, blocks)
    if not (reading.is_complete() and draw_loop(reading, draft, library, blocks)):
        ChainDrawer(reading, draft, library).draw(blocks)
    named = {c for c in clauses for b in blocks if c.start <= b.start < c.end}

    for clause in clauses:
        if clause in named:
            reason = "how its blocks are joined was not read"
        else:
            reason = "no block of Simulink's own library was recognized"
        is_placed = any(clause.start <= at < clause.end for at in draft.places.values())
        if not is_placed and reading.unread(clause.start, clause.end):
            draft.unclear[clause.start] = reason
    _note_open_ends(draft, library)
    return clauses


def _without_results(blocks: Sequence[Block], reading: Reading) -> list[Block]:
    """Returns the blocks without those that name a result: "the sum" without an earlier Sum."""
    own: list[Block] = []
    for block in blocks:
        is_known = any(block.tool == other.tool for other in own)
        if block.article == "the" and not (is_known or block.params or block.is_end):
            reading.give_back(block.start, block.end)
        else:
            own.append(block)
    return own


def _without_other_names(blocks: Sequence[Block], reading: Reading) -> list[Block]:
    """Returns the blocks without those named by none of the words of their titles.

    Beside what was not read, such a name may be a property: a rising edge.
    """
    own: list[Block] = []
    for block in blocks:
        words = [fold(word.text) for word in reading.words(block.start, block.end)]
        if block.is_verb or block.params or any(word in fold(block.name) for word in words):
            own.append(block)
        else:
            reading.give_back(block.start, block.end)
    return own


def _without_parameter_names(
    reading: Reading, blocks: Sequence[Block], numbers: Sequence[Quantity]
) -> list[Block]:
    """Returns the blocks except those whose name begins a parameter of the preceding block.

    As in "with a gain of 5" after a block that has a gain, and in "30 % pulse width".
    """
    own: list[Block] = []
    end = 0
    for block in blocks:
        if own and block.start >= end:
            end = max(end, _parameter_end(reading, own[-1], block, numbers))
        if block.start < end or (own and _is_property(reading, own[-1], block, numbers)):
            reading.give_back(block.start, block.end)
        else:
            own.append(block)
    return own


def _is_property(reading: Reading, owner: Block, block: Block, numbers: Sequence[Quantity]) -> bool:
    """Returns whether a name may be a property of the block before: with gain 3."""
    between = reading.masked[owner.end : block.start]
    return _WITH.search(between) is not None and any(
        number.start >= block.end and _OF_NUMBER.fullmatch(reading.masked, block.end, number.start)
        for number in numbers
    )


def _parameter_end(
    reading: Reading, owner: Block, block: Block, numbers: Sequence[Quantity]
) -> int:
    """Returns the end of the parameter of a block that a name begins; 0 for none."""
    words = reading.words(block.start, min(len(reading.text), block.end + 40))[:3]
    has_lead = re.search(
        r"(?:\b(?:with|having|whose|and)\s+(?:an?\s+|the\s+)?|[(,]\s*)$",
        reading.masked[owner.end : block.start],
    )
    for size in range(len(words), 0, -1):
        end = words[size - 1].end
        if size == 1 and fold(words[0].text) == fold(owner.name):
            continue  # another block of the same name
        if parameter_named(owner, " ".join(word.text for word in words[:size])) is None:
            continue
        before = any(
            number.end <= block.start and not reading.masked[number.end : block.start].strip(" -")
            for number in numbers
        )
        behind = any(
            number.start >= end
            and re.fullmatch(r"\s*(?:of|=|is)?\s*", reading.masked[end : number.start])
            for number in numbers
        )
        if before or (behind and (size > 1 or has_lead)):
            return end
    return 0


def _read_run(reading: Reading, draft: Draft, numbers: list[Quantity]) -> None:
    """Reads the stop time of the model."""
    for number in list(numbers):
        match = _RUN.search(reading.masked, max(0, number.start - 40), number.start)
        if match and number.measures == "time" and "settings" not in draft.model:
            draft.model["settings"] = {"StopTime": number.value}
            reading.take(match.start(), number.end)
            numbers.remove(number)


def _read_names(reading: Reading, blocks: Sequence[Block]) -> None:
    """Assigns variables, files and tags to the blocks that they directly follow."""
    for block in blocks:
        match = _NAMED_TEXT.match(reading.text, block.end)
        name = next(
            (
                n
                for n in ("VariableName", "FileName", "Filename", "GotoTag")
                if n in block.spec.parameters
            ),
            None,
        )
        if match and name is not None:
            block.params[name] = match[1]
            reading.take(block.end, match.end())


def _note_open_ends(draft: Draft, library: Library) -> None:
    """Notes unconnected inputs and signals."""
    sources = {source if isinstance(source, str) else source["from"]
           for step in draft.steps for source in step["inputs"]}  # fmt: skip
    for step in draft.steps:
        name = step["tool"].rsplit("/", 1)[1]
        if len(step["inputs"]) < library.inputs(step["tool"]):
            draft.note(step, f"what enters {name} is not stated: an input of it stays open")
        if step["id"] not in sources and not library.is_sink(step["tool"]):
            draft.note(step, f"where the signal of {name} leads is not stated")
