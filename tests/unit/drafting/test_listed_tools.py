"""Which nodes of a real n8n the first prompt lists for words that mean them without a name."""

from __future__ import annotations

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.named_services import find_services
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.first_prompt import PromptContext, write_first_prompt
from grounded_builder.drafting.tool_retrieval import shown_tools

_BASE = "n8n-nodes-base."
_CHAIN = "@n8n/n8n-nodes-langchain."
_BUDGET = 6_000


@pytest.fixture(scope="module")
def registry(installed_registry: Registry) -> Registry:
    return installed_registry


def _list_tools(request: str, registry: Registry) -> set[str]:
    first = write_first_prompt(request, N8N, registry, PromptContext(), _BUDGET)
    return {tool.removeprefix(_BASE).removeprefix(_CHAIN) for tool in first.shown}


@pytest.mark.parametrize(
    ("request_text", "tools"),
    [
        ("Vacation request form: name, dates, reason. Put each one in Notion.", "formTrigger"),
        ("Un formulaire d'inscription, puis un mail de bienvenue par Gmail.", "formTrigger"),
        ("Ein Formular für Urlaubsanträge, danach eine Zeile in Airtable.", "formTrigger"),
        ("Un formulario de contacto y una fila en Google Sheets.", "formTrigger"),
        (
            "PUT /stock updates our MySQL table. The API answers 404 if the article is unknown.",
            "webhook respondToWebhook",
        ),
        ("If the disk is full, write to #ops-alerts.", "slack"),
        ("Each morning list the pull requests of acme/shop that wait for review.", "github"),
        ("Tell Teams which PRs of acme/shop are older than a week.", "github"),
        (
            "A Telegram bot with an AI agent that remembers each customer in Redis.",
            "agent memoryRedisChat",
        ),
        (
            "A chat agent. It must remember its users, also after a reboot of the server.",
            "agent memoryPostgresChat",
        ),
        (
            "Load the PDFs of a Drive folder into Qdrant, in chunks of 800 characters.",
            "embeddingsOpenAi textSplitterRecursiveCharacterTextSplitter documentDefaultDataLoader",
        ),
        ("For every row of Airtable run our other workflow with its id.", "executeWorkflow"),
        ("Each day post the unresolved Sentry issues to Slack.", "sentryIo"),
        ("Jede Nacht eine Datei per SFTP nach /export laden.", "ftp"),
        ("Classify the tickets of Freshdesk.", "textClassifier"),
        ("Encrypt the text and save it in Notion.", "crypto"),
        ("Draw a bar chart of the sales.", "quickChart"),
        ("Zip the files of a form.", "compression"),
        ("resize the pictures of a form", "editImage"),
        ("Send the weather of Berlin to Slack.", "openWeatherMap"),
        ("Translate incoming support emails with DeepL.", "emailReadImap"),
        ("A web form, and at the end a page with thanks.", "formTrigger form"),
        ("Bring the Supabase table articles in line with MySQL.", "compareDatasets"),
        ("Ask again every 20 seconds until Airtable has the row.", "wait"),
        (
            "Put the PDFs of Dropbox into Qdrant, in pieces of 800 characters.",
            "textSplitterRecursiveCharacterTextSplitter",
        ),
    ],
)
def test_words_without_a_name_list_the_node(
    request_text: str, tools: str, registry: Registry
) -> None:
    """A form, an API, a channel, a pull request, a memory and a chunk list the nodes for them."""
    assert set(tools.split()) <= _list_tools(request_text, registry)


@pytest.mark.parametrize(
    ("request_text", "tools"),
    [
        (
            "\u7533\u8acb\u30d5\u30a9\u30fc\u30e0\u306e\u5185\u5bb9\u3092Notion\u306b\u5165\u308c\u308b",
            "formTrigger",
        ),
        ("Formularz kontaktowy, potem wiersz w Google Sheets", "formTrigger respondToWebhook"),
        ("Alle Mails aus Gmail in einer Slack-Nachricht", "aggregate filter splitOut"),
        ("Un mail de Gmail: le classer, extraire le nom", "textClassifier informationExtractor"),
        ("Una página final tras el formulario, y una fila en MySQL", "form"),
        ("Een AI Agent in Telegram die vorige berichten kent", "memoryBufferWindow"),
    ],
)
def test_prompt_lists_most_used_tools_in_any_language(
    request_text: str, tools: str, registry: Registry
) -> None:
    """Nodes without an account and sub-nodes of likely nodes need no word of the request."""
    first = write_first_prompt(request_text, N8N, registry, PromptContext(), _BUDGET)
    shown = {tool.removeprefix(_BASE).removeprefix(_CHAIN) for tool in first.shown}
    assert set(tools.split()) <= shown
    assert all(tool.rpartition(".")[2] in first.messages[0].content for tool in first.shown)
    assert not any(tool.endswith("stickyNote") for tool in first.shown)


