"""Finds the tool that a name means as trigger or step, and ranks operations by shared words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.tool import Operation, ToolRow
from grounded_builder.domains.n8n.lower.parameter_words import words
from grounded_builder.ir.editor import EditContext
from grounded_builder.ir.resolution import NameContext, Place
from grounded_builder.resolve import resolve_name

# General English: each row lists words for the same kind of operation.
_VERBS = (
    ("send", "post", "create", "add", "append", "insert", "publish", "make", "write", "new"),
    ("get", "read", "fetch", "retrieve", "download"),
    ("all", "many", "list", "search", "find", "query"),
    ("update", "edit", "change", "modify"),
    ("delete", "remove", "archive"),
)
_CLASS = {word: row[0] for row in _VERBS for word in row}
_EMPTY = frozenset({"a", "an", "the", "of", "to", "in", "from"})
_HINT = 0.1
_EXTRA = 0.2


def tool_of(text: str, place: Place | None, ground: EditContext) -> ToolRow | None:
    """Returns the installed tool that a name means.

    Of several candidates, the one whose own name contains all its words.
    """
    resolution = resolve_name(text, ground.registry, NameContext(position=place))
    tools = ground.registry.tools
    if resolution.tool is not None:
        return tools[resolution.tool]
    wanted = set(words(text))
    candidates = {candidate.tool: tools[candidate.tool] for candidate in resolution.candidates}
    fits = [
        row
        for row in candidates.values()
        if wanted
        and wanted <= set(words(row.name))
        and row.availability == "installed"
        and ("trigger" in row.capabilities) == (place == "trigger")
    ]
    return fits[0] if len(fits) == 1 else None


@dataclass(frozen=True, slots=True)
class Likeness:
    """A similar operation; ``whole`` when it matches every word of the old one."""

    params: Mapping[str, Any]
    score: float
    whole: bool


def most_similar(
    does: Iterable[str], hints: Iterable[str], operations: Iterable[Operation]
) -> list[Likeness]:
    """Returns the most similar operations, best first; none without a similar one.

    ``does`` are texts about the operation, ``hints`` words that are merely near it.
    """
    wanted = _word_classes(does)
    beside = _word_classes(hints) - wanted
    similar = []
    for operation in operations:
        matches = _word_classes(
            (operation.name, *(str(value) for value in operation.params.values()))
        )
        shared = len(wanted & matches)
        score = shared / max(1, len(wanted)) + _HINT * bool(beside & matches)
        score -= _EXTRA * len(matches - wanted - beside)
        if shared:
            similar.append(Likeness(operation.params, score, wanted <= matches))
    return sorted(similar, key=lambda likeness: -likeness.score)


def _word_classes(texts: Iterable[str]) -> frozenset[str]:
    entries = set()
    for text in texts:
        for word in words(text):
            single = word[:-1] if len(word) > 3 and word.endswith("s") else word
            if word not in _EMPTY:
                entries.add(_CLASS.get(word) or _CLASS.get(single) or single)
    return frozenset(entries)
