"""Which mentions of a request are of one block, and which of several."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from grounded_builder.catalog.tokenize import split_identifier
from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention, is_plural
from grounded_builder.domains.simulink.keyword_plan.stop_words import AGAIN, COUNTS
from grounded_builder.domains.simulink.keyword_plan.text import Text

_PIDS = frozenset(
    {"simulink/Continuous/PID Controller", "simulink/Discrete/Discrete PID Controller"}
)
_OUTCOMES = frozenset({"sum", "square", "product", "difference", "quotient", "integral"})
_NOISY = re.compile(r"\bnoisy\s+(\S+\s+){0,3}$", re.IGNORECASE)
_EDGE = re.compile(r"\b(each|every|on an?|on the|at each)\s+$", re.IGNORECASE)


def without_wholes(found: list[Mention], text: Text) -> list[Mention]:
    """Without what only says how another block is used: its loop, the edge that triggers it."""
    tools = {one.tool for one in found}
    triggered = any("trigger" in (one.spec.ports or {}) for one in found)
    left = []
    for one in found:
        edge = triggered and one.spec.name.startswith("Detect ")
        if edge and _EDGE.search(text.before(one.start)):
            continue
        inner = {step["tool"] for step in (one.spec.pattern or {}).get("steps", ())}
        plant = any(two.spec.pattern is None and "Denominator" in two.params for two in found)
        if len(inner) > 1 and _PIDS & inner and (tools & _PIDS or plant):
            continue
        left.append(one)
    return left


def once(found: list[Mention], text: Text) -> list[Mention]:
    """Without what is said twice: by a verb and a noun, or again by "the"."""
    left: list[Mention] = []
    for one in found:
        before = text.before(one.start)
        said = text.request[one.start : one.end].casefold()
        if said in _OUTCOMES and not one.deed and _THE.search(before) and any(m.verb for m in left):
            # What a deed before came to.
            continue
        same = next((m for m in left if m.tool == one.tool and _IS_A.search(before)), None)
        if same is not None:
            # As in "the gain K is a matrix gain".
            same.params.update(one.params)
            same.end = one.end
            continue
        if left and left[-1].params and _FROM.search(before) and left[-1].tool == one.tool:
            # As in "a square wave from a signal generator".
            continue
        if left and one.params and left[-1].tool == one.tool and _WITH.search(before):
            # As in "a signal generator with a square wave".
            left[-1] = replace(left[-1], params={**left[-1].params, **one.params})
            continue
        if left and left[-1].tool == one.tool and _is_renamed(left[-1], one, text):
            left[-1] = replace(left[-1], end=one.end)
            continue
        if left and left[-1].spec.name == "Edge Counter" and left[-1].verb:
            between = text.request[left[-1].end : one.start]
            if re.fullmatch(r"\s*(the|its|all)?\s*(number of)?\s*", between):
                # What is counted: the edges or pulses of what follows.
                continue
        again = AGAIN.search(before) or _THE.search(before)
        earlier = next(
            (other for other in left[::-1] if again and _is_same(other, one, text)), None
        )
        sentence = text.sentence(one.start)[0]
        if earlier is None or (earlier.verb and earlier.start < sentence):
            left.append(one)
        elif not one.deed and earlier.verb and _THE.search(before) and not _BY.search(before):
            # What is spoken of again, as in "add them and show the sum".
            continue
        elif earlier.verb and not one.verb:
            at = left.index(earlier)
            left[at] = replace(one, start=earlier.start, deed=earlier.deed or one.deed)
        elif _is_bare(earlier, text) and _BY.search(text.before(one.start)):
            left[left.index(earlier)] = replace(one, start=earlier.start)
        elif _THE.search(text.before(one.start)) is None:
            left.append(one)
        elif len(one.spec.name) > len(earlier.spec.name):
            left[left.index(earlier)] = replace(one, start=earlier.start, end=earlier.end)
    return left


def _is_bare(one: Mention, text: Text) -> bool:
    """Whether a name stands without an article, as an adjective does."""
    return re.search(r"\b(an?|the|and|into)\s+$", text.before(one.start), re.IGNORECASE) is None


_TWICE = re.compile(r"(?:[^.;]|\.(?=\d)){0,60}?(\btwice\b)", re.IGNORECASE)
_IS_A = re.compile(r"\b(is|are|being) an?\s+$", re.IGNORECASE)
_WITH = re.compile(r"\bwith( an?| the)?\s+$", re.IGNORECASE)
_FROM = re.compile(r"\bfrom( an?| the)?\s+$", re.IGNORECASE)
_BY = re.compile(r"\b(using|with|by|through|via)( an?| the)?\s+$", re.IGNORECASE)
_THE = re.compile(
    r"\bthe(\s+(first|second|third|last|same|other|original|load))?\s+$", re.IGNORECASE
)


def _is_renamed(earlier: Mention, later: Mention, text: Text) -> bool:
    """Whether a block is only called by another of its names, without a mark between."""
    between = text.request[earlier.end : later.start]
    return re.search(r",|;|\.|\b(an?|and|with|another|by|plus)\b", between) is None


_STEM = 5


def _is_alike(earlier: Mention, later: Mention) -> bool:
    """Whether two blocks differ by no more than their names."""
    alike = earlier.kind == later.kind != "SubSystem"
    return alike and (earlier.kind != "Logic" or earlier.spec.preset == later.spec.preset)


def _is_same(earlier: Mention, later: Mention, text: Text) -> bool:
    if earlier.tool == later.tool or _is_alike(earlier, later):
        return True
    own, other = set(split_identifier(earlier.spec.name)), set(split_identifier(later.spec.name))
    stem = text.request[earlier.start : earlier.end].casefold()[:_STEM]
    begins = later.spec.name.casefold().startswith(stem)
    return own < other or (earlier.verb and (begins or bool(own & other)))


def with_noise(found: list[Mention], text: Text, lexicon: Lexicon) -> Iterator[Mention]:
    """With white noise added to each source that is called noisy."""
    for one in found:
        yield one
        if lexicon.is_source(one.tool) and _NOISY.search(text.before(one.start)):
            adding, noise = (lexicon.meant(name)[0] for name in ("Sum", "White Noise"))
            yield Mention(adding, lexicon.spec(adding), one.end, one.end, infix="+")
            yield Mention(noise, lexicon.spec(noise), one.end, one.end)


def put_in(found: list[Mention], text: Text, lexicon: Lexicon) -> list[Mention]:
    """Without "add" where it asks to put a block in, not to add two signals."""
    left: list[Mention] = []
    for at, one in enumerate(found):
        following = found[at + 1 : at + 3]
        if one.verb and one.spec.name == "Add" and following:
            first = following[0]
            alone = not is_plural(first, text) and (
                len(following) == 1 or lexicon.is_sink(following[1].tool)
            )
            direct = re.fullmatch(
                r"\s*(an?|the|another)?\s*(\w+\s+)?", text.request[one.end : first.start]
            )
            if direct and (not lexicon.is_source(first.tool) or (alone and not left)):
                continue
        left.append(one)
    return left


def _listed(one: Mention, text: Text) -> int:
    """How many numbers stand listed right behind a name in the plural."""
    count, at = 0, one.end
    for number in text.quantities:
        if number.start < at:
            continue
        between = text.request[at : number.start]
        if re.fullmatch(r"\s*(of\s+)?" if not count else r"\s*(,|and|,\s*and)\s*", between) is None:
            break
        count, at = count + 1, number.end
    return count


def twice_done(one: Mention, found: list[Mention], text: Text) -> tuple[int, int] | None:
    """Where a request says that a deed is done twice; None where it does not, or of another."""
    said = _TWICE.match(text.request, one.end) if one.verb else None
    if said is None or any(m.verb and one.end <= m.start < said.end() for m in found):
        return None
    return said.span(1)


def counted(mentions: list[Mention], text: Text) -> list[tuple[int, int]]:
    """Where a number only says how many of a block there are."""
    several = [one for one in mentions if one.copies > 1]
    return [
        (number.start, number.end)
        for number in text.quantities
        if any(
            number.value == str(one.copies)
            and number.end <= one.start
            and not text.request[number.end : one.start].strip()
            for one in several
        )
    ]


def copied(found: list[Mention], text: Text) -> Iterator[Mention]:
    """As many of each as are counted before it."""
    for one in found:
        before = re.findall(r"[\w-]+|,", text.before(one.start))[-3:]
        word = next((n for n in reversed(before) if n.casefold() in COUNTS), "")
        times = COUNTS.get(word.casefold(), 1) if is_plural(one, text) else 1
        if times == 1 and is_plural(one, text) and not one.verb:
            times = max(1, _listed(one, text))
        if twice_done(one, found, text) is not None:
            # One behind the other.
            yield from (one, replace(one, params={}, deed=False))
            continue
        yield from (
            replace(one, copy=n, copies=times, params=dict(one.params)) for n in range(times)
        )
