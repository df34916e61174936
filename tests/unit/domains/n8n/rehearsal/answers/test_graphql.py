"""GraphQL requests are answered with what they select."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest

from grounded_builder.domains.n8n.rehearsal.answers.graphql import answer_graphql
from grounded_builder.domains.n8n.rehearsal.answers.graphql_query import read_selections
from grounded_builder.domains.n8n.rehearsal.answers.question import Question
from grounded_builder.domains.n8n.rehearsal.exchange import Request


def _answer(query: str, **variables: Any) -> Any:
    body = json.dumps({"query": query, "variables": variables}).encode()
    request = Request("POST", "https://api.acme.example/graphql", {}, body, 0)
    return answer_graphql(Question(request), count(1).__next__)


def test_a_mutation_returns_what_was_sent() -> None:
    """Fields that were sent come back, by variable or by literal argument."""
    text = """mutation Make($title: String! = "{") {
      made: issueCreate(input: {title: $title, team: "T1"}) {
        success userErrors { message } issue { id title team ...Rest }
      }
    }
    fragment Rest on Issue { url }"""
    made = _answer(text, title="Order")["data"]["made"]
    assert made["success"] is True
    assert made["userErrors"] == []
    assert (made["issue"]["title"], made["issue"]["team"]) == ("Order", "T1")
    assert made["issue"]["url"].startswith("https://")


def test_connections_and_plural_fields_are_lists() -> None:
    """Each list has two different items, and a connection has no further page."""
    issues = _answer("{ issues(first: 50) { nodes { id } pageInfo { hasNextPage endCursor } } }")
    nodes = issues["data"]["issues"]["nodes"]
    assert len({node["id"] for node in nodes}) == 2
    assert issues["data"]["issues"]["pageInfo"] == {"hasNextPage": False, "endCursor": None}
    boards = _answer("query { boards(ids: [1]) { items_page { cursor items { id } } status } }")
    (first, second) = boards["data"]["boards"]
    assert first["items_page"]["items"] != second["items_page"]["items"]
    assert isinstance(first["status"], str)


@pytest.mark.parametrize(
    "text", ["{ a", "} {", "select * from {", "{ a(b: ) }", "{" * 100, "fragment A on B { ...A }"]
)
def test_other_texts_are_not_answered(text: str) -> None:
    """A text that is no GraphQL document with an operation is left to other answers."""
    assert _answer(text) is None


def test_fragments_that_include_themselves_end() -> None:
    """The number of fields is bounded, whatever the fragments."""
    text = "{ ...A } fragment A on B { x ...C ...C } fragment C on B { y ...A ...A }"
    assert read_selections(text, {}) is None
