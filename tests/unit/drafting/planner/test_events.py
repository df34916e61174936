"""Events: where they end and what is done begins, and what is made of those nobody waits for."""

from __future__ import annotations

import pytest

from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.planner.clauses import clauses_of
from grounded_builder.drafting.planner.propose import propose
from grounded_builder.resolve.mentions import mentions_in
from tests.support import catalogs
from tests.support.registries import registry_from


@pytest.mark.parametrize(
    ("event", "deed"),
    [
        ("When a form is submitted on my website", "add a row to the list"),
        ("When a message is posted in the #alerts channel", "create a Jira issue"),
        ("When an issue is created in the mail room", "send it to the owner"),
        ("When a bill is paid", "send a receipt"),
    ],
)
def test_an_event_ends_with_its_place(event: str, deed: str) -> None:
    """Where it happens belongs to the event; the verb with its object behind it is what is done."""
    told = clauses_of(f"{event} {deed}", lambda _: False)
    assert [(one.role, one.text) for one in told] == [("start", event), ("act", deed)]


@pytest.mark.parametrize(
    "said",
    [
        "When a ticket is created in the mail room of the post office",
        "When a row is added to my new list of all mails",
    ],
)
def test_a_place_alone_is_no_deed(said: str) -> None:
    """Nouns that are verbs elsewhere do not end an event."""
    assert [clause.text for clause in clauses_of(said, lambda _: False)] == [said]


def test_an_event_of_nothing_installed_is_told_as_left_out() -> None:
    """No tool that merely sounds like an event is made a step of."""
    registry = registry_from(catalogs.acme_bytes())
    said = "When a message is sent and read in the attic, send a message by Acme Mail"
    proposal = propose(said, N8N, registry)
    assert [one["tool"] for one in proposal.plan["steps"]] == [catalogs.MAIL]
    assert proposal.unplaced[0].startswith("When a message is sent")


def test_what_is_kept_for_old_flows_gives_way() -> None:
    """A name that an old tool bears means the one of its kind that took its place."""
    old = catalogs.chat_model() | {
        "id": "acme-nodes.oldModel",
        "name": "Acme Old Model",
        "hidden": True,
        "replaced_by": [catalogs.MODEL],
    }
    registry = registry_from(catalogs.jsonl(catalogs.closed([*catalogs.acme()[:-1], old])))
    (mention,) = mentions_in("Ask the Acme Old Model", registry)
    assert mention.tools == (catalogs.MODEL,)
