"""Defines a part of a model file (tag, values, inner parts), and limits how much is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from grounded_builder.diagnostics import Rule
from grounded_builder.ir.rules.reading import TOO_LARGE

UNREADABLE_MODEL = Rule.wrong(
    "SLX101", "unreadable-model", "ParseError", "The file cannot be read as a model."
)


class UnreadableError(Exception):
    """Raised when a file or part cannot be read; ``rule`` is the broken rule."""

    def __init__(self, message: str, rule: Rule = UNREADABLE_MODEL) -> None:
        super().__init__(message)
        self.rule = rule


# Several times the elements and values of the largest real models; each takes about 250 bytes.
MOST_ELEMENTS = 1_000_000


@dataclass(slots=True)
class Room:
    """Counts the elements and values that may still be read from one model file."""

    most: int = field(default_factory=lambda: MOST_ELEMENTS)
    left: int = field(init=False)

    def __post_init__(self) -> None:
        """Begins with all the room."""
        self.left = self.most

    def take(self, count: int) -> None:
        """Counts elements; raises UnreadableError when none are left."""
        self.left -= count
        if self.left < 0:
            message = f"the file holds more than {self.most:,} elements and values"
            raise UnreadableError(message, TOO_LARGE)


@dataclass(slots=True)
class Part:
    """A part of a file; ``own`` are its attributes and named values, ``text`` is its inner text.

    Of values with one name the last counts. ``has_parts`` is true where the part contains any
    element, including named values.
    """

    tag: str
    own: dict[str, str] = field(default_factory=dict)
    text: str = ""
    parts: list[Part] = field(default_factory=list)
    has_parts: bool = False

    def take(self, name: str, value: str) -> None:
        """Adds a named value."""
        self.own[name] = value

    def first(self, tag: str) -> Part | None:
        """Returns the first direct part with this tag."""
        return next((part for part in self.parts if part.tag == tag), None)

    def all(self, tag: str) -> Iterator[Part]:
        """Yields the direct parts with this tag."""
        return (part for part in self.parts if part.tag == tag)
