"""The shape of a workflow: its edges, and what they have to make of the nodes together."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.answers import check_answers
from grounded_builder.domains.n8n.edges import check_edges
from grounded_builder.domains.n8n.starts import check_starts
from grounded_builder.domains.n8n.wiring import wired
from grounded_builder.graph import Resolved
from grounded_builder.registry.registry import Registry
from grounded_builder.setting import Setting


def check(resolved: Resolved, registry: Registry, setting: Setting) -> Iterator[Diagnostic]:
    """Judge the edges one by one, then what starts, follows, loops and answers."""
    del registry
    wiring = wired(resolved)
    yield from check_edges(resolved, wiring)
    yield from check_starts(resolved, setting, wiring)
    yield from check_answers(resolved, wiring)
