"""The name index: exact forms by hash, the rest by shared trigrams and a rerank."""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from grounded_builder.catalog.tokenize import singular, split_identifier
from grounded_builder.catalog.tool import ToolRow

_NOT_WORD = re.compile(r"[\W_]+", re.UNICODE)
_RERANKED = 32
_ASIDE = re.compile(r"\s*\([^()]*\)\s*$")
_LONGEST_TOKEN = 300
_LONGEST_NEAR = 60
_LONGEST_PHRASE = 8
_MOST_POSTINGS = 4_000
_LEAST_SCORE = 50


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A tool whose name is like the token: ``score`` 0 to 100, ``distance`` in edits."""

    id: str
    score: float
    distance: int


@dataclass(frozen=True, slots=True)
class Phrase:
    """A whole name inside a text: words ``start`` to ``end`` and the tools that bear it."""

    start: int
    end: int
    ids: tuple[str, ...]


class Likeness:
    """Strings by the trigrams they share with another; bounded work however many there are."""

    def __init__(self, forms: Iterable[str]) -> None:
        self.forms = sorted(forms)
        self._grams: dict[str, array[int]] = defaultdict(lambda: array("I"))
        for position, form in enumerate(self.forms):
            for gram in _trigrams(form):
                self._grams[gram].append(position)

    def near(self, wanted: str, limit: int = _RERANKED) -> list[tuple[float, str]]:
        """The forms most like a string with their likeness (0 to 100), best first."""
        wanted = wanted[:_LONGEST_NEAR]
        known = [self._grams[gram] for gram in _trigrams(wanted) if gram in self._grams]
        known.sort(key=len)
        shared: dict[int, int] = {}
        read = 0
        for postings in known:
            read += len(postings)
            if read > _MOST_POSTINGS and shared:
                break
            for position in postings:
                shared[position] = shared.get(position, 0) + 1
        forms, size = self.forms, len(wanted)
        scored = [(count / (len(forms[at]) + size), -at) for at, count in shared.items()]
        likely = [-at for _, at in nlargest(_RERANKED, scored)]
        named = [forms[at] for at in likely]
        ranked = process.extract(wanted, named, scorer=fuzz.ratio, limit=limit)
        return [(score, form) for form, score, _ in ranked]


class NameIndex:
    """Every name a tool goes by, looked up by id, folded id, tail, plain form or likeness."""

    def __init__(self, tools: Iterable[ToolRow]) -> None:
        self.ids: dict[str, ToolRow] = {}
        self._folded: dict[str, list[str]] = defaultdict(list)
        self._tails: dict[str, list[str]] = defaultdict(list)
        self._plain: dict[str, list[str]] = defaultdict(list)
        self._titles: dict[str, list[str]] = defaultdict(list)
        for tool in tools:
            self.ids[tool.id] = tool
            for title in dict.fromkeys((plain(tool.name), plain(_ASIDE.sub("", tool.name)))):
                if title:
                    self._titles[title].append(tool.id)
            self._folded[tool.id.casefold()].append(tool.id)
            self._tails[tail(tool.id).casefold()].append(tool.id)
            for name in {plain(text) for text in (tool.name, tail(tool.id), *tool.aliases)}:
                if name:
                    self._plain[name].append(tool.id)

    def by_case(self, token: str) -> tuple[str, ...]:
        """Ids equal to the token but for case."""
        return tuple(self._folded.get(token.casefold(), ()))

    def by_tail(self, token: str) -> tuple[str, ...]:
        """Ids whose last part equals the token's, but for case."""
        return tuple(self._tails.get(tail(token).casefold(), ()))

    def by_title(self, token: str) -> tuple[str, ...]:
        """Ids of the tools that people see under this name, with its bracketed aside or without."""
        return tuple(self._titles.get(plain(token), ()))

    def by_plain(self, token: str) -> tuple[str, ...]:
        """Ids with a name, class name or alias equal to the token but for case and marks."""
        return tuple(self._plain.get(plain(token), ()))

    def by_prefix(self, token: str) -> tuple[tuple[str, str], ...]:
        """Ids whose tail starts the token's tail, longest first, each with what is left over."""
        text = tail(token)[:_LONGEST_TOKEN]
        hits: list[tuple[str, str]] = []
        for cut in range(len(text) - 1, 1, -1):
            same = self._tails.get(text[:cut].casefold(), ())
            hits += [(tool_id, text[cut:]) for tool_id in same]
        return tuple(hits)

    def phrases(self, words: Sequence[str]) -> tuple[Phrase, ...]:
        """The whole names that stand in a row of folded words, no name inside a longer one."""
        single = [singular(word) for word in words]
        results: list[Phrase] = []
        end_of_longest = 0
        for start in range(len(words)):
            for end in range(min(len(words), start + _LONGEST_PHRASE), start, -1):
                key = "".join(words[start:end])
                ids = self._phrases.get(key) or self._phrases.get("".join(single[start:end]))
                if ids:
                    if end > end_of_longest:
                        results.append(Phrase(start, end, tuple(ids)))
                        end_of_longest = end
                    break
        return tuple(results)

    def near(self, token: str, limit: int = 5) -> tuple[NameMatch, ...]:
        """The tools whose names are most like the token, best first."""
        local = token if " " in token.strip() else tail(token)
        wanted = plain(local)[:_LONGEST_TOKEN] or plain(token)[:_LONGEST_TOKEN]
        if not wanted:
            return ()
        best: dict[str, NameMatch] = {}
        for score, form in self._likeness.near(wanted):
            if score < _LEAST_SCORE:
                break
            for tool_id in self._plain[form]:
                if tool_id not in best:
                    best[tool_id] = NameMatch(tool_id, score, OSA.distance(wanted, form))
        ranked = sorted(best.values(), key=lambda hit: (-hit.score, len(hit.id), hit.id))
        return tuple(ranked[:limit])

    @cached_property
    def derived(self) -> dict[str, str]:
        """Tools that render another one for a further use, each with that other."""
        return derived_tools(self.ids.values())

    @cached_property
    def starters(self) -> dict[str, tuple[str, ...]]:
        """Tools with those that start a graph for the same service: ids that continue theirs."""
        entries: dict[str, list[str]] = defaultdict(list)
        for tool in self.ids.values():
            if "trigger" not in tool.capabilities:
                continue
            for cut in range(len(tool.id) - 1, 0, -1):
                if tool.id[cut].isupper() and tool.id[:cut] in self.ids:
                    entries[tool.id[:cut]].append(tool.id)
                    break
        return {tool: tuple(ids) for tool, ids in entries.items()}

    @cached_property
    def renderings(self) -> dict[str, tuple[str, ...]]:
        """Tools with those that render them and do the same."""
        entries: dict[str, list[str]] = defaultdict(list)
        for tool, base in self.derived.items():
            if self.ids[tool].description == self.ids[base].description:
                entries[base].append(tool)
        return {tool: tuple(ids) for tool, ids in entries.items()}

    @cached_property
    def _likeness(self) -> Likeness:
        return Likeness(self._plain)

    @cached_property
    def _phrases(self) -> dict[str, list[str]]:
        """Tools by their names with the words joined, as written and in the singular."""
        index: dict[str, dict[str, None]] = defaultdict(dict)
        for tool_id, tool in self.ids.items():
            for text in (tool.name, tail(tool_id), *tool.aliases):
                words = split_identifier(text)
                for key in ("".join(words), "".join(singular(word) for word in words)):
                    if len(key) > 1:
                        index[key][tool_id] = None
        return {key: list(ids) for key, ids in index.items()}


