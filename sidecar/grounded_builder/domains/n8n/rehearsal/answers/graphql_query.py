"""Reads a GraphQL request into the fields that it selects, without a schema of the service.

The grammar is that of the public specification (https://spec.graphql.org/October2021/).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_MAX_TEXT = 200_000
_MAX_TOKENS = 20_000
_DEEPEST = 20
_TOKEN = re.compile(
    r'[A-Za-z_]\w*|\.\.\.|-?\d[\d.eE+-]*|"""|"(?:[^"\\\n]|\\.)*"?|#[^\n]*|[{}()\[\]:=@$!|&]'
)
_OPERATIONS = ("query", "mutation", "subscription")
_PLAIN: Mapping[str, Any] = {"true": True, "false": False, "null": None}


class _SyntaxError(ValueError):
    """The text is no GraphQL."""


@dataclass(frozen=True, slots=True)
class Selection:
    """A selected field: the name of the result, that of the schema, its arguments and fields."""

    alias: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    fields: Sequence[Selection] = ()


def read_selections(query: str, variables: Mapping[str, Any]) -> Sequence[Selection] | None:
    """Returns the fields that the first operation selects, None for a text that is no GraphQL."""
    if len(query) > _MAX_TEXT:
        return None
    try:
        return _Reader(list(_list_tokens(query)), variables).read()
    except (_SyntaxError, IndexError):
        return None


def _list_tokens(text: str) -> Iterator[str]:
    """Yields names, numbers, texts and signs; a text in three quotes is one plain text."""
    at = count = 0
    while (match := _TOKEN.search(text, at)) is not None:
        word, at = match[0], match.end()
        if word == '"""':
            end = text.find('"""', at)
            end = len(text) if end < 0 else end
            word, at = json.dumps(text[at:end]), end + 3
        if word[0] != "#":
            count += 1
            if count > _MAX_TOKENS:
                raise _SyntaxError
            yield word


class _Reader:
    """Reads the tokens of a document once, from the first to the last."""

    def __init__(self, tokens: list[str], variables: Mapping[str, Any]) -> None:
        self._tokens = tokens
        self._at = 0
        self._variables = variables
        self._fragments: dict[str, list[Selection | str]] = {}
        self._expanded = 0

    def read(self) -> Sequence[Selection] | None:
        operations = []
        while self._at < len(self._tokens):
            word = self._peek()
            if word == "fragment":
                name = self._tokens[self._at + 1]
                self._skip_to("{")
                self._fragments[name] = self._read_fields(0)
            elif word == "{" or word in _OPERATIONS:
                self._skip_to("{")
                operations.append(self._read_fields(0))
            else:
                raise _SyntaxError
        return tuple(self._expand(operations[0], 0)) if operations else None

    def _peek(self) -> str:
        return self._tokens[self._at]

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _expect(self, token: str) -> None:
        if self._take() != token:
            raise _SyntaxError

    def _skip_to(self, token: str) -> None:
        """Goes on to a sign outside of parentheses: default values may have braces."""
        depth = 0
        while depth or self._peek() != token:
            word = self._take()
            depth += (word == "(") - (word == ")")

    def _read_fields(self, depth: int) -> list[Selection | str]:
        """Reads the fields in braces; a text is the name of a fragment."""
        if depth > _DEEPEST:
            raise _SyntaxError
        self._expect("{")
        found: list[Selection | str] = []
        while self._peek() != "}":
            if self._peek() == "...":
                self._take()
                if self._peek() in ("on", "{", "@"):
                    self._skip_to("{")
                    found.extend(self._read_fields(depth + 1))
                else:
                    found.append(self._take())
                    self._skip_directives()
            else:
                found.append(self._read_field(depth))
        self._expect("}")
        return found

    def _read_field(self, depth: int) -> Selection:
        alias = name = self._take()
        if not name[0].isalpha() and name[0] != "_":
            raise _SyntaxError
        if self._peek() == ":":
            self._take()
            name = self._take()
        arguments = self._read_arguments(depth) if self._peek() == "(" else {}
        self._skip_directives()
        fields = self._read_fields(depth + 1) if self._peek() == "{" else ()
        return Selection(alias, name, arguments, fields)  # type: ignore[arg-type] # expanded later

    def _skip_directives(self) -> None:
        while self._peek() == "@":
            self._at += 2
            if self._peek() == "(":
                self._read_arguments(0)

    def _read_arguments(self, depth: int) -> Mapping[str, Any]:
        self._expect("(")
        return self._read_pairs(")", depth)

    def _read_pairs(self, end: str, depth: int) -> Mapping[str, Any]:
        pairs: dict[str, Any] = {}
        while self._peek() != end:
            name = self._take()
            self._expect(":")
            pairs[name] = self._read_value(depth + 1)
        self._expect(end)
        return pairs

    def _read_value(self, depth: int) -> Any:
        if depth > _DEEPEST:
            raise _SyntaxError
        word = self._take()
        if word == "$":
            return self._variables.get(self._take())
        if word == "{":
            return self._read_pairs("}", depth)
        if word == "[":
            items = []
            while self._peek() != "]":
                items.append(self._read_value(depth + 1))
            self._expect("]")
            return items
        if word in _PLAIN:
            return _PLAIN[word]
        try:
            return json.loads(word)
        except (ValueError, RecursionError):
            return word

    def _expand(self, fields: Sequence[Selection | str], depth: int) -> Iterator[Selection]:
        """Yields the fields with those of their fragments."""
        if depth > _DEEPEST:
            raise _SyntaxError
        for item in fields:
            self._expanded += 1
            if self._expanded > _MAX_TOKENS:
                raise _SyntaxError
            if isinstance(item, str):
                yield from self._expand(self._fragments.get(item, ()), depth + 1)
            else:
                inner = tuple(self._expand(item.fields, depth + 1))
                yield Selection(item.alias, item.name, item.arguments, inner)
