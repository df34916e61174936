"""What policy keeps out of a Simulink model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.pipeline import judge
from grounded_builder.setting import Setting
from tests.support.simulink import simulink_registry

REGISTRY = simulink_registry()


@pytest.mark.parametrize("denied", ["simulink/Sources/Sine Wave", "simulink/Sources/*"])
def test_a_denied_block_is_refused_even_by_its_exact_path(denied: str) -> None:
    """A path that policy denies makes no artifact, however it is named."""
    setting = replace(Setting(), policy=replace(Setting().policy, denied=(denied,)))
    plan = {"steps": [{"id": "s", "tool": "simulink/Sources/Sine Wave"}]}
    made = judge(plan, SIMULINK, REGISTRY, setting)
    assert "GB401" in [one.code for one in made.diagnostics]
    assert made.artifact is None
    assert judge(plan, SIMULINK, REGISTRY, Setting()).artifact is not None
