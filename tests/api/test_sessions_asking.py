"""Drafters that ask the registry, decline, or are bound by constraints."""

from __future__ import annotations

from tests.api.conftest import Served
from tests.api.talks import RIGHT, opened, replied, talked


def test_a_reason_why_not_is_an_outcome(served: Served) -> None:
    """A model may say that it cannot be done; nothing is built, and its reason is told."""
    done = talked(served, lambda _: '{"cannot": "there is no teleporter"}')
    assert (done["outcome"], done["artifact"]) == ("refused", None)
    assert "there is no teleporter" in done["summary"]


def test_a_forbidden_tool_is_not_built(served: Served) -> None:
    """What a constraint forbids is refused by name, under whatever name it was forbidden."""
    rules = {"forbid": ["Acme Mail"], "tone": "kind"}
    first = opened(served, constraints=rules)
    assert '"tone": "kind"' in first["messages"][1]["content"]
    again = replied(served, first["session"], RIGHT)
    assert again["status"] == "draft"
    assert "policy denies acme-nodes.mail" in again["messages"][-1]["content"]
