"""Plans limited by release, products and library get alternatives for unavailable blocks."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.ir.options import CompileOptions, Policy
from grounded_builder.ir.target import Target
from tests.support.simulink import simulink_registry

REGISTRY = simulink_registry()


def find_refusals(plan: dict[str, Any], policy: Policy | None = None) -> list[Diagnostic]:
    """What is wrong with a plan."""
    made = compile_draft(plan, SIMULINK, REGISTRY, CompileOptions(policy=policy or Policy()))
    assert (made.artifact is None) == (made.verdict == "wrong")
    return [diagnostic for diagnostic in made.diagnostics if diagnostic.rule.kind == "wrong"]


def steps(*tools: str, **more: Any) -> list[dict[str, Any]]:
    return [{"tool": tool, **more} for tool in tools]


@pytest.mark.parametrize("name", ["Playback", "simulink/Sources/Playback", "playback block"])
@pytest.mark.parametrize(
    ("plan", "policy"),
    [
        ({"release": "R2020a"}, Policy()),
        ({"constraints": {"release": "2020a"}}, Policy()),
        ({}, Policy(target=Target.of({"release": "R2020a"}))),
    ],
)
def test_a_block_that_came_later_is_not_there(
    name: str, plan: dict[str, Any], policy: Policy
) -> None:
    """A block of a later release is unavailable, with the reason and older blocks."""
    (finding,) = find_refusals({**plan, "steps": steps(name, "Scope")}, policy)
    assert (finding.code, finding.at) == ("GB204", ("steps", 0, "tool"))
    assert "it was introduced in R2022b" in finding.message
    assert finding.alternatives[0] == "simulink/Sources/From Workspace"
    later = {"steps": steps(name, "Scope"), "release": "R2022b"}
    assert find_refusals(later) == []


def test_the_release_of_a_step_comes_before_that_of_its_plan() -> None:
    """Bounds of a plan hold for steps that state none."""
    both = [*steps("Playback", release="R2024a"), *steps("Record")]
    (finding,) = find_refusals({"release": "R2019a", "steps": both})
    assert finding.at == ("steps", 1, "tool")
    assert "the release is R2019a" in finding.message


def test_alternatives_exist_in_that_release() -> None:
    """The offered alternatives are available in the release of the step."""
    (old,) = find_refusals({"release": "R2018a", "steps": steps("C Function", "Scope")})
    assert "simulink/User-Defined Functions/C Caller" not in old.alternatives
    assert "simulink/User-Defined Functions/S-Function Builder" in old.alternatives
    (new,) = find_refusals({"release": "R2019a", "steps": steps("C Function", "Scope")})
    assert new.alternatives[0] == "simulink/User-Defined Functions/C Caller"


def test_a_block_of_unknown_age_is_not_refused() -> None:
    """Unknown stays unknown."""
    assert find_refusals({"release": "R2006a", "steps": steps("Sine Wave", "Gain", "Scope")}) == []


def test_a_block_of_a_product_that_came_later_is_not_there() -> None:
    """If only the first release of a product is known, it applies to its blocks."""
    (finding,) = find_refusals({"release": "R2021a", "steps": steps("batt_lib/Cells/Battery")})
    assert "it was introduced in R2022b or later" in finding.message


def test_products_bound_a_plan() -> None:
    """A block of a product that is not listed is refused; its namesake of the base is offered."""
    plan = {"products": ["Simulink"], "steps": steps("dspsrcs4/Sine Wave", "Scope")}
    (finding,) = find_refusals(plan)
    assert "it belongs to DSP System Toolbox, which is not among the products" in finding.message
    assert finding.alternatives[0] == "simulink/Sources/Sine Wave"
    assert find_refusals({**plan, "products": ["Signal Processing Blockset"]}) == []


def test_a_name_whose_blocks_are_all_left_out_is_not_unknown() -> None:
    """The reason is reported, not that there is no such block."""
    (finding,) = find_refusals({"products": "Stateflow", "steps": steps("Resistor")})
    assert finding.code == "GB204"
    (finding,) = find_refusals({"products": "Stateflow", "steps": steps("Foo9000")})
    assert finding.code == "GB201"


def test_a_library_bounds_a_plan() -> None:
    """The library of a plan holds for all of its steps."""
    (finding,) = find_refusals({"library": "dspsrcs4", "steps": steps("Sine Wave", "Gain")})
    assert finding.at == ("steps", 1, "tool")
    assert "it does not belong to dspsrcs4" in finding.message


@pytest.mark.parametrize("text", [2019, "newest", "24.2", True])
def test_an_unknown_release_is_reported(text: object) -> None:
    """An unknown release is an error, because it would restrict nothing."""
    (finding,) = find_refusals({"release": text, "steps": steps("Sine Wave", "Scope")})
    assert finding.code == "GB111"
    assert "is not a release" in finding.message


def test_an_unknown_product_is_reported() -> None:
    """Names that no product has are reported when a block is of no listed product."""
    tool = "fl_lib/Electrical/Electrical Elements/Resistor"
    (finding,) = find_refusals({"products": ["Simulink", "Simcape"], "steps": steps(tool)})
    assert (
        'to Simscape, which is not among the products ("Simcape": not a product)' in finding.message
    )
    (finding,) = find_refusals({"products": ["Simulink", "Stateflow"], "steps": steps(tool)})
    assert finding.message.endswith("which is not among the products")
