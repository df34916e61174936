"""Thousands of malformed connections in one list take time and memory that grow with the list."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_draft, compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.support.growth import confirm_fault, find_growth_fault
from tests.support.registries import acme_registry

_REGISTRY = acme_registry()
_TARGETS: dict[str, Any] = {
    "names": ["a"],
    "without a node": [{"type": "main", "index": 0}],
    "outputs": "a",
}


def _draft(target: Any, size: int) -> dict[str, Any]:
    facts = {"type": "acme-nodes.mail", "typeVersion": 1, "position": [0, 0], "parameters": {}}
    outputs = [target] * size if isinstance(target, str) else [target * size]
    return {"nodes": [{"id": "a", "name": "a", **facts}], "connections": {"a": {"main": outputs}}}


@pytest.mark.parametrize("shape", _TARGETS)
def test_the_time_of_malformed_targets_grows_with_their_count(shape: str) -> None:
    """The fix of a list is made once."""

    def work(draft: dict[str, Any]) -> object:
        return compile_draft(draft, N8N, _REGISTRY, CompileOptions())

    make = partial(_draft, _TARGETS[shape])
    measure = partial(find_growth_fault, work, make, shortest=1_600, longest=1_600)
    assert confirm_fault(measure) == ""


def test_one_finding_of_a_list_has_its_fix() -> None:
    """The fix writes the whole list, and repeated in each finding it would take gigabytes."""
    compilation = compile_draft(_draft(["a"], 20), N8N, _REGISTRY, CompileOptions())
    malformed = [d for d in compilation.diagnostics if d.code == "N8N104"]
    assert [d.fix is not None for d in malformed] == [True] + [False] * 19
    fixed = compile_with_fixes(_draft(["a"], 20), N8N, _REGISTRY, CompileOptions())
    assert "N8N104" not in [d.code for d in fixed.diagnostics]
