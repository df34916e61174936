"""Searching the invented catalog by words."""

from __future__ import annotations

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import split_identifier, stem
from tests.support.catalogs import AGENT, HOOK, MAIL, MODEL, acme, add_end_line, jsonl, mail
from tests.support.registries import registry_from

MAIL_TOOL = "acme-nodes.mailTool"


@pytest.fixture(scope="module")
def registry() -> Registry:
    """The invented catalog with a starting tool, a role and a rendering of the mail tool."""
    lines = acme()[:-1]
    for line in lines:
        if line.get("id") == HOOK:
            line["capabilities"] = ["trigger"]
        if line.get("id") == MODEL:
            line["capabilities"] = ["model"]
    rendering = {**mail(), "id": MAIL_TOOL, "name": "Acme Mail Tool", "aliases": []}
    rendering["capabilities"] = ["for-agents"]
    return registry_from(jsonl(add_end_line([*lines, rendering])))


@pytest.mark.parametrize(
    ("query", "tool"),
    [
        ("send a message", MAIL),
        ("sending messages", MAIL),
        ("AcmeMail", MAIL),
        ("webhook", HOOK),
        ("answer with help", AGENT),
    ],
)
def test_words_of_names_keywords_and_descriptions_find(
    registry: Registry, query: str, tool: str
) -> None:
    """A tool is found by words of any of its texts, whatever their number or tense."""
    assert registry.search.find(query)[0].tool == tool


@pytest.mark.parametrize(
    ("query", "params"),
    [
        ("acme mail send message", {"resource": "message", "operation": "send"}),
        ("fetch a message by acme mail", {"resource": "message", "operation": "get"}),
        ("acme mail new draft", {"resource": "draft", "operation": "create"}),
    ],
)
def test_a_hit_names_the_operation(registry: Registry, query: str, params: dict[str, str]) -> None:
    """The operation whose words, or words of the same meaning, are in the query is preset."""
    assert registry.search.find(query)[0].params == params


def test_filters_keep_what_they_name(registry: Registry) -> None:
    """`trigger`, `kind` and `family` leave only tools that are so; alone they list them."""
    find = registry.search.find
    assert {hit.tool for hit in find("acme", trigger=True)} == {HOOK}
    assert HOOK not in {hit.tool for hit in find("acme", trigger=False)}
    assert [hit.tool for hit in find("", kind="model")] == [MODEL]
    assert {hit.tool for hit in find("acme", family="acme")} == {MAIL}


def test_a_rendering_of_a_tool_is_found_only_when_asked_for(registry: Registry) -> None:
    """One thing under two names fills one place of a result, unless its role is asked for."""
    assert MAIL_TOOL not in {hit.tool for hit in registry.search.find("acme mail tool")}
    assert MAIL_TOOL in {hit.tool for hit in registry.search.find("acme mail", derived=True)}
    assert [hit.tool for hit in registry.search.find("mail", kind="for-agents")] == [MAIL_TOOL]


def test_excluded_tools_are_not_found(registry: Registry) -> None:
    """A tool that configuration excludes is no search result."""
    assert all("shell" not in hit.tool for hit in registry.search.find("acme shell"))


@pytest.mark.parametrize("query", ["", " ", ".", "🎉", "\u200b", "zzzz qqqq", "x" * 100_000])
def test_words_of_nothing_find_nothing(registry: Registry, query: str) -> None:
    """A query without a known word has an empty answer, however long."""
    assert registry.search.find(query) == ()


def test_same_query_same_answer(registry: Registry) -> None:
    """Results are ordered, equal scores included."""
    assert registry.search.find("acme") == registry.search.find("acme")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HTTPRequest", ("http", "request")),
        ("awsS3", ("aws", "s3")),
        ("send_chat-message", ("send", "chat", "message")),
        ("g\u200bmail", ("gmail",)),
        ("CaféMenü", ("café", "menü")),
    ],
)
def test_names_fall_into_words(text: str, expected: tuple[str, ...]) -> None:
    """Camel case, marks and acronyms part words; invisible characters do not."""
    assert split_identifier(text) == expected


@pytest.mark.parametrize(
    "forms",
    [
        ("message", "messages"),
        ("create", "creating", "created", "creates"),
        ("query", "queries"),
        ("stop", "stopping", "stopped"),
    ],
)
def test_forms_of_a_word_share_a_stem(forms: tuple[str, ...]) -> None:
    """Plural, -ing and -ed change nothing."""
    assert len({stem(form) for form in forms}) == 1
