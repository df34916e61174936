"""Defines the XML elements of a model file, and formats them and number rows as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

# https://www.w3.org/TR/xml/#charsets
_FOREIGN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TEXT = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;"}
_ATTRIBUTE = _TEXT | {'"': "&quot;", "\n": "&#xA;", "\t": "&#x9;"}


class UnwritableError(Exception):
    """Raised when the file layout cannot hold a model; the message is the reason."""


@dataclass(slots=True)
class Element:
    """An XML element; ``values`` become ``<P Name="...">`` in order, before ``inner``."""

    tag: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    values: list[tuple[str, str]] = field(default_factory=list)
    inner: list[Element] = field(default_factory=list)
    text: str | None = None

    def add(self, name: str, value: str) -> None:
        """Adds a named value."""
        self.values.append((name, value))


def format_element(top: Element) -> str:
    """Returns an element with all its contents as text, one value in each line."""
    lines: list[str] = ['<?xml version="1.0" encoding="utf-8"?>']
    waiting: list[Element | str] = [top]
    while waiting:
        here = waiting.pop()
        if isinstance(here, str):
            lines.append(here)
            continue
        head = f"{here.tag}{''.join(_attributes(here.attributes))}"
        if here.text is not None:
            lines.append(f"<{head}>{_escape_text(here.text, _TEXT)}</{here.tag}>")
        elif not here.values and not here.inner:
            lines.append(f"<{head}/>")
        else:
            lines.append(f"<{head}>")
            lines += [
                f'<P Name="{_escape_text(name, _ATTRIBUTE)}">{_escape_text(value, _TEXT)}</P>'
                for name, value in here.values
            ]
            waiting += [f"</{here.tag}>", *reversed(here.inner)]
    return "\n".join(lines) + "\n"


def row(numbers: list[float]) -> str:
    """Returns numbers in the notation of files: ``[10, 20, 40, 50]``."""
    return f"[{', '.join(f'{number:.15g}' for number in numbers)}]"


def _attributes(attributes: Mapping[str, str]) -> Iterator[str]:
    return (f' {name}="{_escape_text(value, _ATTRIBUTE)}"' for name, value in attributes.items())


def _escape_text(text: str, marks: Mapping[str, str]) -> str:
    foreign = _FOREIGN.search(text)
    if foreign is not None:
        raise UnwritableError(
            f"XML cannot contain U+{ord(foreign[0]):04X}, which is in {text[:40]!r}"
        )
    return "".join(marks.get(mark, mark) for mark in text)
