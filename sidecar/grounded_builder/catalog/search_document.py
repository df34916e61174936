"""Converts tools to weighted word stems for search, and ranks a tool's operations by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.catalog.name_index import id_tail
from grounded_builder.catalog.synonyms import VERBS, synonym_groups
from grounded_builder.catalog.tokenize import STOP, split_chunks, split_identifier, stem
from grounded_builder.catalog.tool import ToolRow

# The weight of a word, by the field in which it occurs.
FIELDS = {"name": 5.0, "alias": 3.0, "keyword": 2.0, "family": 1.5, "text": 1.0}
STOPPED = frozenset(stem(word) for word in STOP)
_OPERATION_FIELD = 0.8
_CATEGORY_FIELD = 0.4


@dataclass(frozen=True, slots=True)
class Action:
    """One operation as stems.

    ``stems`` are those of its name and values. ``values`` has each value as one stem, with the
    stems of its parts.
    """

    name: str
    params: Mapping[str, Any]
    stems: frozenset[str]
    values: Mapping[str, frozenset[str]]
    meanings: frozenset[str]
    value_meanings: frozenset[str]


@dataclass(frozen=True, slots=True)
class Document:
    """One tool as stems, each with the weight of its best field.

    ``operation_stems`` and ``operation_meanings`` are those of all operations, ``name_stems`` and
    ``name_meanings`` those of the tool's names. ``derived`` is true for a variant of another tool,
    ``is_variant`` also for a tool with a role that most variants have. ``shares_by_term`` caches
    the result of ``operations_for``.
    """

    row: ToolRow
    names: tuple[tuple[str, ...], ...]
    stems: Mapping[str, float]
    actions: tuple[Action, ...]
    operation_stems: frozenset[str]
    operation_meanings: frozenset[str]
    name_stems: frozenset[str]
    name_meanings: frozenset[str]
    derived: bool
    is_variant: bool
    is_trigger: bool
    shares_by_term: dict[str, tuple[tuple[int, float], ...]] = field(
        default_factory=dict, compare=False, repr=False
    )

    def operations_for(self, term: str) -> tuple[tuple[int, float], ...]:
        """Returns the index and likeness of each operation that matches a term."""
        known = self.shares_by_term.get(term)
        if known is not None:
            return known
        if term not in self.operation_stems and self.operation_meanings.isdisjoint(
            synonym_groups(term)
        ):
            return ()
        shares = ((at, likeness(term, action)) for at, action in enumerate(self.actions))
        return self.shares_by_term.setdefault(
            term, tuple((at, share) for at, share in shares if share)
        )


def make_document(row: ToolRow, *, derived: bool, is_variant: bool) -> Document:
    """Returns a tool as a search document."""
    aliases = [id_tail(row.id), *(alias.rpartition(".")[0] or alias for alias in row.aliases)]
    names = {_stems(text): None for text in (row.name, *aliases)}
    actions = tuple(_make_action(operation.name, operation.params) for operation in row.operations)
    name_stems = frozenset(part for name in names for part in name)
    stems: dict[str, float] = {}
    count: Counter[str] = Counter(term for action in actions for term in action.stems)
    fields: Sequence[tuple[Iterable[str], float]] = (
        (_terms(row.name), FIELDS["name"]),
        ((term for alias in aliases for term in _terms(alias)), FIELDS["alias"]),
        ((term for word in row.keywords for term in _terms(word)), FIELDS["keyword"]),
        (_terms(row.family), FIELDS["family"]),
        (_terms(row.description), FIELDS["text"]),
        (_terms(row.category), _CATEGORY_FIELD),
        ((f"~{meaning}" for action in actions for meaning in action.meanings), _OPERATION_FIELD),
    )
    for terms, weight in fields:
        for term in terms:
            stems[term] = max(stems.get(term, 0.0), weight)
    for term, uses in count.items():
        stems[term] = max(stems.get(term, 0.0), _OPERATION_FIELD + 0.1 * min(uses, 5))
    for term in [term for term in stems if not term.startswith("~")]:
        for meaning in synonym_groups(term):
            key = f"~{meaning}"
            stems[key] = max(stems.get(key, 0.0), 0.6 * stems[term])
    return Document(
        row=row,
        names=tuple(names),
        stems=stems,
        actions=actions,
        operation_stems=frozenset(term for action in actions for term in action.stems),
        operation_meanings=frozenset(meaning for action in actions for meaning in action.meanings),
        name_stems=name_stems,
        name_meanings=frozenset(
            synonym_group for part in name_stems for synonym_group in synonym_groups(part)
        ),
        derived=derived,
        is_variant=derived or is_variant,
        is_trigger="trigger" in row.capabilities,
    )


def best_actions(
    document: Document, terms: Mapping[str, float], limit: int = 5
) -> list[tuple[float, Action]]:
    """Returns the operations that cover the terms best, each with the share covered (0 to 1).

    A synonym counts less than the word itself. Among equals, the operation with the fewest other
    words is first. Terms of the tool's own name are ignored.
    """
    total = 0.0
    covered: dict[int, float] = {}
    for term, weight in terms.items():
        if term not in document.name_stems:
            total += weight
            for at, share in document.operations_for(term):
                covered[at] = covered.get(at, 0.0) + weight * share
    ranked = []
    keys_view = terms.keys()
    for at in sorted(covered):
        if not covered[at]:
            continue
        action = document.actions[at]
        named_values = {
            value for value, parts in action.values.items() if value in terms or parts <= keys_view
        }
        spare = len(action.stems.difference(keys_view, named_values)) * 0.03
        ranked.append((covered[at] / total + len(named_values) * 0.05 - spare, action))
    ranked.sort(key=lambda ranking: -ranking[0])
    return ranked[:limit]


def likeness(term: str, action: Action) -> float:
    """Returns how well a term matches an operation: 1 for its own word, less for a synonym."""
    if term in action.stems:
        return 1.0
    groups = synonym_groups(term)
    if not groups & action.meanings:
        return 0.0
    return 0.75 if groups & action.value_meanings else 0.55


def _make_action(name: str, params: Mapping[str, Any]) -> Action:
    parameters = [str(value) for value in params.values()]
    value_stems = frozenset(term for text in parameters for term in _terms(text))
    stems = value_stems | frozenset(_terms(name))
    return Action(
        name=name,
        params=params,
        stems=stems,
        values={
            stem("".join(split_identifier(text))): frozenset(_stems(text)) for text in parameters
        },
        meanings=_collect_meanings(stems, parameters),
        value_meanings=_collect_meanings(value_stems, parameters),
    )


def _collect_meanings(stems: frozenset[str], parameters: list[str]) -> frozenset[str]:
    """Returns the synonym groups of an operation's words; verbs count only in the verb's place.

    "Delete a message" does not mean "send", although "message" alone can.
    """
    verb = next(iter(_stems(parameters[-1])), "") if parameters else ""
    rows = frozenset(row for term in stems for row in synonym_groups(term))
    return (synonym_groups(verb) & VERBS) | (rows - VERBS)


def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(part) for part in split_identifier(text))


def _terms(text: str) -> Iterable[str]:
    """Yields the stems of a text; a joined word yields itself and its parts."""
    for chunk in split_chunks(text):
        if len(chunk) > 1:
            yield stem("".join(chunk))
        for part in chunk:
            word = stem(part)
            if word not in STOPPED:
                yield word
