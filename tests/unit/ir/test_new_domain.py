"""Compiles drafts of the example of a new domain through the whole pipeline."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from examples.domain.irrigation import IRRIGATION
from grounded_builder.catalog.catalog_file import read_catalog
from grounded_builder.catalog.loader import open_index, open_registry, prepare_catalog
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import (
    Compilation,
    compile_draft,
    compile_with_fixes,
    repair_document,
)
from grounded_builder.drafting.first_prompt import PromptContext, write_first_prompt
from grounded_builder.drafting.planner.propose import propose
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions
from tests.support import catalogs

_SPRINKLE = "garden.sprinkle"
_DRIP = "garden.drip"
_MOST_PARTS = 6


@pytest.fixture(scope="module")
def registry() -> Registry:
    """Returns a catalog of two tools of the example domain."""
    minutes = {"name": "minutes", "type": "number", "required": True}
    tools = [
        {
            "kind": "tool",
            "id": identity,
            "name": name,
            "package": "garden",
            "variants": [{"versions": [1], "inputs": [], "outputs": [], "parameters": [minutes]}],
        }
        for identity, name in ((_SPRINKLE, "Sprinkler"), (_DRIP, "Drip line"))
    ]
    header = catalogs.header(domain="irrigation", versions={}, packages=[{"name": "garden"}])
    prepared = prepare_catalog(
        read_catalog(catalogs.jsonl(catalogs.add_end_line([header, *tools])))
    )
    bodies = {entry.fingerprint: entry.body for entry in prepared.entries}
    return open_registry(
        open_index(prepared.index),
        prepared.fingerprint,
        bodies.__getitem__,
        IRRIGATION.resolving.compile_tool,
    )


def _compile(draft: Any, registry: Registry) -> Compilation:
    return compile_draft(draft, IRRIGATION, registry, CompileOptions(purpose="import"))


def _plan(tool: str, minutes: int) -> dict[str, Any]:
    step = {"id": "lawn", "action": "water the lawn", "tool": tool, "params": {"minutes": minutes}}
    return {"goal": "water the lawn", "steps": [step]}


def test_a_plan_becomes_an_artifact(registry: Registry) -> None:
    """A loosely written name resolves, and the artifact holds the tool's id."""
    compilation = _compile(_plan("sprinkler", 20), registry)
    assert compilation.verdict == "ok", compilation.diagnostics
    action = {"id": "lawn", "tool": _SPRINKLE, "params": {"minutes": 20}}
    assert compilation.artifact == {"actions": [action]}


def test_a_check_names_the_place_in_the_plan(registry: Registry) -> None:
    """The finding of the domain's check stands at the parameter that was drafted."""
    compilation = _compile(_plan(_SPRINKLE, 90), registry)
    assert compilation.verdict == "wrong"
    assert [(d.code, d.at) for d in compilation.diagnostics if d.code == "GB307"] == [
        ("GB307", ("steps", 0, "params", "minutes"))
    ]


def test_a_tool_that_is_not_in_the_catalog_is_wrong(registry: Registry) -> None:
    """An invented tool stops the build."""
    compilation = _compile({"actions": [{"id": "a", "tool": "garden.mow"}]}, registry)
    assert compilation.verdict == "wrong"
    assert compilation.artifact is None


def test_a_prompt_shows_the_tools_and_rules_of_the_domain(registry: Registry) -> None:
    """The first prompt needs nothing that the domain does not state."""
    request = "sprinkler for 10 minutes"
    prompt = write_first_prompt(request, IRRIGATION, registry, PromptContext(), budget=4_000)
    assert _SPRINKLE in prompt.shown
    assert IRRIGATION.prompting.rules[0] in prompt.messages[0].content


def test_the_keyword_planner_names_a_tool_of_the_domain(registry: Registry) -> None:
    """The planner runs without events, default parameters and required inputs."""
    plan = propose("Run the Sprinkler, then the Drip line", IRRIGATION, registry).plan
    assert [step["tool"] for step in plan["steps"]] == [_SPRINKLE, _DRIP]


def test_parts_that_a_domain_lacks_are_not_asked(registry: Registry) -> None:
    """Fixes and repairs run without native files, editor fields and embedded documents."""
    document = {"actions": [{"id": "a", "tool": _SPRINKLE, "params": {"minutes": 5}}]}
    for compile_ in (compile_with_fixes, repair_document):
        compilation = compile_(document, IRRIGATION, registry, CompileOptions(purpose="import"))
        assert compilation.verdict == "ok"
        assert compilation.document == document


def test_a_domain_has_at_most_six_parts() -> None:
    """The seam is a name and six small objects."""
    assert len(fields(Domain)) - 1 <= _MOST_PARTS
