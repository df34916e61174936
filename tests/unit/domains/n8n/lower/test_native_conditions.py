"""Loose conditions of a native draft are read as those of a plan."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions

TYPED = {
    "leftValue": "={{ $json.a }}",
    "operator": {"type": "number", "operation": "gt"},
    "rightValue": 5,
}


@pytest.fixture(scope="module")
def registry(installed_registry: Registry) -> Registry:
    return installed_registry


def _compile(kind: str, conditions: Any, registry: Registry, *, native: bool) -> Any:
    """The conditions in the artifact of a draft with one node of a kind, None if it is wrong."""
    tool = f"n8n-nodes-base.{kind}"
    params = {"rules": {"values": [{"conditions": conditions}]}}
    params = params if kind == "switch" else {"conditions": conditions}
    if native:
        version = registry.tools[tool].preferred_version
        node = {"name": "N", "type": tool, "typeVersion": version, "parameters": params}
        draft: Any = {"nodes": [{**node, "position": [0, 0]}], "connections": {}}
    else:
        draft = {"steps": [{"id": "n", "tool": tool, "params": params}]}
    artifact = compile_with_fixes(draft, N8N, registry, CompileOptions()).artifact
    if artifact is None:
        return None
    (node,) = [node for node in artifact["nodes"] if node["type"] == tool]
    written = node["parameters"]
    return (
        written["rules"]["values"][0]["conditions"] if kind == "switch" else written["conditions"]
    )


@pytest.mark.parametrize("kind", ["if", "filter", "switch"])
@pytest.mark.parametrize(
    "conditions",
    [
        [{"field": "a", "operator": "gt", "value": 5}],
        {"field": "a", "operator": ">", "value": 5},
        {"conditions": [{"field": "a", "operator": "gt", "value": 5}], "combinator": "or"},
    ],
)
def test_loose_conditions_become_the_filter_of_a_plan(
    conditions: Any, kind: str, registry: Registry
) -> None:
    """A native draft gets the filter that a plan gets of the same conditions."""
    fitted = _compile(kind, conditions, registry, native=True)
    assert fitted is not None
    assert fitted["conditions"] == [TYPED]
    assert fitted == _compile(kind, conditions, registry, native=False)


def test_conditions_that_are_not_clear_stay_wrong(registry: Registry) -> None:
    """What has no operation, or another shape, is left and reported."""
    for conditions in ([{"a": 5}], [["a", "gt", 5]], {"conditions": [{"field": "a"}]}):
        assert _compile("if", conditions, registry, native=True) is None


def test_the_filter_of_n8n_is_left_as_it_is(registry: Registry) -> None:
    """A filter in the shape of n8n is the same before and after."""
    conditions = {"combinator": "and", "conditions": [TYPED]}
    assert _compile("if", conditions, registry, native=True) == conditions


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, None),
        ({"looseTypeValidation": True}, (True, "loose", 3)),
        ({"options": {"ignoreCase": True}}, (False, "strict", 3)),
    ],
)
def test_a_filter_follows_the_settings_of_its_node(
    settings: dict[str, Any], expected: tuple[bool, str, int] | None, registry: Registry
) -> None:
    """n8n reads these settings from the options of the filter, which its editor writes."""
    conditions = {"combinator": "and", "conditions": [TYPED]}
    step = {"id": "n", "tool": "n8n-nodes-base.if", "params": {"conditions": conditions} | settings}
    artifact = compile_with_fixes({"steps": [step]}, N8N, registry, CompileOptions()).artifact
    assert artifact is not None
    options = artifact["nodes"][0]["parameters"]["conditions"].get("options")
    keys = ("caseSensitive", "typeValidation", "version")
    assert (options and tuple(options[key] for key in keys)) == expected
