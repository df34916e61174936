"""Scripts build every kind of library subsystem, with any contents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.ir.options import CompileOptions
from tests.support.octave import Octave
from tests.support.simulink import simulink_registry
from tests.support.simulink_plans import step

# Each kind with what leads into its control port, and the port.
_KINDS = {
    "Atomic Subsystem": None,
    "Enabled Subsystem": ("e", "enable"),
    "Triggered Subsystem": ("e", "trigger"),
    "Function-Call Subsystem": ("call", "trigger"),
    "If Action Subsystem": ("if", "ifaction"),
    "Resettable Subsystem": ("e", "reset"),
    "For Each Subsystem": None,
}


def _plan(goal: str, *, filled: bool) -> dict[str, Any]:
    """A model with a subsystem of each kind; a gain lies in each that is ``filled``."""
    steps = [
        step("r", "Step"),
        step("e", "Step"),
        step("if", "If", "r"),
        step("call", "Function-Call Generator"),
    ]
    for number, (kind, control) in enumerate(_KINDS.items()):
        lines = [{"from": control[0], "input": control[1]}] if control else []
        steps.append(step(f"s{number}", kind, *([] if filled else ["r"]), *lines))
        if filled:
            steps.append(step(f"g{number}", "Gain", "r", **{"in": f"s{number}"}))
        last = f"g{number}" if filled else f"s{number}"
        steps.append(step(f"t{number}", "Terminator", last))
    return {"version": 1, "goal": goal, "steps": steps}


def test_every_kind_of_subsystem_is_built(tmp_path: Path) -> None:
    """Each kind is built with its control port, with and without steps, and read back."""
    registry = simulink_registry()
    plans = [_plan("filled", filled=True), _plan("plain", filled=False)]
    artifacts = []
    for plan in plans:
        made = compile_draft(plan, SIMULINK, registry, CompileOptions())
        assert made.artifact is not None, [diagnostic.message for diagnostic in made.diagnostics]
        artifacts.append(made.artifact)
    for report in Octave(tmp_path, registry).run(artifacts):
        assert report["ok"], report["errors"]
        assert not report["differences"]
