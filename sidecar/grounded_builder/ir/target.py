"""Defines the target: the options that describe a user's installation, and their stated values.

The core passes these values from settings, plans, constraints and queries to the domain, which
alone interprets them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics.json_kind import name_json_kind

Value = str | tuple[str, ...]
_MAX_QUOTE_CHARS = 40


@dataclass(frozen=True, slots=True)
class Target:
    """The stated facts about an installation: pairs of option and value, sorted by option."""

    stated: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def of(cls, values: Mapping[str, str | Iterable[str]]) -> Target:
        """Returns the target with these values; empty values are left out."""
        pairs = ((name, _value(value)) for name, value in values.items())
        return cls(tuple(sorted((name, value) for name, value in pairs if value)))

    def text(self, name: str) -> str:
        """Returns the value of an option that has one text, "" if it is not stated."""
        value = dict(self.stated).get(name, "")
        return value if isinstance(value, str) else ""

    def names(self, name: str) -> tuple[str, ...]:
        """Returns the value of an option that has a list of names, () if it is not stated."""
        value = dict(self.stated).get(name, ())
        return () if isinstance(value, str) else value

    def over(self, other: Target) -> Target:
        """Returns both targets combined; values of this one replace those of the other."""
        if not other.stated:
            return self
        return Target(tuple(sorted({**dict(other.stated), **dict(self.stated)}.items())))

    def as_json(self) -> dict[str, str | list[str]]:
        """Returns the values by option, with the names of each list in sorted order."""
        return {
            name: value if isinstance(value, str) else sorted(value) for name, value in self.stated
        }


NO_TARGET = Target()
"""A target without any stated fact."""


class TargetError(ValueError):
    """A value is invalid for an option; the message quotes it."""


@dataclass(frozen=True, slots=True)
class TargetOption:
    """One fact that can be stated about an installation.

    ``name`` is its key in plans, constraints, queries and configuration files, the option of
    commands and, after ``GROUNDED_``, the variable of the environment. ``expects`` completes "...,
    not", and ``is_valid`` returns whether a text is valid; the value of an option that ``is_list``
    is any list of names. ``help`` is a line for commands.
    """

    name: str
    help: str
    is_list: bool = False
    expects: str = "a list of names"
    is_valid: Callable[[str], bool] | None = None

    def read_text(self, text: str, label: str) -> Value:
        """Returns the value in a text with commas between names; raises as ``read``."""
        return self.read(text.split(",") if self.is_list else text, label)

    def read(self, given: Any, label: str) -> Value:
        """Returns the given value; raises TargetError with its label if it is invalid.

        None and empty texts state nothing.
        """
        listed = given if self.is_list and isinstance(given, list | tuple) else [given]
        readable = str if self.is_list else str | int | float
        if given is not None and not all(isinstance(item, readable) for item in listed):
            raise TargetError(f"{label} is {name_json_kind(given)}, not {self.expects}")
        value = self.read_loosely(given)
        if isinstance(value, str) and value and not (self.is_valid is None or self.is_valid(value)):
            raise TargetError(f'{label} is "{value[:_MAX_QUOTE_CHARS]}", not {self.expects}')
        return value

    def read_loosely(self, given: Any) -> Value:
        """Returns the value as written, valid or not; "" or () if it cannot be read."""
        if self.is_list:
            listed = given if isinstance(given, list | tuple) else [given]
            names = (item.strip() for item in listed if isinstance(item, str))
            return tuple(dict.fromkeys(name for name in names if name))
        return str(given).strip() if isinstance(given, str | int | float) else ""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A constraint of a domain that excludes several tools at once.

    ``name`` is its key among the constraints, and its value is a list of names. ``tools`` returns
    the ids of the tools that names exclude; ``phrase`` names them in prompts, where ``{name}`` is
    one of the names.
    """

    name: str
    tools: Callable[[Sequence[str], Registry], Iterable[str]]
    phrase: str = "{name}"


def _value(value: str | Iterable[str]) -> Value:
    return value if isinstance(value, str) else tuple(value)
