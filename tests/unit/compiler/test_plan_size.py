"""How many steps a plan may have, and how the time of compiling grows with them."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_draft, compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions, Limits
from tests.support import catalogs
from tests.support.growth import confirm_fault, find_growth_fault
from tests.support.registries import registry_from

pytestmark = pytest.mark.long


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


_MAIL = "acme-nodes.mail"


def _step(shape: str, number: int) -> dict[str, Any]:
    step: dict[str, Any] = {"id": f"s{number}"}
    before = [f"s{number - 1}"] if number else []
    if shape == "different unknown names":
        return {**step, "tool": f"t{number}"}
    if shape == "one unknown name":
        return {**step, "tool": "Blorf"}
    if shape == "known names between unknown ones":
        return {**step, "tool": _MAIL if number % 2 else f"send mail {number}"}
    if shape == "one name":
        return {**step, "tool": _MAIL, "inputs": before}
    if shape == "sub-nodes of one step":
        return {**step, "tool": _MAIL, "for": "s0", "role": "ai_tool"} if number else step
    if shape == "sub-nodes of no step":
        return {**step, "tool": _MAIL, "role": "ai_tool"}
    return {**step, "tool": _MAIL, "inputs": [*before, {"from": f"s{number + 1}", "back": True}]}


@pytest.mark.parametrize(
    "shape",
    [
        "different unknown names",
        "one unknown name",
        "known names between unknown ones",
        "one name",
        "sub-nodes of one step",
        "sub-nodes of no step",
        "loops",
    ],
)
def test_the_time_of_a_plan_grows_with_its_steps(shape: str) -> None:
    """Twice the steps take about twice the time, whatever is wrong with them."""
    registry = registry_from(catalogs.acme_bytes())

    def make(size: int) -> dict[str, Any]:
        return {"steps": [_step(shape, number) for number in range(size)]}

    def compile_plan(plan: dict[str, Any]) -> object:
        return compile_with_fixes(plan, N8N, registry, CompileOptions())

    compile_plan(make(10))
    measure = partial(find_growth_fault, compile_plan, make, shortest=2_000, longest=2_000)
    assert confirm_fault(measure) == ""
