"""XML text to parts, within bounds and without entities."""

from __future__ import annotations

from xml.etree.ElementTree import ParseError

from defusedxml import ElementTree as SafeTree
from defusedxml.common import DefusedXmlException

from grounded_builder.domains.simulink.reading.part import Part, UnreadableError

# Real models nest below 100 levels; what is deeper is made to hurt.
DEEPEST = 400
_VALUE = "P"


def read_xml(raw: bytes, name: str) -> Part:
    """The root part of XML text; UnreadableError names the file within the package."""
    try:
        root = SafeTree.fromstring(raw, forbid_dtd=True)
    except DefusedXmlException as error:
        raise UnreadableError(f"{name} declares entities or a document type") from error
    except (ParseError, ValueError, LookupError) as error:
        raise UnreadableError(f"{name} is not well-formed XML: {error}") from error
    top = Part(_plain(root.tag), dict(root.attrib), (root.text or "").strip())
    level = [(root, top)]
    for _ in range(DEEPEST):
        if not level:
            return top
        below = []
        for element, part in level:
            for child in element:
                if child.tag == _VALUE and not len(child):
                    attributes = child.attrib
                    part.take(attributes.get("Name", ""), _value(child.text, attributes))
                    continue
                inner = Part(_plain(child.tag), dict(child.attrib), child.text or "")
                part.parts.append(inner)
                below.append((child, inner))
        level = below
    raise UnreadableError(f"{name} is nested deeper than {DEEPEST} levels", "GB105")


def _value(text: str | None, attributes: dict[str, str]) -> str:
    """The text of a value, or what it refers to where it is kept in another file."""
    return text if text is not None else attributes.get("Ref", "")


def _plain(tag: str) -> str:
    return tag.rpartition("}")[2]
