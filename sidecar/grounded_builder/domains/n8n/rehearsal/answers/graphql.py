"""Answers GraphQL requests with the fields that they select.

Lists are told by the field's name, since a request says nothing of types: ``nodes``, ``edges`` and
``pageInfo`` are those of the Relay connections (https://relay.dev/graphql/connections.htm), and
other names in the plural are lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from grounded_builder.domains.n8n.rehearsal.answers.examples import text_of, words_of
from grounded_builder.domains.n8n.rehearsal.answers.graphql_query import Selection, read_selections
from grounded_builder.domains.n8n.rehearsal.answers.question import Question

_KEYS = frozenset({"query", "variables", "operationName", "extensions"})
_CONNECTION = frozenset({"nodes", "edges", "pageInfo"})
_ITEMS = 2
_MOST_FIELDS = 5_000
_DEEPEST = 6
# Lists of faults, which are empty where nothing fails.
_FAULTS = frozenset({"errors", "userErrors"})
_SINGULAR_ENDINGS = ("ss", "us", "is")


def answer_graphql(question: Question, next_number: Callable[[], int]) -> Mapping[str, Any] | None:
    """Returns the body of the answer to a GraphQL request, None for another request."""
    fields = question.fields
    query, variables = fields.get("query"), fields.get("variables")
    if not isinstance(query, str) or not fields.keys() <= _KEYS or "{" not in query:
        return None
    known = variables if isinstance(variables, Mapping) else {}
    selections = read_selections(query, known)
    if selections is None:
        return None
    sent = dict(_list_scalars(known, 0))
    return {"data": _Writer(next_number).write(selections, sent, next_number())}


class _Writer:
    """Writes the values of selected fields, a bounded number of them."""

    def __init__(self, next_number: Callable[[], int]) -> None:
        self._next_number = next_number
        self._count = 0

    def write(
        self, selections: Sequence[Selection], sent: Mapping[str, Any], number: int
    ) -> dict[str, Any]:
        """Returns an object; a field of a name that was ``sent`` has the value that was."""
        result: dict[str, Any] = {}
        for selection in selections:
            self._count += 1
            if self._count > _MOST_FIELDS:
                break
            own = {**sent, **dict(_list_scalars(selection.arguments, 0))}
            result[selection.alias] = self._value_of(selection, own, number)
        return result

    def _value_of(self, selection: Selection, sent: Mapping[str, Any], number: int) -> Any:
        name = selection.name
        if not selection.fields:
            return _scalar_of(name, sent, number)
        if name in _FAULTS:
            return []
        if _is_list(selection):
            # The values that were sent belong to one object, and each item is another.
            items = {key: value for key, value in sent.items() if key not in ("id", "ids")}
            numbers = [self._next_number() for _ in range(_ITEMS)]
            return [self.write(selection.fields, items, number) for number in numbers]
        return self.write(selection.fields, sent, number)


def _is_list(selection: Selection) -> bool:
    if selection.name in ("nodes", "edges"):
        return True
    if selection.name == "pageInfo" or _CONNECTION & {item.name for item in selection.fields}:
        return False
    last = (words_of(selection.name) or [""])[-1]
    return last.endswith("s") and not last.endswith(_SINGULAR_ENDINGS)


def _scalar_of(name: str, sent: Mapping[str, Any], number: int) -> Any:
    if name in ("hasNextPage", "hasPreviousPage"):
        return False
    if name in ("endCursor", "startCursor", "cursor"):
        return None
    if name in sent:
        return sent[name]
    words = words_of(name)
    if name == "success" or (words and words[0] in ("is", "has", "can")):
        return name == "success"
    if words and words[-1] in ("count", "total", "number"):
        return number
    return text_of(name, number)


def _list_scalars(value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Yields the plain values in arguments with their names."""
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        return
    for name, item in value.items():
        if isinstance(item, str | int | float | bool):
            yield name, item
        else:
            yield from _list_scalars(item, depth + 1)
