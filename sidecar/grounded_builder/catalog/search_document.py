"""A tool and its operations as words, each with the weight of the place it stands in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.catalog.name_index import tail
from grounded_builder.catalog.tokenize import (
    STOP,
    VERBS,
    chunks,
    split_identifier,
    stem,
    synonym_groups,
)
from grounded_builder.catalog.tool import ToolRow

# How much a word says about a tool, by the place it stands in.
FIELDS = {"name": 5.0, "alias": 3.0, "keyword": 2.0, "family": 1.5, "text": 1.0}
STOPPED = frozenset(stem(word) for word in STOP)
_OPERATION_FIELD = 0.8
_CATEGORY_FIELD = 0.4


@dataclass(frozen=True, slots=True)
class Action:
    """One operation as words: ``stems`` of name and values.

    ``values`` are the values each as one word, with the parts of it.
    """

    name: str
    params: Mapping[str, Any]
    stems: frozenset[str]
    values: Mapping[str, frozenset[str]]
    meanings: frozenset[str]
    value_meanings: frozenset[str]


@dataclass(frozen=True, slots=True)
class Document:
    """One tool as words: stems with the weight of the best field they stand in.

    ``spoken`` and ``meant`` are the stems and meanings of all its operations, ``own`` and
    ``own_meant`` those of its names. ``derived`` says that it renders another tool, ``aside``
    that it is one for the further use that most such renderings serve. ``said`` keeps, of the
    words that any operation says, which ones do and how well.
    """

    row: ToolRow
    names: tuple[tuple[str, ...], ...]
    stems: Mapping[str, float]
    actions: tuple[Action, ...]
    spoken: frozenset[str]
    meant: frozenset[str]
    own: frozenset[str]
    own_meant: frozenset[str]
    derived: bool
    aside: bool
    starts: bool
    said: dict[str, tuple[tuple[int, float], ...]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def saying(self, term: str) -> tuple[tuple[int, float], ...]:
        """The operations that say a term, by their place, each with how well."""
        known = self.said.get(term)
        if known is not None:
            return known
        if term not in self.spoken and self.meant.isdisjoint(synonym_groups(term)):
            return ()
        shares = ((at, likeness(term, action)) for at, action in enumerate(self.actions))
        return self.said.setdefault(term, tuple((at, share) for at, share in shares if share))


def document_of(row: ToolRow, *, derived: bool, aside: bool) -> Document:
    """A tool as words."""
    aliases = [tail(row.id), *(alias.rpartition(".")[0] or alias for alias in row.aliases)]
    names = {_stems(text): None for text in (row.name, *aliases)}
    actions = tuple(_action(operation.name, operation.params) for operation in row.operations)
    own = frozenset(part for name in names for part in name)
    stems: dict[str, float] = {}
    count: Counter[str] = Counter(term for action in actions for term in action.stems)
    results: Sequence[tuple[Iterable[str], float]] = (
        (_terms(row.name), FIELDS["name"]),
        ((term for alias in aliases for term in _terms(alias)), FIELDS["alias"]),
        ((term for word in row.keywords for term in _terms(word)), FIELDS["keyword"]),
        (_terms(row.family), FIELDS["family"]),
        (_terms(row.description), FIELDS["text"]),
        (_terms(row.category), _CATEGORY_FIELD),
        ((f"~{item}" for action in actions for item in action.meanings), _OPERATION_FIELD),
    )
    for terms, weight in results:
        for term in terms:
            stems[term] = max(stems.get(term, 0.0), weight)
    for term, times in count.items():
        stems[term] = max(stems.get(term, 0.0), _OPERATION_FIELD + 0.1 * min(times, 5))
    for term in [term for term in stems if not term.startswith("~")]:
        for meaning in synonym_groups(term):
            key = f"~{meaning}"
            stems[key] = max(stems.get(key, 0.0), 0.6 * stems[term])
    return Document(
        row=row,
        names=tuple(names),
        stems=stems,
        actions=actions,
        spoken=frozenset(term for action in actions for term in action.stems),
        meant=frozenset(item for action in actions for item in action.meanings),
        own=own,
        own_meant=frozenset(
            synonym_group for part in own for synonym_group in synonym_groups(part)
        ),
        derived=derived,
        aside=derived or aside,
        starts="trigger" in row.capabilities,
    )


def best_actions(
    document: Document, terms: Mapping[str, float], limit: int = 5
) -> list[tuple[float, Action]]:
    """The operations whose words cover the terms best, with the share covered (0 to 1).

    A term that only means the same counts less than the word itself; among equals the
    operation with the fewest further words is first. Terms of the tool's own name are
    no operation.
    """
    total = 0.0
    covered: dict[int, float] = {}
    for term, weight in terms.items():
        if term not in document.own:
            total += weight
            for at, share in document.saying(term):
                covered[at] = covered.get(at, 0.0) + weight * share
    ranked = []
    keys_view = terms.keys()
    for at in sorted(covered):
        if not covered[at]:
            continue
        action = document.actions[at]
        whole = {
            value
            for value, parted in action.values.items()
            if value in terms or parted <= keys_view
        }
        spare = len(action.stems.difference(keys_view, whole)) * 0.03
        ranked.append((covered[at] / total + len(whole) * 0.05 - spare, action))
    ranked.sort(key=lambda item: -item[0])
    return ranked[:limit]


def likeness(term: str, action: Action) -> float:
    """How much of a term an operation says: 1 its word, less a word that means the same."""
    if term in action.stems:
        return 1.0
    results = synonym_groups(term)
    if not results & action.meanings:
        return 0.0
    return 0.75 if results & action.value_meanings else 0.55


def _action(name: str, params: Mapping[str, Any]) -> Action:
    parameters = [str(value) for value in params.values()]
    parted = frozenset(term for text in parameters for term in _terms(text))
    stems = parted | frozenset(_terms(name))
    return Action(
        name=name,
        params=params,
        stems=stems,
        values={
            stem("".join(split_identifier(text))): frozenset(_stems(text)) for text in parameters
        },
        meanings=_meant(stems, parameters),
        value_meanings=_meant(parted, parameters),
    )


def _meant(stems: frozenset[str], told: list[str]) -> frozenset[str]:
    """What the words of an operation ask for; beside its verb, nouns are no further verbs.

    To delete a message is not to send one, though "message" alone can mean that.
    """
    verb = next(iter(_stems(told[-1])), "") if told else ""
    rows = frozenset(row for term in stems for row in synonym_groups(term))
    return (synonym_groups(verb) & VERBS) | (rows - VERBS)


def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(part) for part in split_identifier(text))


def _terms(text: str) -> Iterable[str]:
    """The stems of a text, joined writing both as a whole and as its parts."""
    for chunk in chunks(text):
        if len(chunk) > 1:
            yield stem("".join(chunk))
        for part in chunk:
            word = stem(part)
            if word not in STOPPED:
                yield word
