"""Parses XML text into parts, within limits and without entities."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from grounded_builder.domains.simulink.read.section import Part, Room, UnreadableError
from grounded_builder.ir.rules.reading import TOO_DEEP, TOO_LARGE

# Real models are nested in fewer than 100 levels; deeper files are malicious.
DEEPEST = 400
_VALUE = "P"
_CHUNK = 65_536
# Expat buffers a tag until it is complete; no tag of a model is longer than this.
_LONGEST_TAG = 1_000_000


def read_xml(raw: bytes, name: str, room: Room | None = None) -> Part:
    """Returns the root part of XML text; ``room`` limits it together with other files.

    Raises UnreadableError, which names the file within the package.
    """
    target = _Parts(name, Room() if room is None else room)
    parser = DefusedXMLParser(target=target, forbid_dtd=True)
    try:
        for start in range(0, len(raw), _CHUNK):
            target.expect_progress(start)
            parser.feed(raw[start : start + _CHUNK])
        parser.close()
        return target.top()
    except DefusedXmlException as error:
        raise UnreadableError(f"{name} declares entities or a document type") from error
    except (ParseError, ValueError, LookupError) as error:
        raise UnreadableError(f"{name} is not well-formed XML: {error}") from error


class _Parts:
    """Builds parts from the events of the parser, and counts them.

    An element ``P`` without inner elements is a value of the surrounding part, and one with inner
    elements is a part of its own.
    """

    def __init__(self, name: str, room: Room) -> None:
        self._name = name
        self._room = room
        self._open: list[Part] = []
        self._texts: list[list[str]] = []
        self._top: Part | None = None
        self._progress = 0
        self._is_moving = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Opens an element."""
        self._is_moving = True
        if len(self._open) > DEEPEST:
            message = f"{self._name} is nested deeper than {DEEPEST} levels"
            raise UnreadableError(message, TOO_DEEP)
        self._room.take(len(attributes) or 1)
        self._open.append(Part(_plain(tag), dict(attributes)))
        self._texts.append([])

    def data(self, text: str) -> None:
        """Adds text to an element, up to its first inner element."""
        self._is_moving = True
        if self._open and not self._open[-1].has_parts:
            self._texts[-1].append(text)

    def end(self, tag: str) -> None:
        """Closes an element."""
        self._is_moving = True
        part, texts = self._open.pop(), self._texts.pop()
        part.text = "".join(texts)
        if not self._open:
            part.text = part.text.strip()
            self._top = part
            return
        around = self._open[-1]
        around.has_parts = True
        if tag == _VALUE and not part.has_parts:
            value = part.text if texts else part.own.get("Ref", "")
            around.take(part.own.get("Name", ""), value)
        else:
            around.parts.append(part)

    def close(self) -> None:
        """Ends reading."""

    def top(self) -> Part:
        """Returns the outermost part."""
        if self._top is None:
            raise ValueError("it holds no element")
        return self._top

    def expect_progress(self, position: int) -> None:
        """Rejects a tag that does not end; ``position`` is the number of bytes read."""
        if self._is_moving:
            self._progress, self._is_moving = position, False
        if position - self._progress > _LONGEST_TAG:
            message = f"{self._name} has a tag of more than {_LONGEST_TAG:,} bytes"
            raise UnreadableError(message, TOO_LARGE)


def _plain(tag: str) -> str:
    return tag.rpartition("}")[2]
