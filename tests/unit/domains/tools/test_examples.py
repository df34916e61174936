"""The examples of the documentation work as described."""

from __future__ import annotations

import json
from pathlib import Path

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.tools.domain import TOOLS
from grounded_builder.ir.options import CompileOptions
from tests.support.tool_lists import make_tool_registry

EXAMPLES = Path(__file__).parents[4] / "examples" / "tools"


def test_the_plan_compiles_and_the_invented_one_is_blocked() -> None:
    """One draft has no finding; for the other both names are reported with the right tool."""
    registry = make_tool_registry(json.loads((EXAMPLES / "tools.json").read_text("utf-8")))
    right = compile_draft((EXAMPLES / "plan.json").read_bytes(), TOOLS, registry, CompileOptions())
    wrong = compile_draft(
        (EXAMPLES / "invented.json").read_bytes(), TOOLS, registry, CompileOptions()
    )
    assert (right.verdict, right.diagnostics) == ("ok", ())
    assert right.artifact is not None
    assert [call["depends_on"] for call in right.artifact["calls"]] == [[], ["step_1"], ["step_2"]]
    assert wrong.artifact is None
    assert [diagnostic.token for diagnostic in wrong.diagnostics] == ["create_folder", "move_files"]
    assert all("organize_files" in diagnostic.alternatives for diagnostic in wrong.diagnostics)
