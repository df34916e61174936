"""Expectations are read strictly and judged without a model."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from grounded_builder.domains.n8n.expectations import (
    ExpectationError,
    check_expectations,
    read_expectations,
)
from grounded_builder.domains.n8n.rehearsal.coverage import UnreachedNode
from grounded_builder.domains.n8n.rehearsal.exchange import Answer, Exchange, Request
from grounded_builder.domains.n8n.rehearsal.execution import Execution, Step
from grounded_builder.domains.n8n.rehearsal.findings import rehearsal_findings
from grounded_builder.domains.n8n.rehearsal.judge import Reach, judge, judge_runs
from grounded_builder.domains.n8n.rehearsal.rehearse import Rehearsal, RehearsedRun, RehearsedStep
from grounded_builder.domains.n8n.trial.execution_result import Status
from grounded_builder.ir.graph import Graph, ResolvedGraph

_FORM = "application/x-www-form-urlencoded"
_POST = "https://slack.com/api/chat.postMessage?team=1"


def _exchange(url: str, body: Any, at_ms: int, kind: str = "application/json") -> Exchange:
    content = body if isinstance(body, str) else json.dumps(body)
    request = Request("POST", url, {"content-type": kind}, content.encode(), at_ms)
    return Exchange(request, Answer(200, b"{}", "a test"))


def _run(*steps: tuple[str, list[Exchange], str]) -> RehearsedRun:
    """Returns a run whose nodes each gave one item, or failed with an error."""
    rehearsed = tuple(
        RehearsedStep(
            Step(name, number, number * 10, 5, {"main": [[] if error else [{}]]}, error),
            tuple(exchanges),
        )
        for number, (name, exchanges, error) in enumerate(steps)
    )
    status: Status = "error" if any(error for _, _, error in steps) else "success"
    return RehearsedRun("Start", Execution(status, (), None), rehearsed)


_TWO = _run(
    ("List", [_exchange("https://api.notion.com/v1/databases/d1/query", {"page_size": 2}, 1)], ""),
    (
        "Post",
        [
            _exchange(_POST, {"channel": "#daily", "text": "Ann: done", "n": 1}, 11),
            _exchange(_POST, {"channel": "#daily", "text": "Bo: open", "n": 2}, 12),
        ],
        "",
    ),
    (
        "Form",
        [_exchange("https://a.test/f", "a=1&b=", 21, "application/x-www-form-urlencoded")],
        "",
    ),
    ("Broken", [], "no stock"),
)


@pytest.mark.parametrize(
    "expectation",
    [
        {"requests": {"host": "slack.com"}},
        {"requests": {"host": "*.notion.com", "path": "/v1/*/query", "method": "post"}, "count": 1},
        {"requests": {"host": "slack.com", "query": {"team": 1}}, "count": 2},
        {"requests": {"node": "Post"}, "each": {"body": {"channel": "#daily"}}},
        {"requests": {"body": {"text": {"contains": "ann"}, "n": 1}}, "count": 1},
        {"requests": {"body": {"contains": "done"}}, "count": {"at_most": 1}},
        {"requests": {"body": {"text": {"exists": True}, "blocks": {"exists": False}}}, "count": 2},
        {"requests": {"host": "a.test", "body": {"a": "1", "b": ""}}},
        {"order": [{"host": "api.notion.com"}, {"host": "slack.com"}]},
        {"node": "Post", "runs": 1, "items": {"at_least": 1}},
        {"node": "Broken", "fails": True},
        {"node": "Post", "fails": False},
    ],
)
def test_an_expectation_is_met(expectation: dict[str, Any]) -> None:
    """What happened is found by every key of a description."""
    (verdict,) = judge(read_expectations([expectation]), _TWO)
    assert verdict.is_met, verdict.miss


@pytest.mark.parametrize(
    ("expectation", "miss"),
    [
        ({"requests": {"host": "slack.com"}, "count": 3}, "2 such requests were sent, 3 expected"),
        ({"requests": {"host": "slack"}}, "0 such requests were sent, at least 1 expected"),
        (
            {"requests": {"node": "Post"}, "each": {"body": {"n": 1}}},
            f'one of them is POST {_POST} {{"channel": "#daily", "text": "Bo: open", "n": 2}}',
        ),
        (
            {"order": [{"host": "slack.com"}, {"host": "api.notion.com"}]},
            '{"host": "api.notion.com"} was sent before the one that it follows',
        ),
        (
            {"order": [{"host": "slack.com"}, {"host": "x.test"}]},
            'no request is {"host": "x.test"}',
        ),
        ({"node": "Post", "items": 2}, '"Post" has 1 items, 2 expected'),
        ({"node": "Broken", "fails": False}, '"Broken" failed'),
    ],
)
def test_a_miss_says_what_happened(expectation: dict[str, Any], miss: str) -> None:
    """A verdict names the number or the request that does not agree."""
    (verdict,) = judge(read_expectations([expectation]), _TWO)
    assert (verdict.is_met, verdict.miss) == (False, miss)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "expectations are a list of objects"),
        ([1], "expectation 1 is a number, not an object"),
        ([{}], "expectation 1 needs one of requests, order, node, answer, when"),
        ([{"requests": {}, "node": "A"}], "expectation 1 needs one of requests, order, node"),
        ([{"requests": {"url": "x"}}], 'expectation 1 has the unknown key "url"'),
        ([{"requests": {}, "counts": 1}], 'expectation 1 has the unknown key "counts"'),
        ([{"requests": {}, "count": -1}], "count of expectation 1 is neither a number"),
        ([{"requests": {}, "count": {"at_least": "1"}}], "count of expectation 1 has a bound"),
        ([{"requests": {"host": 1}}], "host of expectation 1 is not a text"),
        ([{"order": [{"host": "a"}]}], "order of expectation 1 is not a list of two"),
        ([{"node": "A"}], "expectation 1 needs one of runs, items, fails"),
        ([{"node": "A", "fails": 1}], "fails of expectation 1 is neither true nor false"),
        ([{"when": {"x": 1}, "expect": [{}]}], 'when of expectation 1 has the unknown key "x"'),
        ([{"when": {}, "expect": []}], 'expectation 1 lacks "expect"'),
        (
            [{"when": {"answers": {"A": 1}}, "expect": [{}]}],
            'the answer to "A" in expectation 1 is',
        ),
        ([{"when": {"answers": {"A": {"status": 99}}}, "expect": [{}]}], 'the answer to "A"'),
        ([{"when": {"faults": {"A": 418}}, "expect": [{}]}], 'the fault of "A" in expectation 1'),
        ([{"when": {"samples": {"A": {}}}, "expect": [{}]}], 'samples of "A" in expectation 1'),
        (
            [{"when": {}, "expect": [{"when": {}, "expect": [{}]}]}],
            "entry 1 of expectation 1 is a scenario inside",
        ),
        ([{"when": {}, "expect": [{"requests": {}}]}] * 9, "9 scenarios; at most 8 are rehearsed"),
        ([{"answer": {"code": 1}}], 'answer of expectation 1 has the unknown key "code"'),
        ([{"requests": {"body": [[[[[[[[[[[[[1]]]]]]]]]]]]]}}], "expectation 1 has more than"),
        ([{"requests": {"body": [1] * 5_001}}], "expectation 1 has more than 5,000 values"),
        ([{"node": "A", "runs": 1}] * 201, "201 expectations; at most 200 are judged"),
    ],
)
def test_a_malformed_expectation_is_an_error(value: Any, message: str) -> None:
    """The error names the expectation and the key."""
    with pytest.raises(ExpectationError, match="^" + message.replace("(", r"\(")):
        read_expectations(value)


def test_what_no_run_reached_is_not_judged() -> None:
    """An absent request proves nothing where its node never ran, or the run failed before it."""
    reach = Reach(frozenset({"Post", "Later", "Quiet"}), frozenset({"Post", "Later"}))
    whole = _run(("Post", [_exchange(_POST, {"channel": "#daily"}, 1)], ""))
    cases: list[tuple[Any, RehearsedRun, str]] = [
        ({"requests": {"host": "hooks.test"}, "count": 0}, whole, "met"),
        ({"requests": {"host": "hooks.test"}, "count": 0}, _TWO, "unjudged"),
        ({"requests": {"host": "slack.com"}, "count": 0}, _TWO, "unmet"),
        ({"requests": {"host": "hooks.test"}}, whole, "unjudged"),
        ({"requests": {"node": "Later"}}, whole, "unjudged"),
        ({"requests": {"node": "Post", "body": {"a": 1}}}, whole, "unmet"),
        ({"order": [{"node": "Post"}, {"node": "Later"}]}, whole, "unjudged"),
        ({"node": "Later", "runs": 1}, whole, "unjudged"),
        ({"node": "Later", "runs": 0}, whole, "met"),
        ({"node": "Lost", "runs": 0}, whole, "unjudged"),
        ({"node": "Later", "fails": False}, whole, "unjudged"),
        ({"answer": {"status": 200}}, whole, "unjudged"),
    ]
    for expectation, run, state in cases:
        (verdict,) = judge(read_expectations([expectation]), run, reach)
        assert verdict.state == state, (expectation, verdict)


def test_several_runs_give_one_verdict() -> None:
    """A run that shows nothing does not count, and one forbidden request is enough."""
    reach = Reach(frozenset({"Post"}), frozenset({"Post"}))
    empty, sent = _run(("Start", [], "")), _run(("Post", [_exchange(_POST, {}, 1)], ""))
    posted, never = read_expectations(
        [{"requests": {"node": "Post"}}, {"requests": {"node": "Post"}, "count": 0}]
    )
    verdicts = judge_runs([posted, never], [empty, sent], reach)
    assert [verdict.state for verdict in verdicts] == ["met", "unmet"]
    assert judge_runs([posted], [empty], reach)[0].miss == 'no run reached "Post"'
    assert judge_runs([posted], [], reach)[0].miss == "there was no run"


def test_counts_can_follow_the_items_of_a_node() -> None:
    """As many requests as a node has items; equal ones are not distinct."""
    twice = _run(("List", [], ""), ("Post", [_exchange(_POST, {}, 1), _exchange(_POST, {}, 2)], ""))
    described = {"requests": {"node": "Post"}}
    many, distinct = judge(
        read_expectations(
            [{**described, "count": {"items_of": "List"}}, {**described, "distinct": True}]
        ),
        twice,
    )
    assert many.miss == '2 such requests were sent, 1 as items of "List" expected'
    assert distinct.miss.startswith("two of them are POST")


def test_a_draft_names_its_steps() -> None:
    """Names of steps become those of nodes everywhere, and a name of neither is a finding."""
    names = {"a": "b", "b": "Tell"}
    written = {
        "trigger": "a",
        "when": {"answers": {"a": [], "b": []}},
        "expect": [
            {"requests": {"node": "b"}, "count": {"items_of": "a"}},
            {"order": [{"node": "a"}, {"host": "x"}]},
            {"node": "Tell", "runs": 0},
        ],
    }
    (read,), findings = check_expectations([written], names)
    assert findings == ()
    assert read == {
        "trigger": "b",
        "when": {"answers": {"b": [], "Tell": []}},
        "expect": [
            {"requests": {"node": "Tell"}, "count": {"items_of": "b"}},
            {"order": [{"node": "b"}, {"host": "x"}]},
            {"node": "Tell", "runs": 0},
        ],
    }
    wrong = [{"node": "c", "runs": 1}, {"requests": {}}, {"when": {}, "expect": [{"node": "a"}]}]
    kept, findings = check_expectations(wrong, names)
    assert kept == ({"requests": {}},)
    assert [finding.at for finding in findings] == [
        ("expect", 0, "node"),
        ("expect", 2, "expect", 0),
    ]


def test_only_a_star_is_special() -> None:
    """Brackets and question marks of a path stand for themselves."""
    run = _run(("A", [_exchange("https://a.test/x[1]", {}, 1)], ""))
    met, other = judge(
        read_expectations([{"requests": {"path": "/x[1]"}}, {"requests": {"path": "/x[*"}}]), run
    )
    assert met.is_met
    assert other.is_met


def test_long_texts_are_judged_in_proportion_to_their_length() -> None:
    """Stars and long bodies do not multiply."""
    body = {"text": "a" * 1_000_000}
    run = _run(("A", [_exchange("https://a.test/x", body, 1)], ""))
    hostile = [{"requests": {"body": {"text": "*a*a*a*a*a*a*a*a*b"}}}]
    (verdict,) = judge(read_expectations(hostile), run)
    assert not verdict.is_met


def test_an_expectation_about_another_trigger_is_left_out() -> None:
    """Each trigger starts a run of its own."""
    expected = [
        {"trigger": "Start", "node": "Post", "runs": 1},
        {"trigger": "Other", "node": "Post", "runs": 1},
    ]
    assert len(judge(read_expectations(expected), _TWO)) == 1


def test_an_unmet_expectation_is_a_finding() -> None:
    """N8N607 quotes the expectation, N8N608 lists what was sent; a failure may be the answer's."""
    rehearsal = Rehearsal((_TWO,), (UnreachedNode("Never", "it is disabled"),))
    rehearsal = replace(rehearsal, reached={"Tool": "called", "Post": "natural"})
    judged = judge(read_expectations([{"node": "Post", "items": 2, "why": "two tasks"}]), _TWO)
    graph = ResolvedGraph(Graph({}, (), ()), (), {})
    findings = rehearsal_findings(graph, rehearsal, judged)
    unmet, extent = sorted(findings, key=lambda finding: finding.rule.code)
    assert (unmet.rule.code, extent.rule.code) == ("N8N607", "N8N608")
    assert 'two tasks: "Post" has 1 items, 2 expected; requests sent: POST' in unmet.message
    assert "not proven: two tasks; requests: " in extent.message
    assert '"Post" POST https://slack.com/api/chat.postMessage' in extent.message
    assert 'called only by an agent of the rehearsal: "Tool"; ' in extent.message
    assert extent.message.endswith('not reached: "Never" (it is disabled)')


def test_the_fields_of_a_form_in_parts_are_read() -> None:
    """A file is described by its name; the boundary differs from request to request."""
    parts = [
        'Content-Disposition: form-data; name="title"\r\n\r\nA picture',
        'Content-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nPNG',
    ]
    body = "".join(f"--mark\r\n{part}\r\n" for part in parts) + "--mark--\r\n"
    sent = _exchange("https://a.test/files", body, 1, "multipart/form-data; boundary=mark")
    expected = {"requests": {"body": {"title": "A picture", "file": "a.png"}}}
    (verdict,) = judge(read_expectations([expected]), _run(("Send", [sent], "")))
    assert verdict.is_met
