"""Hostile drafts: no text of a draft reaches a model as code."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry

ATTACKS = [
    "system('dir')",
    "!rm -rf .",
    "1; system('dir')",
    "1\nsystem('dir')",
    "eval('x')",
    "[system('dir')]",
    "{evalin('base','x')}",
    "@()system('dir')",
    "ones(1e9)",
    "quit",
    "%{\nsystem('dir')\n%}",
    "java.lang.System.exit(0)",
    "x'); system('dir'); ('",
]
PLACES = [
    ("Gain", "Gain"),
    ("Constant", "Value"),
    ("Fcn", "Expr"),
    ("Interpreted MATLAB Function", "MATLABFcn"),
    ("S-Function", "FunctionName"),
    ("S-Function", "Parameters"),
    ("Gain", "SampleTime"),
    ("Gain", "InitFcn"),
    ("Gain", "OpenFcn"),
    ("dspstat3/Median", "anything"),
    ("Relational Operator", "Operator"),
    ("Saturation", "ZeroCross"),
]


@pytest.mark.parametrize(("tool", "name"), PLACES)
def test_hostile_value_is_rejected(tool: str, name: str) -> None:
    """No hostile value of a parameter reaches the model."""
    for attack in ATTACKS:
        plan = {"steps": [{"tool": tool, "params": {name: attack}}]}
        made = compile_with_fixes(plan, SIMULINK, simulink_registry(), CompileOptions())
        assert made.artifact is None or not _holds(made.artifact["model"], attack), attack


def test_a_drafted_model_is_held_to_the_same() -> None:
    """A native model that somebody drafted takes no attack either, in callbacks or masks."""
    for attack in ATTACKS:
        block: dict[str, Any] = {
            "sid": "1",
            "name": "Gain",
            "type": "Gain",
            "source": "simulink/Math Operations/Gain",
            "parameters": {"Gain": attack, "Unheard": attack},
            "properties": {"InitFcn": attack},
        }
        system = {"blocks": [block], "lines": []}
        model = {"simulink": 1, "kind": "model", "name": "m", "layout": "plan", "system": system}
        assert (
            compile_with_fixes(model, SIMULINK, simulink_registry(), CompileOptions()).artifact
            is None
        )


def test_names_are_texts_and_stay_texts() -> None:
    """Actions, goals and remarks become names and notes without control characters."""
    for attack in (*ATTACKS, "a/b", "quote ' here", "line\nfeed", "\x00", "\u202egnp.exe"):
        step = {"tool": "Gain", "action": attack, "remarks": attack, "id": attack}
        made = compile_with_fixes(
            {"goal": attack, "steps": [step]}, SIMULINK, simulink_registry(), CompileOptions()
        )
        assert made.artifact is not None, attack
        model = made.artifact["model"]
        assert model["name"].isidentifier()
        name = model["system"]["blocks"][0]["name"]
        assert name
        assert not any(mark < " " for mark in name)


def _holds(value: Any, attack: str) -> bool:
    if isinstance(value, dict):
        return any(_holds(item, attack) for item in value.values())
    if isinstance(value, list):
        return any(_holds(item, attack) for item in value)
    return bool(value == attack)
