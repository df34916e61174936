"""Adds the steps of a closed loop to a draft, if a request states one and names its parts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grounded_builder.domains.simulink.keyword_plan.blocks import Block, Library
from grounded_builder.drafting.planner.draft import Draft
from grounded_builder.drafting.planner.function_words import GRAMMAR
from grounded_builder.drafting.planner.reading import Reading

_SUM = "simulink/Math Operations/Sum"
_LOOP = re.compile(
    r"\b(?:(?:in|with) )?(?:an? )?(?:(?:unity|negative|P|PI|PD|PID) )*"
    r"(?:closed[- ]loop|(?:feedback|control)[- ]loop|"
    r"(?:unity|negative) feedback)(?: (?:control|system|model))?\b",
    re.IGNORECASE,
)
# A controller of a plant, or a reference: a closed loop that is not called one.
_CONTROLLED = re.compile(
    r"\bcontroller\b[^.;\n]{0,60}? (?:for|of|controls|controlling) (?:an? |the )?"
    r"(?:[a-z]{3,12}[ -]){0,3}(?:plant|process)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(r"\bopen[- ]loop\b|\b(?:no|without)\b[^.;\n]{0,30}\bfeedback\b", re.IGNORECASE)
_PLANT = re.compile(
    r"(?:\b(?:around|for|controls?|controlling|of|as) )?(?:\b(?:the|a) )?\b(?:plant|process)"
    r"(?: (?:with|of|is))?(?: (?:the|a))?[ :=]*$|\baround (?:the |a )?$",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"\b(?:the )?(?:reference|set[- ]?point)(?: is)?[ :=]*(?:of )?(?:an? )?$", re.IGNORECASE
)
_SHOW_OUTPUT = re.compile(
    r"(?:\b(?:show|display|plot|view) )?(?:the |its )?(?:plant )?output (?:is shown )?"
    r"(?:on|in|with) (?:an? |the )?$",
    re.IGNORECASE,
)
_AS_REFERENCE = re.compile(
    r" (?:(?:as|for) (?:the |a )?)?(?:reference|set[- ]?point)(?: signal| input)?\b", re.IGNORECASE
)
_ON_OUTPUT = re.compile(
    r" (?:on|at|of|for|showing) (?:the |its )?(?:plant )?output(?: of the plant)?\b", re.IGNORECASE
)
_LOOK = 40
_CONTROLLERS = ("simulink/Continuous/PID Controller", "simulink/Discrete/Discrete PID Controller")
_PLANTS = frozenset({"TransferFcn", "StateSpace", "ZeroPole", "Integrator", "DiscreteTransferFcn"})


def draw_loop(reading: Reading, draft: Draft, library: Library, blocks: Sequence[Block]) -> bool:
    """Draws the loop of a request that names all its parts; returns whether it did.

    A loop has one controller, one plant, at most one source, which is its reference, and otherwise
    only sinks, which display the output. Any other request is not drawn as a loop.
    """
    loop = _LOOP.search(reading.masked) or _CONTROLLED.search(reading.masked)
    if loop is not None and loop.re is _LOOP:  # the PID of a "PID control loop"
        blocks = [b for b in blocks if not loop.start() <= b.start < loop.end()]
    controllers = [block for block in blocks if block.tool in _CONTROLLERS]
    plants = [block for block in blocks if block.spec.block_type in _PLANTS]
    sources = [block for block in blocks if library.is_source(block.tool)]
    sinks = [block for block in blocks if library.is_sink(block.tool)]
    known = len(controllers) + len(plants) + len(sources) + len(sinks)
    counts = (len(controllers), len(plants)) == (1, 1) and len(sources) <= 1
    if loop is None or not counts or known < len(blocks) or len(sinks) > 2:
        return False
    is_stated = loop.re is _LOOP
    if not is_stated and _OPEN.search(reading.masked):
        return False
    if is_stated:
        reading.take(*loop.span())
    _take_roles(reading, sources, plants, sinks)
    error = draft.add(_SUM, {"Inputs": "|+-"}, loop.start(), "Error")
    if not is_stated:
        draft.note(error, "that the controller and the plant are in a closed loop is supposed")
    if sources:
        source = draft.add(sources[0].tool, sources[0].params, sources[0].start)
        draft.steps.remove(source)
        draft.steps.insert(0, source)
        error["inputs"] = [source["id"]]
    else:
        draft.note(error, "the reference of the loop is not stated: an input of the error is open")
    before = error
    for block in (*controllers, *plants):
        step = draft.add(block.tool, block.params, block.start)
        step["inputs"] = [before["id"]]
        before = step
    error["inputs"].append({"from": before["id"], "input": 2, "back": True})
    for block in sinks:
        step = draft.add(block.tool, block.params, block.start)
        step["inputs"] = [before["id"]]
    return True


def _take_roles(
    reading: Reading, sources: Sequence[Block], plants: Sequence[Block], sinks: Sequence[Block]
) -> None:
    """Marks the words beside a block that state its role in the loop as read."""
    for pattern, blocks in ((_PLANT, plants), (_REFERENCE, sources), (_SHOW_OUTPUT, sinks)):
        for block in blocks:
            match = pattern.search(reading.masked, max(0, block.start - _LOOK), block.start)
            if match:
                reading.take(*match.span())
    for pattern, blocks in ((_AS_REFERENCE, sources), (_ON_OUTPUT, sinks)):
        for block in blocks:
            match = pattern.match(reading.masked, _behind(reading, block))
            if match:
                reading.take(*match.span())


def _behind(reading: Reading, block: Block) -> int:
    """Returns the position at which the values of a block end."""
    end = block.end
    for word in reading.words(block.end, min(len(reading.text), block.end + _LOOK)):
        if not (reading.is_taken(word.start, word.end) or word.folded_text in GRAMMAR):
            break
        if reading.is_taken(word.start, word.end):
            end = word.end
    return end
