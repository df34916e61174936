"""Large models take time in proportion."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.ir.options import CompileOptions
from tests.support.growth import find_growth_fault
from tests.support.simulink import simulink_registry
from tests.support.simulink_models import block, model, system

_INSIDE = 97


def _chain(parts: int) -> dict[str, Any]:
    """Subsystems one behind another, each of a hundred blocks that a tag leads into."""
    blocks, lines, before = [block("source", "Constant")], [], "source"
    for part in range(parts):
        names = [f"p{part}b{index}" for index in range(_INSIDE)]
        kinds = ("Gain", "UnitDelay", "Abs", "Sum")
        inner = [block(name, kinds[at % 4], Inputs="+") for at, name in enumerate(names)]
        ends = [block(f"p{part}i", "Inport"), block(f"p{part}o", "Outport")]
        way = [f"p{part}i", *names, f"p{part}o"]
        joined = [f"{a} -> {b}" for a, b in pairwise(way)]
        blocks.append(block(f"p{part}", "SubSystem", system([*inner, *ends], *joined)))
        lines.append(f"{before} -> p{part}")
        before = f"p{part}"
    return model(blocks, *lines) | {"layout": "slx"}


def _check(document: dict[str, Any]) -> None:
    compiled = compile_draft(document, SIMULINK, simulink_registry(), CompileOptions())
    assert compiled.verdict == "ok"


def test_four_times_the_blocks_take_about_four_times_as_long() -> None:
    """The time of the checks grows no faster than the model."""
    assert not find_growth_fault(_check, _chain, shortest=60, longest=60)
