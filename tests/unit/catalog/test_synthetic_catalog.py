"""The synthetic catalog for measurements of growth is valid."""

from __future__ import annotations

import random
from pathlib import Path

from evals.bench.synthetic_catalog import TRIGGER, make_chain, make_node, write_catalog
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from grounded_builder.resolve import resolve_name
from tests.support.registries import registry_from

_TOOLS = 300


def test_names_of_the_invented_catalog_resolve_and_its_workflows_compile(tmp_path: Path) -> None:
    """Each name leads to its own tool, and a chain of drawn tools is `ok` without a diagnostic."""
    path = tmp_path / "catalog.jsonl"
    write_catalog(path, _TOOLS)
    registry = registry_from(path.read_bytes())
    assert len(registry.tools) == _TOOLS
    for row in registry.tools.values():
        resolution = resolve_name(row.name, registry)
        assert resolution.status == "resolved"
        assert resolution.tool == row.id
    draw = random.Random(3)
    rows = [row for row in registry.tools.values() if row.id != TRIGGER]
    for _ in range(10):
        chosen = draw.sample(rows, 14)
        nodes = [make_node(n, dict(registry.tool(row.id)), draw) for n, row in enumerate(chosen)]
        compilation = compile_draft(make_chain(nodes), N8N, registry, CompileOptions())
        assert compilation.verdict == "ok"
        assert not compilation.diagnostics


def test_the_invented_catalog_is_the_same_every_time(tmp_path: Path) -> None:
    """Figures of two runs are of the same bytes."""
    for name in ("first", "second"):
        write_catalog(tmp_path / name, _TOOLS)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