def derived_tools(tools: Iterable[ToolRow]) -> dict[str, str]:
    """Tools that render another one for a further use, each with that other.

    The id continues the other's id in the same package, and so does the name with the same
    words and an equal description, or the name is the very same and the tool takes a role
    (a capability without a dot) that the other has not. So does a namesake that the catalog
    says is equivalent to the other.
    """
    by_id = {tool.id: tool for tool in tools}
    derived: dict[str, str] = {}
    for tool in by_id.values():
        name = plain(tool.name)
        twin = next((by_id[text] for text in tool.equivalent_to if text in by_id), None)
        if twin is not None and plain(twin.name) == name and tool.id not in twin.equivalent_to:
            derived[tool.id] = twin.id
            continue
        for cut in range(len(tool.id) - 1, 0, -1):
            base = by_id.get(tool.id[:cut]) if tool.id[cut].isupper() else None
            if base is None or base.package != tool.package:
                continue
            base_name = plain(base.name)
            longer = name == base_name + plain(tool.id[cut:])
            other_role = name == base_name and not roles(tool) <= roles(base)
            if other_role or (longer and tool.description == base.description):
                derived[tool.id] = base.id
                break
    return derived


def variant_roles(tools: Iterable[ToolRow], derived: Mapping[str, str]) -> frozenset[str]:
    """The roles that most renderings take: what makes a tool one for a further use."""
    count = Counter(role for tool in tools if tool.id in derived for role in roles(tool))
    return frozenset(role for role, times in count.items() if 2 * times > len(derived))


def roles(tool: ToolRow) -> frozenset[str]:
    """What a tool can be in a graph: its capabilities without a dot, which operations have."""
    return frozenset(capability for capability in tool.capabilities if "." not in capability)


def tail(text: str) -> str:
    """The part of an id after its last dot or slash, or the whole text."""
    return re.split(r"[./]", text.strip())[-1]


def head(text: str) -> str:
    """The part of an id before its last dot; empty when there is none."""
    return text.strip().rpartition(".")[0]


def plain(text: str) -> str:
    """A name without case, spaces and marks: what people agree on when they spell it."""
    return _NOT_WORD.sub("", text).casefold()


def _trigrams(form: str) -> set[str]:
    padded = f" {form} "
    return {padded[i : i + 3] for i in range(len(padded) - 2)}
