"""Indexes tools by id and name, folds names, splits ids, and finds variants of tools."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from grounded_builder.catalog.likeness import TrigramIndex, edits_between
from grounded_builder.catalog.tokenize import singular, split_identifier
from grounded_builder.catalog.tool import ToolRow

_NOT_WORD = re.compile(r"[\W_]+", re.UNICODE)
_BRACKETS_AT_END = re.compile(r"\s*\([^()]*\)\s*$")
_MAX_TOKEN_CHARS = 300
_MAX_PHRASE_WORDS = 8
_MIN_SCORE = 50


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A tool with a similar name: ``score`` is 0 to 100, ``distance`` is in edits."""

    id: str
    score: float
    distance: int


@dataclass(frozen=True, slots=True)
class Phrase:
    """A whole tool name inside a text: words ``start`` to ``end``, and the tools of that name."""

    start: int
    end: int
    ids: tuple[str, ...]


class NameIndex:
    """The names of all tools, by id, id in any case, last part, folded form or similarity."""

    def __init__(self, tools: Iterable[ToolRow]) -> None:
        self.ids: dict[str, ToolRow] = {}
        self._folded: dict[str, list[str]] = defaultdict(list)
        self._tails: dict[str, list[str]] = defaultdict(list)
        self._plain: dict[str, list[str]] = defaultdict(list)
        self._titles: dict[str, list[str]] = defaultdict(list)
        for tool in tools:
            self.ids[tool.id] = tool
            for title in dict.fromkeys(
                (fold_name(tool.name), fold_name(_BRACKETS_AT_END.sub("", tool.name)))
            ):
                if title:
                    self._titles[title].append(tool.id)
            self._folded[tool.id.casefold()].append(tool.id)
            self._tails[id_tail(tool.id).casefold()].append(tool.id)
            for name in {fold_name(text) for text in (tool.name, id_tail(tool.id), *tool.aliases)}:
                if name:
                    self._plain[name].append(tool.id)

    def by_case(self, token: str) -> tuple[str, ...]:
        """Returns the ids that equal the token except for case."""
        return tuple(self._folded.get(token.casefold(), ()))

    def by_tail(self, token: str) -> tuple[str, ...]:
        """Returns the ids whose last part equals the token's, except for case."""
        return tuple(self._tails.get(id_tail(token).casefold(), ()))

    def by_title(self, token: str) -> tuple[str, ...]:
        """Returns the ids of tools with this display name, with or without final brackets."""
        return tuple(self._titles.get(fold_name(token), ()))

    def by_plain(self, token: str) -> tuple[str, ...]:
        """Returns the ids with a name, class name or alias that equals the token when folded."""
        return tuple(self._plain.get(fold_name(token), ()))

    def by_prefix(self, token: str) -> tuple[tuple[str, str], ...]:
        """Returns ids whose last part begins the token's, longest first, with the remainder."""
        text = id_tail(token)[:_MAX_TOKEN_CHARS]
        hits: list[tuple[str, str]] = []
        for cut in range(len(text) - 1, 1, -1):
            same = self._tails.get(text[:cut].casefold(), ())
            hits += [(tool_id, text[cut:]) for tool_id in same]
        return tuple(hits)

    def phrases(self, words: Sequence[str]) -> tuple[Phrase, ...]:
        """Returns the whole names in a sequence of folded words; the longest name wins."""
        single = [singular(word) for word in words]
        phrases: list[Phrase] = []
        end_of_longest = 0
        for start in range(len(words)):
            for end in range(min(len(words), start + _MAX_PHRASE_WORDS), start, -1):
                key = "".join(words[start:end])
                ids = self._phrases.get(key) or self._phrases.get("".join(single[start:end]))
                if ids:
                    if end > end_of_longest:
                        phrases.append(Phrase(start, end, tuple(ids)))
                        end_of_longest = end
                    break
        return tuple(phrases)

    def near(self, token: str, limit: int = 5) -> tuple[NameMatch, ...]:
        """Returns the tools whose names are most similar to the token, best first."""
        local = token if " " in token.strip() else id_tail(token)
        wanted = fold_name(local)[:_MAX_TOKEN_CHARS] or fold_name(token)[:_MAX_TOKEN_CHARS]
        if not wanted:
            return ()
        best: dict[str, NameMatch] = {}
        for score, form in self._likeness.near(wanted):
            if score < _MIN_SCORE:
                break
            for tool_id in self._plain[form]:
                if tool_id not in best:
                    best[tool_id] = NameMatch(tool_id, score, edits_between(wanted, form))
        ranked = sorted(best.values(), key=lambda hit: (-hit.score, len(hit.id), hit.id))
        return tuple(ranked[:limit])

    @cached_property
    def variants(self) -> dict[str, str]:
        """Variants of tools for another use, each with its original."""
        return derived_tools(self.ids.values())

    @cached_property
    def starters(self) -> dict[str, tuple[str, ...]]:
        """Tools with the triggers of the same service, whose ids continue theirs."""
        triggers: dict[str, list[str]] = defaultdict(list)
        for tool in self.ids.values():
            if "trigger" not in tool.capabilities:
                continue
            for cut in range(len(tool.id) - 1, 0, -1):
                if tool.id[cut].isupper() and tool.id[:cut] in self.ids:
                    triggers[tool.id[:cut]].append(tool.id)
                    break
        return {tool: tuple(ids) for tool, ids in triggers.items()}

    @cached_property
    def renderings(self) -> dict[str, tuple[str, ...]]:
        """Tools with their variants that have an equal description."""
        renderings: dict[str, list[str]] = defaultdict(list)
        for tool, base in self.variants.items():
            if self.ids[tool].description == self.ids[base].description:
                renderings[base].append(tool)
        return {tool: tuple(ids) for tool, ids in renderings.items()}

    @cached_property
    def _likeness(self) -> TrigramIndex:
        return TrigramIndex(self._plain)

    @cached_property
    def _phrases(self) -> dict[str, list[str]]:
        """Tools by their names with the words joined, as written and in the singular."""
        index: dict[str, dict[str, None]] = defaultdict(dict)
        for tool_id, tool in self.ids.items():
            for text in (tool.name, id_tail(tool_id), *tool.aliases):
                words = split_identifier(text)
                for key in ("".join(words), "".join(singular(word) for word in words)):
                    if len(key) > 1:
                        index[key][tool_id] = None
        return {key: list(ids) for key, ids in index.items()}


