"""What the measurement of cases relies on: descriptions, given answers, samples, checks."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest

from evals.cases.case_files import read_cases
from evals.cases.checks import Scene, list_misses
from evals.cases.described import fits_request, read_text
from evals.cases.given_answers import GivenAnswers, expand
from evals.cases.sample_items import make_items
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.rehearsal.exchange import Exchange, Request, json_answer
from grounded_builder.domains.n8n.rehearsal.execution import Execution
from grounded_builder.domains.n8n.rehearsal.rehearse import RehearsedRun
from tests.unit.domains.n8n.drafts import registry, tool

_MAIL = b"To: ann@example.com\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGood=20day\r\n"
_SEND = "https://gmail.googleapis.com/gmail/v1/users/me/messages/send"


def _request(url: str, body: Any = None, method: str = "POST") -> Request:
    raw = b"" if body is None else json.dumps(body).encode()
    return Request(method, url, {"content-type": "application/json"}, raw, 0)


def _fall_back(_: Request) -> Any:
    return json_answer({"of": "the rehearsal"}, "the rehearsal")


def test_texts_for_questions_are_apart(tmp_path: Path) -> None:
    """Those of the assistant are left out, and those marked as answers are no turns."""
    turns = [
        {"role": "user", "text": ["a", "b"]},
        {"role": "assistant", "text": "which?"},
        {"role": "user", "text": "this", "when": "asked"},
    ]
    (tmp_path / "x.json").write_text(json.dumps({"conversation": turns}))
    (case,) = read_cases(tmp_path)
    assert (case.turns, case.answers, case.workflow) == (("a\nb",), ("this",), None)


def test_the_mail_in_a_request_is_read() -> None:
    """A mail in base64 and quoted-printable counts as its text."""
    request = _request(_SEND, {"raw": urlsafe_b64encode(_MAIL).decode().rstrip("=")})
    assert fits_request(
        {"host": "*googleapis.com", "has": ["ANN@example.com", "Good day"]}, request
    )
    assert not fits_request({"has": ["Good night"]}, request)


def test_text_in_json_has_no_escapes() -> None:
    """Quotes and line breaks of a field are those that the service reads."""
    assert 'say "hi"\nto Zoë' in read_text(_request("https://a.test/", {"x": 'say "hi"\nto Zoë'}))


def test_each_sender_gets_its_reply_in_turn() -> None:
    """The n-th value of a field gets the n-th reply, also when it asks again."""
    rule = {"to": {"host": "a.test"}, "replies": [1, 2], "per": "channel"}
    answer = GivenAnswers([rule], []).wrap(_fall_back)
    urls = [f"https://a.test/?channel={name}" for name in ("x", "y", "x")]
    assert [json.loads(answer(_request(url)).body) for url in urls] == [1, 2, 1]
    assert answer(_request("https://b.test/")).source == "the rehearsal"


@pytest.mark.parametrize("is_wrapped", [False, True])
def test_an_object_goes_to_the_prompt_that_demands_it(is_wrapped: bool) -> None:
    """Whether the schema has the fields below ``output`` or not, and whatever comes first."""
    inner = {"type": "object", "properties": {"city": {"type": "string"}}}
    schema = {"type": "object", "properties": {"output": inner}} if is_wrapped else inner
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": "where?"}],
        "response_format": {"type": "json_schema", "json_schema": {"schema": schema}},
    }
    answer = GivenAnswers([], [{"name": "x"}, {"city": "Oslo"}]).wrap(_fall_back)
    reply = json.loads(answer(_request("https://api.openai.com/v1/chat/completions", body)).body)
    text = json.loads(reply["choices"][0]["message"]["content"])
    assert text == ({"output": {"city": "Oslo"}} if is_wrapped else {"city": "Oslo"})


def test_moments_are_numbers_of_now() -> None:
    """A moment of an hour ago is 3,600 seconds less."""
    now, before = int(expand("@ts-0")), int(expand("@ts-3600"))
    assert 3_600 <= now - before <= 3_601


@pytest.mark.parametrize(
    ("check", "misses"),
    [
        ({"requests": {"host": "a.test"}, "count": 2}, 0),
        ({"requests": {"host": "a.test"}, "count": 1}, 1),
        ({"texts": {}, "has": ["WIDGET-A"], "lacks": ["undefined"]}, 0),
        ({"texts": {}, "has": ["WIDGET-Z"], "lacks": ["widget-a"]}, 2),
        ({"rows": {}, "has": ["WIDGET-A"], "count": 1}, 0),
        ({"matches": {}, "pattern": r"WIDGET-\w", "counts": [2, 0]}, 0),
        ({"matches": {}, "pattern": r"WIDGET-\w", "counts": [1, 1]}, 1),
        ({"nodes": {"type": "*.wait", "parameters": {"amount": 5}}, "count": 1}, 0),
        ({"nodes": {"type": "*.wait", "parameters": {"amount": 6}}, "count": 1}, 1),
        ({"every_node": {"type": "*.wait"}, "parameters": {"unit": {"exists": False}}}, 1),
        ({"any": [[{"failure": {}}], [{"document": {}, "has": ["seconds"]}]]}, 0),
        ({"any": [[{"failure": {}}], [{"document": {}, "has": ["minutes"]}]]}, 1),
        ({"answer": {}, "has": ["ok"]}, 1),
    ],
)
def test_a_check_tells_what_is_missed(check: dict[str, Any], misses: int) -> None:
    """Each kind of check is met by what it describes, and by nothing else."""
    requests = [
        _request("https://a.test/", {"values": [["WIDGET-A", 1], ["WIDGET-B", 2]]}),
        _request("https://a.test/x", {"values": []}),
    ]
    exchanges = tuple(Exchange(request, json_answer({}, "")) for request in requests)
    run = RehearsedRun("Start", Execution("success", (), None), (), exchanges)
    wait = {"amount": 5, "unit": "seconds"}
    workflow = {"nodes": [{"name": "W", "type": "n8n-nodes-base.wait", "parameters": wait}]}
    assert len(list_misses([check], Scene(workflow, run))) == misses


def test_values_find_the_fields_of_a_form() -> None:
    """A field gets the value whose name has its words, and a dropdown its own writing of it."""
    fields = [
        {"fieldLabel": "Your Name"},
        {"fieldLabel": "Interest Level", "fieldOptions": {"values": [{"option": "Starter"}]}},
    ]
    kind = "n8n-nodes-base.formTrigger"
    node = {
        "name": "Form",
        "type": kind,
        "typeVersion": 1,
        "position": [0, 0],
        "parameters": {"formFields": {"values": fields}},
    }
    graph = N8N.reading.read({"nodes": [node], "connections": {}}).graph
    assert graph is not None
    resolved, _ = resolve_graph(graph, N8N, registry(tool(kind)), tuple)
    sample = {"form": {"name": "Ravi", "interest level": "starter", "email": "r@example.com"}}
    (item,) = make_items(sample, resolved.by_name["Form"], resolved)
    assert (item["Your Name"], item["Interest Level"]) == ("Ravi", "Starter")
    assert "email" not in item
