"""What a definition says against itself: a schema that is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.domains.tools.catalog.compile_tool import compile_tool


def contradictions(tool: Mapping[str, Any]) -> Iterator[str]:
    """One line where the arguments of a tool cannot be judged by its schema."""
    for variant in tool["variants"]:
        spec = compile_tool(tool, variant["versions"][0])
        if spec.unjudged:
            yield f"{tool['id']}: arguments are not checked: {spec.unjudged}"
        unknown = [name for name in spec.required if spec.names and name not in spec.names]
        if unknown:
            yield f"{tool['id']}: it requires {', '.join(unknown)}, which it does not declare"
