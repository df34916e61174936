"""Items in the formats of services."""

from __future__ import annotations

from grounded_builder.domains.n8n.rehearsal.answers.question import Question
from grounded_builder.domains.n8n.rehearsal.answers.services import wrap_item
from grounded_builder.domains.n8n.rehearsal.exchange import Request


def test_an_answer_of_slack_is_never_a_failure() -> None:
    """An invented ``ok`` of false, which n8n's node takes for an error, is not kept."""
    request = Request("POST", "https://slack.com/api/chat.postMessage", {}, b"{}", 0)
    assert wrap_item(Question(request), {"ok": False, "ts": "1"}) == {"ok": True, "ts": "1"}
