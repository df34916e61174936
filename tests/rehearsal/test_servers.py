"""Nodes of databases and mail run their own code against real servers that record it."""

from __future__ import annotations

from typing import Any

from grounded_builder.domains.n8n.rehearsal.rehearse import Rehearsal
from grounded_builder.domains.n8n.rehearsal.result import rehearsal_json, rehearsal_lines
from tests.rehearsal.conftest import Rehearse
from tests.support.n8n_workflows import node, workflow

_ORDERS = {"schema": {"__rl": True, "mode": "list", "value": "public"}} | {
    "table": {"__rl": True, "mode": "name", "value": "orders"}
}


def _go() -> dict[str, Any]:
    return node("Start", "manualTrigger", 1)


def _sent(rehearsal: Rehearsal, name: str) -> list[Any]:
    content = rehearsal_json(rehearsal, [])
    steps = [step for run in content["runs"] for step in run["steps"] if step["node"] == name]
    return [exchange for step in steps for exchange in step["requests"]]


def _items(rehearsal: Rehearsal, name: str) -> list[Any]:
    (step,) = [item.step for item in rehearsal.runs[0].steps if item.step.node == name]
    return [item["json"] for item in step.outputs["main"][0]]


def _expect_success(rehearsal: Rehearsal) -> None:
    content = rehearsal_json(rehearsal, [])
    assert {run.execution.status for run in rehearsal.runs} == {"success"}, list(
        rehearsal_lines(content)
    )


def test_postgres_keeps_what_is_written(rehearsed: Rehearse) -> None:
    """An inserted row is read again, the statements stand at their nodes, and a run begins anew."""
    mapped = {"mappingMode": "defineBelow", "value": {"id": 7, "city": "Oslo"}}
    document = workflow(
        _go(),
        node(
            "Keep",
            "postgres",
            2.6,
            {"operation": "insert", **_ORDERS, "columns": {**mapped, "matchingColumns": ["id"]}},
        ),
        node("Read", "postgres", 2.6, {"operation": "select", **_ORDERS, "returnAll": True}),
    )
    for _ in range(2):
        rehearsal = rehearsed(document)
        _expect_success(rehearsal)
        assert _items(rehearsal, "Read") == [{"id": 7, "city": "Oslo"}]
    statements = [exchange["body"] for exchange in _sent(rehearsal, "Keep")]
    assert any("INSERT INTO" in text and "'Oslo'" in text for text in statements)
    assert {exchange["method"] for exchange in _sent(rehearsal, "Keep")} == {"SQL"}


def test_a_query_makes_its_tables(rehearsed: Rehearse) -> None:
    """A query finds two rows with what it looks for, and the columns that the workflow reads."""
    query = (
        "SELECT c.*, o.total FROM customers c JOIN sales.orders o ON o.customer = c.id"
        " WHERE c.city = 'Oslo' AND o.total >= 0 ORDER BY c.id"
    )
    document = workflow(
        _go(),
        node("Read", "postgres", 2.6, {"operation": "executeQuery", "query": query}),
        node("Call", "httpRequest", 4.2, {"url": "=https://acme.example/{{ $json.email }}"}),
    )
    rehearsal = rehearsed(document)
    _expect_success(rehearsal)
    items = _items(rehearsal, "Read")
    assert [item["city"] for item in items] == ["Oslo", "Oslo"]
    assert all(item["email"] and item["total"] > 0 for item in items)
    assert "customers" in _sent(rehearsal, "Read")[0]["source"]


def test_a_query_makes_what_it_names_in_a_transaction(rehearsed: Rehearse) -> None:
    """What one attempt of a transaction made is there in the next, with the compared types."""
    query = (
        "INSERT INTO visits (city) VALUES ('Oslo');"
        " SELECT name FROM leads WHERE created_at > now() - interval '7 days' AND age >= 18"
    )
    params = {"operation": "executeQuery", "query": query}
    together = {"options": {"queryBatching": "transaction"}}
    rehearsal = rehearsed(workflow(_go(), node("Read", "postgres", 2.6, {**params, **together})))
    _expect_success(rehearsal)
    assert "INSERT INTO visits" in str([exchange["body"] for exchange in _sent(rehearsal, "Read")])


def test_a_long_answer_is_refused(rehearsed: Rehearse) -> None:
    """A query whose rows n8n could not hold fails at its node, and n8n goes on."""
    query = "SELECT repeat('x', 1000) FROM generate_series(1, 20000)"
    document = workflow(
        _go(), node("Read", "postgres", 2.6, {"operation": "executeQuery", "query": query})
    )
    (run,) = rehearsed(document).runs
    assert run.execution.failure is not None
    assert "too long" in run.execution.failure.message


def test_a_wrong_statement_fails(rehearsed: Rehearse) -> None:
    """A statement that PostgreSQL cannot read fails with its own words."""
    document = workflow(
        _go(),
        node("Read", "postgres", 2.6, {"operation": "executeQuery", "query": "SELEC 1"}),
    )
    (run,) = rehearsed(document).runs
    assert run.execution.failure is not None
    assert run.execution.failure.node == "Read"
    assert "syntax error" in run.execution.failure.message.lower()


def test_mail_is_recorded(rehearsed: Rehearse) -> None:
    """A mail by SMTP stands at its node with its recipients, subject and text."""
    mail = {
        "fromEmail": "shop@acme.example",
        "toEmail": "a@acme.example, b@acme.example",
        "subject": "Your order",
        "emailFormat": "text",
        "text": "It is on its way.",
        "options": {"appendAttribution": False},
    }
    rehearsal = rehearsed(workflow(_go(), node("Send", "emailSend", 2.1, mail)))
    _expect_success(rehearsal)
    (sent,) = _sent(rehearsal, "Send")
    assert sent["method"] == "MAIL"
    assert sent["body"]["to"] == ["a@acme.example", "b@acme.example"]
    assert (sent["body"]["subject"], sent["body"]["text"].strip()) == (
        "Your order",
        "It is on its way.",
    )


def test_redis_keeps_what_is_written(rehearsed: Rehearse) -> None:
    """A value that is set is read again, and a later run begins empty."""
    write = {"operation": "set", "key": "city", "value": "Oslo", "keyType": "string"}
    read = {"operation": "get", "propertyName": "found", "key": "city", "keyType": "string"}
    reading = node("Read", "redis", 1, {**read, "options": {}})
    rehearsal = rehearsed(workflow(_go(), node("Keep", "redis", 1, write), reading))
    _expect_success(rehearsal)
    assert _items(rehearsal, "Read") == [{"found": "Oslo"}]
    assert ["set", "city", "Oslo"] in [
        [word if index else word.lower() for index, word in enumerate(exchange["body"])]
        for exchange in _sent(rehearsal, "Keep")
    ]
    assert _items(rehearsed(workflow(_go(), reading)), "Read") == [{"found": None}]


def test_a_fault_reaches_a_database(rehearsed: Rehearse) -> None:
    """A node whose service is to fail gets an error of its database."""
    reading = node("Read", "postgres", 2.6, {"operation": "executeQuery", "query": "SELECT 1"})
    (run,) = rehearsed(workflow(_go(), reading), faults={"Read": "500"}).runs
    assert run.execution.failure is not None
    assert "the fault that is asked for" in run.execution.failure.message
