"""Lists the reasons why the arguments of a tool definition cannot be checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.domains.tools.catalog.compile_tool import compile_tool


def find_contradictions(tool: Mapping[str, Any]) -> Iterator[str]:
    """Yields one line for each reason why the arguments of a tool cannot be checked."""
    for variant in tool["variants"]:
        spec = compile_tool(tool, variant["versions"][0])
        if spec.unchecked_reason:
            yield f"{tool['id']}: arguments are not checked: {spec.unchecked_reason}"
        unknown = [name for name in spec.required if spec.names and name not in spec.names]
        if unknown:
            yield f"{tool['id']}: it requires {', '.join(unknown)}, which it does not declare"
