"""Two rehearsals are compared by node, without what every run makes anew."""

from __future__ import annotations

from typing import Any

from grounded_builder.domains.n8n.rehearsal.difference import compare_rehearsals, difference_lines

_URL = "https://slack.com/api/chat.postMessage"
_FIRST, _SECOND = "2026-03-01T09:00:00.000Z", "2026-03-02T10:30:00.000Z"
_ID = "3f1c2a4e-88aa-4c1f-9a53-0e6c5b7d1a2{}"


def _request(body: Any, url: str = _URL, method: str = "POST", status: int = 200) -> dict[str, Any]:
    return {"method": method, "url": url, "body": body, "status": status}


def _rehearsal(started: str, *requests: dict[str, Any], number: str = "1", **step: Any) -> Any:
    ran = {"node": "Post", "items": 1, "error": "", "requests": list(requests), **step}
    run = {"trigger": "Start", "status": "success", "execution": number, "started": started}
    return {"runs": [{**run, "steps": [ran]}]}


def _list_changes(earlier: Any, later: Any, written: str = "") -> list[tuple[str, str]]:
    difference = compare_rehearsals(earlier, later, written)
    assert difference["equal"] == (not difference["runs"])
    return [
        (request["change"], change["at"])
        for run in difference["runs"]
        for node in run["nodes"]
        for request in node["requests"]
        for change in request["changes"] or [{"at": request["url"]}]
    ]


def test_a_changed_field_is_named_by_its_path() -> None:
    """The path leads into the body, and the address is compared too."""
    before = _rehearsal(_FIRST, _request({"blocks": [{"text": "a"}], "channel": "#a"}))
    after = _rehearsal(_SECOND, _request({"blocks": [{"text": "b"}], "channel": "#a"}))
    assert _list_changes(before, after) == [("changed", "/body/blocks/0/text")]
    other = _rehearsal(_SECOND, _request({"blocks": [{"text": "a"}]}, f"{_URL}?x=1"))
    assert _list_changes(before, other) == [("changed", "/url"), ("changed", "/body/channel")]


def test_requests_are_added_and_removed() -> None:
    """One more request is one addition, wherever it is sent."""
    read = _request(None, "https://api.acme.example/v1/items", "GET")
    before = _rehearsal(_FIRST, _request({"text": "a"}))
    after = _rehearsal(_SECOND, read, _request({"text": "a"}))
    assert _list_changes(before, after) == [("added", read["url"])]
    assert _list_changes(after, before) == [("removed", read["url"])]


def test_what_every_run_makes_anew_is_left_out() -> None:
    """Times equally far from the start, the execution's number and new identifiers are counted."""
    texts = ("at {} of {} ({}), due {}", ("2026-03-08", "2026-03-09"))
    bodies = [
        {"text": texts[0].format(at, number, _ID.format(number), due), "ms": ms}
        for at, number, due, ms in (
            ("2026-03-01T09:00:01.500Z", "1", texts[1][0], 1_772_355_601_000),
            ("2026-03-02T10:30:02.900+00:00", "2", texts[1][1], 1_772_447_402_000),
        )
    ]
    before = _rehearsal(_FIRST, _request(bodies[0]))
    after = _rehearsal(_SECOND, _request(bodies[1]), number="2")
    difference = compare_rehearsals(before, after, "2")
    assert (difference["equal"], difference["left_out"]) == (True, 2)
    assert list(difference_lines(difference)) == ["no difference from the earlier rehearsal"]


def test_a_written_value_is_a_difference() -> None:
    """A moment elsewhere, and an identifier that stands in the workflow, are not of the run."""
    before = _rehearsal(_FIRST, _request({"due": "2026-04-01T08:00:00Z", "page": _ID.format(1)}))
    after = _rehearsal(_SECOND, _request({"due": "2026-05-01T08:00:00Z", "page": _ID.format(2)}))
    due, page = ("changed", "/body/due"), ("changed", "/body/page")
    assert _list_changes(before, after) == [due]
    assert _list_changes(before, after, f'"page": "{_ID.format(2)}"') == [due, page]


def test_items_errors_and_runs_are_compared() -> None:
    """A node that fails, one with other items, and a run that only one rehearsal has."""
    before = _rehearsal(_FIRST, items=2)
    after = _rehearsal(_SECOND, error="no channel", items=0)
    after["runs"].append({"trigger": "Hook", "steps": []})
    difference = compare_rehearsals(before, after)
    (run,) = difference["runs"]
    assert [change["at"] for change in run["nodes"][0]["changes"]] == ["/items", "/error"]
    assert difference["added_runs"] == [{"trigger": "Hook", "reason": ""}]
    assert '/error: "" -> "no channel"' in "\n".join(difference_lines(difference))


def test_what_is_no_rehearsal_is_compared_too() -> None:
    """The earlier result is from outside: any JSON is read without an error."""
    strange: dict[str, Any] = {
        "runs": [None, {"steps": {}}, {"trigger": [], "steps": [{"requests": [1, {}]}]}]
    }
    difference = compare_rehearsals(strange, _rehearsal(_FIRST))
    assert len(difference["removed_runs"]) == 2
    assert compare_rehearsals(_rehearsal(_FIRST), strange)["equal"] is False
    assert list(difference_lines(difference))
