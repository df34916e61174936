"""Find the blocks that a request names, or whose deeds it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from grounded_builder.catalog.tokenize import STOP, singular
from grounded_builder.domains.simulink.keyword_plan.coreference import (
    copied,
    once,
    put_in,
    twice_done,
    with_noise,
    without_wholes,
)
from grounded_builder.domains.simulink.keyword_plan.disambiguate import (
    described,
    is_told,
    of_domain,
    relations_in,
    within,
)
from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.literal_blocks import LETTERS, spelt
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.stop_words import (
    COUNTS,
    HOW,
    NOUNS,
    PLAIN,
    shown_by,
    verb_of,
)
from grounded_builder.domains.simulink.keyword_plan.text import Text, Word
from grounded_builder.domains.simulink.keyword_plan.units import worded
from grounded_builder.domains.simulink.keyword_plan.verbs import deed_at
from grounded_builder.domains.simulink.resolve.name_index import fold, names_of
from grounded_builder.domains.simulink.resolve.parameter_names import parameter_for

_LONGEST_PHRASE = 7
_SHORTEST = 3
_GAP = re.compile(r"[\s/-]*\(?\s*")
_HEADING = re.compile(r"\s*(of|block|gate|function|operation|operator)\b", re.IGNORECASE)
_OF = re.compile(r"\s*(?:gate\s*)?(of|between)\b", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(an?|another|its|two|three|four|by|through|into)\s+$", re.IGNORECASE)
_IS = re.compile(r"\s*(?:(?:of|=|:|is|at|to|factor|equal to)\s*)*")
_APART = re.compile(r"(,|\()\s*$")
_ARTICLES = frozenset({"a", "an", "the"})
# Nouns of what does something by itself end so.
_DOERS = ("or", "ors", "er", "ers")
_GATES = frozenset({"AND", "OR", "NOT", "XOR", "NAND", "NOR", "NXOR"})
_PURPOSE = re.compile(
    r"\bto (make|get|obtain|produce|form|give|create)( an?| the)?\s*$", re.IGNORECASE
)


def mentions_of(
    text: Text,
    lexicon: Lexicon,
    told: Sequence[Mention] = (),
    taken: Sequence[tuple[int, int]] = (),
) -> tuple[list[Mention], list[tuple[int, int]]]:
    """The blocks that a request is about, in its order, and where they are spoken of.

    ``told`` are those that its equations and conditions tell of, ``taken`` what those used.
    """
    reader = _Reader(text, lexicon, told)
    reader.taken += taken
    found = sorted(
        (one for one in reader.all() if one in told or not within(one.start, taken)),
        key=lambda one: (one.start, -one.end),
    )
    apart: list[Mention] = []
    for one in found:
        if apart and is_told(apart[-1], one, text):
            apart[-1] = replace(one, start=apart[-1].start)
        elif not apart or one.start >= apart[-1].end or one in told:
            apart.append(one)
    apart = [of_domain(one, apart, text, lexicon) for one in apart]
    apart = described(apart, text, lexicon)
    named = put_in(once(without_wholes(apart, text), text), text, lexicon)
    reader.taken += [match.span() for match in re.finditer(r"\bnoisy\b", text.request)]
    doubled = (twice_done(one, named, text) for one in named)
    reader.taken += [span for span in doubled if span is not None]
    return list(with_noise(list(copied(named, text)), text, lexicon)), reader.taken


class _Reader:
    """Reads the mentions of one request."""

    def __init__(self, text: Text, lexicon: Lexicon, told: Sequence[Mention]) -> None:
        self.text, self.lexicon, self.told = text, lexicon, told
        self.taken: list[tuple[int, int]] = []

    def all(self) -> Iterator[Mention]:
        """What is written as a formula, as a controller, as a joining word, then by name."""
        known = [*self.told, *spelt(self.text, self.lexicon)]
        self.taken += [(one.start, one.end) for one in known]
        if self.lexicon.physical:
            self.taken += [match.span() for match in LETTERS.finditer(self.text.request)]
        relations = (relation for relation in relations_in(self.text) if relation[0][0].isalpha())
        self.taken += [relation.span() for relation in relations]
        yield from list(known)
        yield from self._named(known)

    def _mention(self, tool: str, start: int, end: int) -> Mention:
        self.taken.append((start, end))
        return Mention(tool, self.lexicon.spec(tool), start, end)

    def _named(self, known: list[Mention]) -> Iterator[Mention]:
        """What is called by a name or by a verb; ``known`` is what was found before."""
        words = self.text.words
        at = 0
        while at < len(words):
            word = words[at]
            if any(start <= word.start < end for start, end in self.taken):
                at += 1
                continue
            sentence = self.text.sentence(word.start)[0]
            before = [one for one in known if sentence <= one.start < word.start]
            setting = self._setting(at, before)
            if setting:
                at += setting
                continue
            hit = self._deed(word) or self._longest(at)
            if hit is None:
                at += 1
                continue
            one, size = hit
            known.append(one)
            yield one
            at += size

    def _deed(self, word: Word) -> tuple[Mention, int] | None:
        one = deed_at(word, self.text, self.lexicon)
        if one is None:
            return None
        self.taken.append((one.start, one.end))
        return one, 1

    def _longest(self, at: int) -> tuple[Mention, int] | None:
        words = self.text.words
        for size in range(self._reach(at), 0, -1):
            here = words[at : at + size]
            phrase = " ".join(one.text for one in here if one.text.casefold() not in _ARTICLES)
            if not phrase or not self._may_name(here):
                continue
            start, end = here[0].start, here[-1].end
            stressed = _HEADING.match(self.text.request, end) is not None or _is_gate(phrase)
            if phrase.casefold() == "steps" and self._is_counted(here[0].start):
                # As in "in 1 s steps".
                continue
            purpose = _PURPOSE.search(self.text.before(here[0].start))
            if purpose and self.text.before(here[0].start)[: purpose.start()].strip():
                # What all of it comes to.
                return None
            if size == 1 and self._is_seen(here[0]):
                return None
            params: dict[str, str] = {}
            noun = NOUNS.get(phrase.casefold()) if stressed else None
            ids = self.lexicon.meant(noun or phrase, stressed=stressed)
            if not ids and size > 1:
                optional = self.lexicon.optional(phrase)
                ids, params = ([optional[0]], dict(optional[1])) if optional else ([], {})
            if ids and size == 1 and self._is_system(at, ids):
                # As in "Duffing oscillator": its equations are not known, and it is no source.
                return None
            if ids:
                one = self._mention(ids[0], start, end)
                of = _OF.match(self.text.request, end)
                deed = of is not None and not self._is_number(of.end())
                infix = (
                    "&"
                    if _is_gate(phrase) and _HEADING.match(self.text.request, end) is None
                    else ""
                )
                choices = tuple(ids) if len(ids) > 1 else ()
                infix = infix if phrase != "NOT" else ""
                deed = deed or phrase == "NOT"
                return replace(one, choices=choices, deed=deed, params=params, infix=infix), size
        return None

    def _has_parameter(self, one: Mention, said: str, *, near: bool) -> bool:
        """Whether a block, or one of those that it may be, has a parameter of a name."""
        specs = [self.lexicon.spec(tool) for tool in one.choices] or [one.spec]
        found = [parameter_for(said, spec, ()) for spec in specs]
        if any(worded(spec, said) for spec in specs):
            return True
        return any(name is not None and (how != "near" or near) for name, how in found)

    def _is_system(self, at: int, ids: Sequence[str]) -> bool:
        """Whether a word that only may mean a source is called by a name: a system of its own."""
        word = self.text.words[at]
        if at == 0 or self._is_title(word.text) or not all(map(self.lexicon.is_source, ids)):
            return False
        before = self.text.words[at - 1]
        known = STOP | HOW | PLAIN | COUNTS.keys()
        if before.text.casefold() in known or verb_of(before.text) or shown_by(before.text):
            return False
        if self.text.request[before.end : word.start].strip(" -") or within(
            before.start, self.taken
        ):
            return False
        begins = self.text.sentence(before.start)[0]
        named = before.text[0].isupper() and self.text.request[begins : before.start].strip() != ""
        return named or word.text.casefold().endswith(_DOERS)

    def _is_title(self, said: str) -> bool:
        return fold(said) in names_of(self.lexicon.registry).titles

    def _may_name(self, here: Sequence[Word]) -> bool:
        """Whether words may be a name: no single plain word, no small words at the ends."""
        first, last = here[0].text, here[-1].text
        if len(here) == 1 and (singular(first.casefold()) in PLAIN | STOP) and not _is_gate(first):
            return False
        if first.casefold() in _ARTICLES or (last.casefold() in STOP and not _is_gate(last)):
            return False
        if first.casefold() in STOP and not _is_gate(first):
            # The library's own names may begin so: To Workspace, From File.
            return len(here) > 1 and first.casefold() in ("to", "from")
        after = self.text.after(here[-1].end, 5)
        return not (last.casefold().startswith("switch") and re.match(r"\s+o(n|ff)\b", after))

    def _is_seen(self, word: Word) -> bool:
        """Whether a word is the verb by which a signal is shown, not the block that shows it."""
        if shown_by(word.text) is None:
            return False
        noun = re.search(
            r"\b(an?|the|on|to|into|numeric|two|three|four)\s+$", self.text.before(word.start)
        )
        return noun is None

    def _is_counted(self, at: int) -> bool:
        """Whether a time stands right before a place."""
        near = (
            quantity
            for quantity in self.text.quantities
            if quantity.measures == "time" and quantity.end <= at
        )
        return any(not self.text.request[one.end : at].strip(" -") for one in near)

    def _is_number(self, at: int) -> bool:
        at += len(self.text.request[at:]) - len(self.text.request[at:].lstrip())
        return any(quantity.start == at for quantity in self.text.quantities)

    def _reach(self, at: int) -> int:
        """How many words from here on stand together without marks between them."""
        words, size = self.text.words, 1
        while size < _LONGEST_PHRASE and at + size < len(words):
            gap = self.text.request[words[at + size - 1].end : words[at + size].start]
            if _GAP.fullmatch(gap) is None:
                break
            size += 1
        return size

    def _setting(self, at: int, before: list[Mention]) -> int:
        """How many words from here name a parameter of a block before, and a value follows."""
        words = self.text.words
        for size in range(min(4, self._reach(at)), 0, -1):
            here = words[at : at + size]
            told = _IS.match(self.text.request, here[-1].end)
            if not self._is_number(told.end() if told else here[-1].end):
                continue
            listed = before and self.text.request[before[-1].end :].lstrip().startswith("with ")
            if _ARTICLE.search(self.text.before(here[0].start)) and not listed:
                return 0
            said = " ".join(one.text for one in here)
            if _APART.search(self.text.before(here[0].start)) and self._is_title(said):
                return 0
            near = bool(listed) and len(said) > _SHORTEST
            if any(self._has_parameter(one, said, near=near) for one in before):
                return size
        return 0


def _is_gate(word: str) -> bool:
    return word in _GATES
