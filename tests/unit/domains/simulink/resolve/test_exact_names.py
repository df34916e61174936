"""Names in files must match exactly."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry
from tests.support.simulink_models import block, model


def _report(made: dict[str, Any], layout: str) -> list[str]:
    document = model([made]) | {"layout": layout}
    return [
        d.code
        for d in compile_draft(
            document, SIMULINK, simulink_registry(), CompileOptions()
        ).diagnostics
    ]


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (block("a", "Gian"), "GB203"),
        (block("a", "", source="simulink/Math Operations/Sliderr Gain"), "GB203"),
        (block("a", "", source="simulink/Mth Operations/Slider Gain"), "GB203"),
        (block("a", "", source="simulink/Logic and Bit Operations/Compare T Zero"), "GB203"),
        (block("a", "", source="fl_lib/Electrical/Electrical Sources/EC Voltage Source"), "GB206"),
        (block("a", "", source="ee_lib/Connectors & References/Electrical Refrence"), "GB203"),
        # What is left out here may be in another release: its words are words.
        (block("a", "", source="fl_lib/Thermal/Thermal Elements/Thermal Reluctance"), "GB206"),
        (block("a", "", source="commdigbbndpm3/GPSK Modulator Baseband"), "GB206"),
        (block("a", "", source="dspstat3/Moving Medium"), "GB206"),
        (block("a", "", source="dspstat3/ Moving Average"), "GB206"),
        (block("a", "Frobnicator"), "GB206"),
        (block("a", "", source="my_library/Gain"), "GB206"),
        (block("a", "", source="simulink/Sources/Sine Wave of 2031"), "GB206"),
    ],
)
def test_a_file_names_a_block_or_slips_or_is_not_known(made: dict[str, Any], code: str) -> None:
    """A slip is wrong, another name cannot be verified, and nothing is guessed."""
    assert code in _report(made, "slx")


def test_a_drafted_model_may_name_blocks_loosely() -> None:
    """In a draft the name of a block of another library is resolved loosely."""
    assert "GB206" not in _report(block("a", "", source="simulink/Math Operations/gain"), "plan")
