"""The order of a tool's operations in a prompt, by the words of a request."""

from __future__ import annotations

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.named_services import find_services
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.tool_retrieval import shown_tools

BASE = "n8n-nodes-base."


@pytest.fixture(scope="module")
def registry(installed_registry: Registry) -> Registry:
    return installed_registry


def _order(text: str, tool: str, registry: Registry) -> list[str]:
    services = find_services(text, registry).wanted
    shown = {item.tool: item for item in shown_tools(text, N8N, registry, services)}
    return ["/".join(map(str, params.values())) for params in shown[BASE + tool].operations]


@pytest.mark.parametrize(
    ("text", "tool", "operation"),
    [
        ("Ask for approval by Gmail, then pay.", "gmail", "message/sendAndWait"),
        ("Send a Discord message and wait for the answer.", "discord", "message/sendAndWait"),
        ("If my boss confirms it in Slack, go on.", "slack", "message/sendAndWait"),
        ("Hol eine Freigabe per Microsoft Outlook ein.", "microsoftOutlook", "message/sendAndWait"),
        ("Pide que lo aprueben en Telegram.", "telegram", "message/sendAndWait"),
    ],
)
def test_an_approval_is_shown_where_the_request_asks_for_one(
    text: str, tool: str, operation: str, registry: Registry
) -> None:
    """It is among the first three operations, of which the prompt shows the parameters."""
    assert operation in _order(text, tool, registry)[:3]


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("Post the title to our Microsoft Teams channel News.", "microsoftTeams"),
        ("Wait ten seconds and send a Slack message.", "slack"),
        ("Send me a Telegram message when the form is sent.", "telegram"),
    ],
)
def test_an_approval_comes_last_where_nobody_decides(
    text: str, tool: str, registry: Registry
) -> None:
    """A message that waits is not what "send" means."""
    order = _order(text, tool, registry)
    assert order.index(next(item for item in order if item.endswith("sendAndWait"))) > 5


@pytest.mark.parametrize(
    ("text", "tool", "operation"),
    [
        ("Post it to our Microsoft Teams channel News.", "microsoftTeams", "channelMessage/create"),
        (
            "Upload it to the Microsoft OneDrive folder X.",
            "microsoftOneDrive",
            "file/upload",
        ),
        ("Save the file in a Google Drive folder.", "googleDrive", "file/upload"),
    ],
)
def test_a_place_is_not_what_an_operation_is_about(
    text: str, tool: str, operation: str, registry: Registry
) -> None:
    """The channel or folder after a preposition is where something goes."""
    assert operation in _order(text, tool, registry)[:3]


def test_words_about_another_service_do_not_count(registry: Registry) -> None:
    """The folder is one of the other service."""
    text = "Upload the file to the Dropbox folder Bills, then send a mail with Microsoft Outlook."
    order = _order(text, "microsoftOutlook", registry)
    assert "message/send" in order[:3]
    assert not any(item.startswith("folder/") for item in order[:5])


def test_a_removal_is_not_likely_without_its_verb(registry: Registry) -> None:
    """A deleting operation comes first only with its verb."""
    quiet = _order("Do something with the rows in Postgres", "postgres", registry)
    assert quiet.index("deleteTable") > 3
    assert _order("Delete the old rows in Postgres", "postgres", registry)[:3].count("deleteTable")


def test_several_objects_mean_the_operation_for_several(registry: Registry) -> None:
    """Today's events are read by the operation that gets many."""
    order = _order("Get today's events from Google Calendar", "googleCalendar", registry)
    assert order.index("event/getAll") < order.index("event/get")


@pytest.mark.parametrize(
    ("text", "tool", "operation"),
    [
        ("List the open pull requests each morning.", "github", "repository/getPullRequests"),
        (
            "Every night get the commits of the pull request's diff.",
            "github",
            "pullRequest/getDiff",
        ),
        (
            "Read the CSV file from SFTP and insert its rows into Postgres.",
            "extractFromFile",
            "csv",
        ),
        ("Write the rows of Postgres into an Excel file.", "convertToFile", "xlsx"),
        ("Delete files older than a week from Google Drive.", "googleDrive", "fileFolder/search"),
        ("Answer with an emoji in Discord.", "discord", "message/react"),
    ],
)
def test_words_of_an_operation_weigh_more_than_its_use(
    text: str, tool: str, operation: str, registry: Registry
) -> None:
    """What the request names comes before what most workflows use."""
    assert operation in _order(text, tool, registry)[:5]


def test_event_is_found_in_another_form_of_its_word(registry: Registry) -> None:
    """A payment that succeeds is one that has succeeded."""
    text = "When a Stripe payment succeeds, write a mail."
    services = find_services(text, registry).wanted
    shown = {item.tool: item for item in shown_tools(text, N8N, registry, services)}
    events = [event["events"][0] for event in shown[f"{BASE}stripeTrigger"].events]
    assert "charge.succeeded" in events
