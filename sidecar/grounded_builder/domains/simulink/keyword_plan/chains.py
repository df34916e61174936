"""Adds the blocks that a request names to a draft, joined in the order that its words state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from grounded_builder.domains.simulink.keyword_plan.blocks import Block, Library
from grounded_builder.drafting.planner.draft import Draft, Step
from grounded_builder.drafting.planner.reading import Reading, sentences

# What is carried: "plot the result on", "output on".
_THING = r"(?:the )?(?:output|result|signal|response)"
_ARTICLE = r"(?:\s*(?:an?|the|another))?\s*"
_FORWARD = re.compile(
    r"\s*,?\s*(?:"
    r"->|=>|\u2192"
    r"|(?:and )?(?:then |it |that |which )?(?:(?:is|are|and) )?"
    r"(?:fed |led |sent |routed |passed |connected |wired |shown |displayed |plotted |viewed "
    r"|goes |go |passes |feeding |leading |logged |saved |stored |recorded )?"
    r"(?:into|in|to|onto|on|through|via|followed by)"
    r"|(?:and )?(?:then )?(?:(?:show|display|plot|view|log|feed|send|pass|route|put) )?"
    rf"(?:{_THING}|it|them) (?:into|in|to|onto|on|with|through)"
    r"|(?:and )?(?:then|which then)"
    r"|(?:that |which |and )?(?:feeds?|drives?|feeding|driving|enters?)(?: into)?"
    r"|(?:and )?(?:is )?(?:logged|saved|stored|recorded) with"
    rf"){_ARTICLE}",
    re.IGNORECASE,
)
_BACKWARD = re.compile(
    rf"\s*,?\s*(?:(?:that|which) )?(?:is |are )?(?:fed|driven|supplied|excited) (?:by|from|with)"
    rf"{_ARTICLE}",
    re.IGNORECASE,
)
_AND_THEN = re.compile(r"\s*(?:,|;|->|=>|\u2192)?\s*(?:and )?(?:then )?\s*", re.IGNORECASE)
_ALSO = re.compile(rf"\s*(?:,|and|,\s*and)(?: with)?{_ARTICLE}", re.IGNORECASE)
_LEAD = re.compile(
    r"\s*(?:connect|feed|send|pass|route|lead|wire|link|use|draw|put|take|place)?"
    r"\s*(?:the signal )?(?:of|from)?\s*(?:an?|the)?\s*",
    re.IGNORECASE,
)
_REFERENCE = re.compile(rf"\b(?:{_THING}|it|them)\b", re.IGNORECASE)
_SERIES = re.compile(r"(?:\b(?:connected|joined|wired|all) )?\bin series\s*\Z", re.IGNORECASE)


@dataclass
class ChainDrawer:
    """Draws the blocks of one request sentence by sentence.

    ``ends`` are the steps that lead into the next block, ``entered`` those that lead into the last
    sink, and ``last`` is the block before.
    """

    reading: Reading
    draft: Draft
    library: Library
    ends: list[str] = field(default_factory=list)
    entered: list[str] = field(default_factory=list)
    last: Block | None = None
    is_series: bool = False

    def draw(self, blocks: Sequence[Block]) -> None:
        """Adds a step for each block, with the lines that the words between them state."""
        for start, end in sentences(self.reading):
            here = [block for block in blocks if start <= block.start < end]
            series = _SERIES.search(self.reading.masked[:end], start)
            self.is_series = series is not None
            if series is not None:
                self.reading.take(*series.span())
            self._put_object_first(here)
            for number, block in enumerate(here):
                self._draw_block(block, start if number == 0 else -1)

    def _put_object_first(self, blocks: list[Block]) -> None:
        """Puts the source that a verb takes at the begin of a sentence first: integrate a ramp."""
        if len(blocks) > 1 and blocks[0].is_verb and self.library.is_source(blocks[1].tool):
            action, source = blocks[:2]
            between = self.reading.masked[action.end : source.start]
            if re.fullmatch(r"\s*(?:an?|the)?\s*", between):
                action.start, action.end = source.end, source.end
                blocks[:2] = [source, action]

    def _draw_block(self, block: Block, sentence: int) -> None:
        """Draws a block; ``sentence`` is the begin of the sentence that it is the first of."""
        last = self.last
        before = self.draft.steps[-1] if self.draft.steps else None
        if sentence >= 0:
            begin, stop = self._find_words_before(sentence, block.start)
            if last is not None and not self._goes_on(block, begin, stop):
                last = None
        else:
            begin, stop = self._find_words_before(last.end if last else 0, block.start)
        words = self.reading.masked[begin:stop].lstrip(")%") + " "
        step = self._find_step(block, is_new=last is not None)
        if last is None or before is None:
            if _LEAD.fullmatch(words):
                self.reading.take(begin, stop)
            self.ends, self.entered = [step["id"]], []
        elif self._join(last, before, block, step, words):
            self.reading.take(begin, stop)
        self.last = block

    def _goes_on(self, block: Block, begin: int, stop: int) -> bool:
        """Returns whether a sentence goes on with the signal before: "Show the result on a ...".

        The signal is that of one block which is no sink.
        """
        words = self.reading.masked[begin:stop] + " "
        is_open = self.last is not None and not self.library.is_sink(self.last.tool)
        has_reference = _REFERENCE.search(words) is not None
        return is_open and len(self.ends) == 1 and has_reference and _leads(block, words)

    def _join(self, last: Block, before: Step, block: Block, step: Step, words: str) -> bool:
        """Adds the lines that words state between two blocks; returns whether they are read."""
        is_source = self.library.is_source(block.tool)
        is_listed = _ALSO.fullmatch(words) is not None
        if is_listed and self.ends == [step["id"]]:
            return True  # "into a sum, the sum into a scope"
        if _BACKWARD.fullmatch(words) and self._has_room(last, [step["id"]], before):
            before["inputs"].append(step["id"])
            self.ends, self.entered = [], []  # what a further "into" leads on is not certain
            return True
        if is_listed and is_source and self.library.is_source(last.tool):
            self.ends = [*self.ends, step["id"]]
            return False
        if _leads(block, words) or (is_listed and self.is_series):
            if is_source or self.library.is_sink(last.tool):
                self.draft.note(step, f"what enters {block.name} is not stated")
                self.ends, self.entered = [step["id"]], []
            elif self._has_room(block, self.ends, step):
                self.entered = list(self.ends)
                step["inputs"] = [*step["inputs"], *self.ends]
                self.ends = [step["id"]]
            else:
                count = f"{len(self.ends)} signals enter" if self.ends else "anything enters"
                self.draft.note(step, f"how {count} {block.name} was not read")
                self.ends = [step["id"]]
            return True
        sinks = self.library.is_sink(block.tool) and self.library.is_sink(last.tool)
        if is_listed and sinks and self.entered:
            step["inputs"] = list(self.entered)
            return False
        self.draft.note(step, f"how {last.name} and {block.name} are joined was not read")
        # Two sources that are joined by what was not read lead on through that alone.
        self.ends, self.entered = [] if is_source else [step["id"]], []
        return False

    def _has_room(self, block: Block, ends: Sequence[str], step: Step) -> bool:
        """Returns whether a block has enough free inputs for the signals."""
        free = self.library.inputs(block.tool) - len(step["inputs"])
        if self.library.is_sink(block.tool):
            free = 1
        signs = str(block.spec.preset.get("Inputs", ""))
        if len(ends) > 1 and (block.is_verb or not {"-", "/"}.isdisjoint(signs)):
            return False  # which of them is subtracted from which is not certain
        return 0 < len(ends) <= free

    def _find_words_before(self, start: int, end: int) -> tuple[int, int]:
        """Returns the range of the words that join a block to what is before it.

        They follow the values of the block before, and precede the values of the block itself.
        """
        reading = self.reading
        while end > start and (reading.is_taken(end - 1, end) or reading.masked[end - 1] in " -"):
            end -= 1
        stop = end
        while end > start and not reading.is_taken(end - 1, end):
            end -= 1
        return end, stop

    def _find_step(self, block: Block, *, is_new: bool) -> Step:
        """Returns the step of a block: a new one, or the earlier one to which the text refers."""
        same = [step for step in self.draft.steps if step["tool"] == block.tool]
        if same and block.article == "the" and len(same) == 1 and not block.params:
            return same[0]
        step = self.draft.add(block.tool, block.params, block.start)
        if same and (block.article == "the" or not (is_new or block.article)):
            self.draft.note(
                step,
                f"whether this {block.name} is the one before is not stated: another was drawn",
            )
        return step


def _leads(block: Block, words: str) -> bool:
    """Returns whether words lead a signal into a block; a verb needs no more than a mark."""
    return (_AND_THEN if block.is_verb else _FORWARD).fullmatch(words) is not None
