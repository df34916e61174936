"""The schemas of plans agree with the plans that are read and returned."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.support.registries import acme_registry

GOLDEN = Path(__file__).parents[2] / "golden"
PLANS = sorted(GOLDEN.glob("plan-*/draft.json"))


def validator(name: str) -> Draft202012Validator:
    """The validator of one of the package's schemas."""
    schema: dict[str, Any] = json.loads((files("grounded_builder.ir") / name).read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize("file", PLANS, ids=lambda file: file.parent.name)
def test_a_plan_and_what_it_resolves_to_obey_their_schemas(file: Path) -> None:
    """Strict plans are valid before, every plan is after."""
    plan = json.loads(file.read_text("utf-8"))
    if "steps" in plan:
        validator("plan.schema.json").validate(plan)
    resolved = compile_with_fixes(plan, N8N, acme_registry(), CompileOptions()).plan
    assert resolved is not None
    validator("resolved_plan.schema.json").validate(json.loads(json.dumps(resolved.as_json())))


def test_a_step_without_tool_and_action_is_no_plan() -> None:
    """The schema refuses what names nothing to do."""
    assert not validator("plan.schema.json").is_valid({"steps": [{"params": {}}]})
