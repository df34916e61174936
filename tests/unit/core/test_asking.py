"""Questions about names as JSON: what a context may say, and what it may not."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.registry.registry import Registry
from grounded_builder.resolve.asking import QuestionError, answer, as_json
from tests.support.catalogs import MAIL
from tests.support.registries import acme_registry


@pytest.fixture(scope="module")
def registry() -> Registry:
    """The invented catalog."""
    return acme_registry()


def test_an_answer_is_plain_json(registry: Registry) -> None:
    """Status, tool, parameters, confidence, method and candidates."""
    shown = as_json(answer("Acme Mail", {"position": "step", "params": {"to": 1}}, registry))
    assert shown["status"] == "resolved"
    assert shown["tool"] == MAIL
    assert shown["candidates"][0]["tool"] == MAIL


def test_an_operation_is_resolved_for_its_tool(registry: Registry) -> None:
    """With kind operation the text is one of the tool's operations."""
    resolution = answer("send", {"kind": "operation", "tool": MAIL}, registry)
    assert resolution.params == {"resource": "message", "operation": "send"}


@pytest.mark.parametrize(
    "context",
    ["step", {"kind": "colour"}, {"kind": "operation"}, {"position": "somewhere"}],
)
def test_a_context_out_of_shape_is_named(registry: Registry, context: Any) -> None:
    """What cannot be used is an error, never ignored."""
    with pytest.raises(QuestionError):
        answer("Acme Mail", context, registry)