@pytest.mark.parametrize(
    ("request_text", "tools"),
    [
        ("Book an appointment of 30 minutes in Calendly.", "googleBooks"),
        ("Log sender, unit price, total (2 decimals) in Google Sheets.", "amqp coinGecko totp"),
        ("Post severity, priority high, how many days stale to Teams.", "nasa marketstack"),
        ("If there are none, skip it. Otherwise post the name to Slack.", "spotify hunter"),
        ("Post the menu to #lunch on Slack every weekday at 11.", "lmChatGoogleVertex"),
    ],
)
def test_tools_that_single_words_suggest_are_not_listed(
    request_text: str, tools: str, registry: Registry
) -> None:
    """A word of a description or of a longer name lists nothing, nor does an unlikely agent."""
    assert not set(tools.split()) & _list_tools(request_text, registry)


@pytest.mark.parametrize(
    ("request_text", "services"),
    [
        (
            "Shopify order -> one line per product in Google Sheets, unit price, line total",
            "shopify googleSheets",
        ),
        ("Write the line with the total to Google Sheets", "googleSheets"),
        ("Create a medium priority task in Asana", "asana"),
        ("Post it to line and slack", "line slack"),
        ("Send it by Slack, line and discord", "slack line discord"),
        ("Keep the Slack channel in line with the Asana team", "slack asana"),
        ("put the rows of slack in line", "slack"),
        ("Sum the total. Line items are posted to Slack", "slack"),
        ("Post the column Line Number to Slack", "slack"),
        ("Send an alert to LINE", "line"),
        ("Send an alert on Line to the team", "line"),
        ("For each row add a trello card", "trello"),
        ("Write a page in Confluence... no, in Notion", "notion"),
        ("Post it to Discord - sorry, I mean Slack", "slack"),
        ("Post it to Discord, no attachments, and tell Slack", "discord slack"),
        ("Post it to Discord or Slack", "discord slack"),
        ("Tell the jira project lead in Slack", "jira slack"),
    ],
)
def test_a_noun_after_an_article_or_a_comma_is_no_service(
    request_text: str, services: str, registry: Registry
) -> None:
    """A word in lower case is a service after a preposition, in a list, or before its object."""
    wanted = find_services(request_text, registry).wanted
    assert {item.tools[0] for item in wanted} == {_BASE + name for name in services.split()}


@pytest.mark.parametrize(
    "request_text",
    ["A list (Name, E-mail, Amount)", "New Shopify order -> a row in Google Sheets", "E-Mail"],
)
def test_fields_and_events_are_no_whole_steps(request_text: str, registry: Registry) -> None:
    """The name of a field or an event is not something that one operation does."""
    services = find_services(request_text, registry).wanted
    shown = shown_tools(request_text, N8N, registry, services)
    assert not [item.tool for item in shown if item.whole and "Sheets" not in item.tool]


@pytest.mark.parametrize(
    ("request_text", "service", "tools"),
    [
        (
            "Staff chat with an agent on Google Gemini.",
            "Google Gemini",
            f"{_CHAIN}googleGemini, {_CHAIN}lmChatGoogleGemini",
        ),
        (
            "An AI agent that remembers each customer in Redis.",
            "Redis",
            f"{_BASE}redis, {_CHAIN}memoryRedisChat",
        ),
        ("Put the rows in Redis.", "Redis", f"{_BASE}redis, {_BASE}redisTrigger\n"),
    ],
)
def test_a_service_of_an_agent_has_its_sub_node(
    request_text: str, service: str, tools: str, registry: Registry
) -> None:
    """A service that the request names beside an agent is named with the node that agents take."""
    first = write_first_prompt(request_text, N8N, registry, PromptContext(), _BUDGET)
    assert f'"{service}": {tools}' in f"{first.messages[1].content}\n"


def test_ids_of_a_package_are_listed_with_its_name_once(registry: Registry) -> None:
    """Nodes without parameters in the prompt share the part before their names."""
    first = write_first_prompt("Post to Slack", N8N, registry, PromptContext(), _BUDGET)
    line = next(
        line for line in first.messages[0].content.split("\n") if line.startswith("Also installed")
    )
    assert line.count(f"{_BASE}{{") == 1
    assert "compareDatasets" in line
    assert f"{_BASE}compareDatasets" in first.shown
