"""How many steps a plan may have."""

from __future__ import annotations

import pytest

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions, Limits
from tests.support import catalogs
from tests.support.registries import registry_from


@pytest.mark.parametrize(
    ("limits", "most"), [(Limits(), 10_000), (Limits(nodes=20), 20), (Limits(steps=30), 30)]
)
def test_a_plan_of_too_many_steps_is_too_large(limits: Limits, most: int) -> None:
    """It is refused before its steps are resolved, and the message names both numbers."""
    plan = {"steps": [{"id": f"s{number}", "tool": "Acme Mail"} for number in range(most + 1)]}
    registry = registry_from(catalogs.acme_bytes())
    compilation = compile_draft(plan, N8N, registry, CompileOptions(limits=limits))
    excess = [finding for finding in compilation.diagnostics if finding.code == "GB104"]
    message = f"the plan has {most + 1:,} steps, the limit is {most:,}"
    assert [finding.message for finding in excess] == [message]
    assert compilation.artifact is None