def derived_tools(tools: Iterable[ToolRow]) -> dict[str, str]:
    """Returns the variants of tools for another use, each with its original.

    The id of a variant continues the original's id in the same package. Its name continues the
    original's name with the same words and an equal description, or its name is the same and it has
    a role (a capability without a dot) that the original lacks. A tool of the same name that the
    catalog lists as equivalent is a variant too.
    """
    by_id = {tool.id: tool for tool in tools}
    derived: dict[str, str] = {}
    for tool in by_id.values():
        name = fold_name(tool.name)
        twin = next((by_id[other_id] for other_id in tool.equivalent_to if other_id in by_id), None)
        if twin is not None and fold_name(twin.name) == name and tool.id not in twin.equivalent_to:
            derived[tool.id] = twin.id
            continue
        for cut in range(len(tool.id) - 1, 0, -1):
            base = by_id.get(tool.id[:cut]) if tool.id[cut].isupper() else None
            if base is None or base.package != tool.package:
                continue
            base_name = fold_name(base.name)
            longer = name == base_name + fold_name(tool.id[cut:])
            other_role = name == base_name and not roles(tool) <= roles(base)
            if other_role or (longer and tool.description == base.description):
                derived[tool.id] = base.id
                break
    return derived


def variant_roles(tools: Iterable[ToolRow], derived: Mapping[str, str]) -> frozenset[str]:
    """Returns the roles that most variants have: a tool with such a role is for another use."""
    count = Counter(role for tool in tools if tool.id in derived for role in roles(tool))
    return frozenset(role for role, times in count.items() if 2 * times > len(derived))


def roles(tool: ToolRow) -> frozenset[str]:
    """Returns the capabilities of a tool without a dot, which name its roles in a graph."""
    return frozenset(capability for capability in tool.capabilities if "." not in capability)


def id_tail(text: str) -> str:
    """Returns the part of an id after its last dot or slash, or the whole text."""
    return re.split(r"[./]", text.strip())[-1]


def id_head(text: str) -> str:
    """Returns the part of an id before its last dot, empty if there is none."""
    return text.strip().rpartition(".")[0]


def fold_name(text: str) -> str:
    """Returns a name in lower case without spaces and marks, equal for all spellings of it."""
    return _NOT_WORD.sub("", text).casefold()
