"""The installation that artifacts are made for, as far as a domain lets people describe it.

The core carries these values from settings, plans, constraints and questions to the domain, which
alone knows what they mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics.json_kind import kind_in_words

Value = str | tuple[str, ...]
_LONGEST_QUOTE = 40


@dataclass(frozen=True, slots=True)
class Target:
    """What is stated of an installation: pairs of an option and its value, sorted by option."""

    stated: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def of(cls, values: Mapping[str, str | Iterable[str]]) -> Target:
        """Returns the target of these values; empty ones state nothing."""
        pairs = ((name, _value(value)) for name, value in values.items())
        return cls(tuple(sorted((name, value) for name, value in pairs if value)))

    def text(self, name: str) -> str:
        """Returns the value of an option with one text, empty where it is not stated."""
        value = dict(self.stated).get(name, "")
        return value if isinstance(value, str) else ""

    def names(self, name: str) -> tuple[str, ...]:
        """Returns the value of an option with a list of names, empty where it is not stated."""
        value = dict(self.stated).get(name, ())
        return () if isinstance(value, str) else value

    def over(self, other: Target) -> Target:
        """Returns both; what this one states replaces what the other states of the same option."""
        if not other.stated:
            return self
        return Target(tuple(sorted({**dict(other.stated), **dict(self.stated)}.items())))

    def as_json(self) -> dict[str, str | list[str]]:
        """Returns the values by their options, the names of a list in order of the alphabet."""
        return {
            name: value if isinstance(value, str) else sorted(value) for name, value in self.stated
        }


NO_TARGET = Target()
"""The target of which nothing is stated."""


class TargetError(ValueError):
    """A value that an option cannot have; the message quotes it."""


@dataclass(frozen=True, slots=True)
class TargetOption:
    """One thing that can be stated of an installation.

    ``name`` is its key in plans, constraints, questions and configuration files, the option of
    commands and, after ``GROUNDED_``, the variable of the environment. ``expects`` completes
    "..., not", and ``is_valid`` says whether a text is what is expected; the value of an option
    that ``is_list`` is any list of names. ``help`` is a line for commands.
    """

    name: str
    help: str
    is_list: bool = False
    expects: str = "a list of names"
    is_valid: Callable[[str], bool] | None = None

    def read_text(self, text: str, label: str) -> Value:
        """Returns the value in a text, where commas separate names; TargetError as ``read``."""
        return self.read(text.split(",") if self.is_list else text, label)

    def read(self, given: Any, label: str) -> Value:
        """Returns the value that is given; TargetError where there is another, by its label.

        None and empty texts state nothing.
        """
        listed = given if self.is_list and isinstance(given, list | tuple) else [given]
        readable = str if self.is_list else str | int | float
        if given is not None and not all(isinstance(item, readable) for item in listed):
            raise TargetError(f"{label} is {kind_in_words(given)}, not {self.expects}")
        value = self.read_loosely(given)
        if isinstance(value, str) and value and not (self.is_valid is None or self.is_valid(value)):
            raise TargetError(f'{label} is "{value[:_LONGEST_QUOTE]}", not {self.expects}')
        return value

    def read_loosely(self, given: Any) -> Value:
        """Returns the value as it is written, valid or not; empty where nothing can be read."""
        if self.is_list:
            listed = given if isinstance(given, list | tuple) else [given]
            names = (item.strip() for item in listed if isinstance(item, str))
            return tuple(dict.fromkeys(name for name in names if name))
        return str(given).strip() if isinstance(given, str | int | float) else ""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A constraint of a domain by which a request excludes tools together.

    ``name`` is its key among the constraints, and its value is a list of names. ``tools`` returns
    the ids of the tools that names exclude; ``phrase`` names them in prompts, where ``{name}`` is
    one of the names.
    """

    name: str
    tools: Callable[[Sequence[str], Registry], Iterable[str]]
    phrase: str = "{name}"


def _value(value: str | Iterable[str]) -> Value:
    return value if isinstance(value, str) else tuple(value)
