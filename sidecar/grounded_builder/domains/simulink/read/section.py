"""A part of a model file, whichever text it was written in: a tag, its values, the parts in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from grounded_builder.diagnostics import Rule
from grounded_builder.ir.rules.reading import TOO_LARGE

UNREADABLE_MODEL = Rule.wrong(
    "SLX101", "unreadable-model", "ParseError", "The file cannot be read as a model."
)


class UnreadableError(Exception):
    """A file or a part of it that cannot be read; ``rule`` is the rule that it breaks."""

    def __init__(self, message: str, rule: Rule = UNREADABLE_MODEL) -> None:
        super().__init__(message)
        self.rule = rule


# Elements and values of the largest real models, several times over; each costs about 250 bytes.
MOST_ELEMENTS = 1_000_000


@dataclass(slots=True)
class Room:
    """How many elements and values may still be read from one model file."""

    most: int = field(default_factory=lambda: MOST_ELEMENTS)
    left: int = field(init=False)

    def __post_init__(self) -> None:
        """Begins with all the room."""
        self.left = self.most

    def take(self, count: int) -> None:
        """Takes room for so many more; UnreadableError when there is none left."""
        self.left -= count
        if self.left < 0:
            message = f"the file holds more than {self.most:,} elements and values"
            raise UnreadableError(message, TOO_LARGE)


@dataclass(slots=True)
class Part:
    """``own`` are attributes and named values, ``text`` what stands between its tags.

    Of values with one name the last counts; ``repeated`` says how many were lost to that.
    ``has_parts`` says whether anything lies inside, named values included.
    """

    tag: str
    own: dict[str, str] = field(default_factory=dict)
    text: str = ""
    parts: list[Part] = field(default_factory=list)
    repeated: int = 0
    has_parts: bool = False

    def take(self, name: str, value: str) -> None:
        """Add a named value."""
        self.repeated += name in self.own and self.own[name] != value
        self.own[name] = value

    def first(self, tag: str) -> Part | None:
        """The first part with this tag directly inside."""
        return next((part for part in self.parts if part.tag == tag), None)

    def all(self, tag: str) -> Iterator[Part]:
        """The parts with this tag directly inside."""
        return (part for part in self.parts if part.tag == tag)
