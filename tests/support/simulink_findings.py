"""Lists the errors in a Simulink model, by code."""

from __future__ import annotations

from typing import Any

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry
from tests.support.simulink_models import Model, block, model


def list_errors(document: Model, layout: str = "slx") -> list[str]:
    """Returns the codes of the errors in a file."""
    compilation = compile_draft(
        document | {"layout": layout}, SIMULINK, simulink_registry(), CompileOptions()
    )
    return [
        diagnostic.code for diagnostic in compilation.diagnostics if diagnostic.rule.kind == "wrong"
    ]


def make_one_block_model(kind: str, **given: Any) -> Model:
    """Returns a model of one block."""
    return model([block("b", kind, **given)])
