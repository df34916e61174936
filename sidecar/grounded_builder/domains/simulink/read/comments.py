"""Reads diagram notes and block descriptions, where people write which findings to ignore."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grounded_builder.domains.simulink.read.document import block_path, systems
from grounded_builder.domains.simulink.read.graph import read
from grounded_builder.ir.domain import Comment


def comments(document: Any) -> Iterator[Comment]:
    """Yields every note; a note in the outermost diagram is about the whole model."""
    if read(document).graph is None:
        return
    for route, path, system in systems(document):
        for note in system.get("annotations", ()):
            owner = block_path(path) if path else None
            yield Comment(route[:-1] if path else (), str(note.get("text", "")), owner)
        for index, block in enumerate(system["blocks"]):
            text = block.get("properties", {}).get("Description")
            if text:
                here = (*route, "blocks", index)
                yield Comment(here, text, block_path((*path, block["name"])))
