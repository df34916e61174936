"""Corrects the form of answers by the failure of the node that could not read them.

A request does not state whether its answer is a list or an object. A node of n8n is made for the
real answers, so its failure to read an invented one tells the form: where it goes through the
answer as a list, the answer is one. The texts of the failures are those of the JavaScript engine
V8.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from grounded_builder.domains.n8n.rehearsal.exchange import Exchange, Request
from grounded_builder.domains.n8n.trial.expected_fields import Shape

GUESSED = ("n8n's output schema", "the fields that are read")
"""The beginnings of the sources of answers whose form is not known."""

_NOT_ITERABLE = re.compile(r"(?<![\w$.)])(?P<what>[\w$.]{1,100}) is not iterable")
_NO_METHOD = re.compile(
    r"(?<![\w$.)])(?P<what>[\w$.]{1,100})"
    r"\.(?:concat|every|filter|find|flatMap|forEach|join|map|reduce|slice|some|sort)"
    r" is not a function"
)
_MOST = 20


@dataclass(frozen=True, slots=True)
class AnswerForms:
    """What is known of the forms of answers from earlier runs.

    ``lists`` are requests whose answer is a list, ``fields`` pairs of a request and a field that is
    a list. ``names`` are fields that the workflow's own code goes through as lists.
    """

    lists: frozenset[str] = frozenset()
    fields: frozenset[tuple[str, str]] = frozenset()
    names: frozenset[str] = frozenset()

    def list_fields(self, request: Request) -> Iterator[str]:
        """Yields the fields of the answer that are lists."""
        key = key_of(request)
        yield from sorted(name for place, name in self.fields if place == key)

    @property
    def count(self) -> int:
        """The number of corrections."""
        return len(self.lists) + len(self.fields) + len(self.names)


def key_of(request: Request) -> str:
    """Returns the method, host and path, to which answers have one form."""
    return f"{request.method} {request.host}{request.parts.path}"


def correct_forms(
    forms: AnswerForms, message: str, last: Exchange | None, shapes: Mapping[str, Shape]
) -> AnswerForms | None:
    """Returns the forms with what a failure tells, None where it tells nothing new.

    ``last`` is the last exchange of the node that failed; without one its own code failed.
    """
    match = _NOT_ITERABLE.search(message) or _NO_METHOD.search(message)
    if match is None or forms.count >= _MOST:
        return None
    variable, _, field = match["what"].rpartition(".")
    if last is None:
        known = any(_has_plain_field(shape, field, 0) for shape in shapes.values())
        corrected = replace(forms, names=forms.names | {field}) if known else forms
    elif not last.answer.source.startswith(GUESSED):
        return None
    elif variable:
        corrected = replace(forms, fields=forms.fields | {(key_of(last.request), field)})
    else:
        corrected = replace(forms, lists=forms.lists | {key_of(last.request)})
    return None if corrected == forms else corrected


def list_named_fields(shape: Shape, names: frozenset[str]) -> None:
    """Makes the fields with these names lists, wherever the shape has them."""
    for name, field in shape.fields.items():
        if name in names and not field.fields:
            field.kind = "list"
        list_named_fields(field, names)
    if shape.item is not None:
        list_named_fields(shape.item, names)


def _has_plain_field(shape: Shape, name: str, depth: int) -> bool:
    if depth > _MOST:
        return False
    own = shape.fields.get(name)
    if own is not None and not own.fields and own.item is None and own.kind != "list":
        return True
    inner = (*shape.fields.values(), *((shape.item,) if shape.item is not None else ()))
    return any(_has_plain_field(field, name, depth + 1) for field in inner)
