"""``GET /v1/analytics`` over real HTTP."""

from __future__ import annotations

from tests.api.conftest import Served


def test_unresolved_names_are_reported_by_period(empty: Served) -> None:
    """A name that was just resolved is in today's answer and in no earlier period."""
    assert empty.load().status_code == 200
    for _ in range(2):
        empty.client.post("/v1/n8n/resolve", json={"text": "ice maker"})
    json = empty.client.get("/v1/analytics").json()
    assert [(item["name"], item["count"]) for item in json["unresolved"]] == [("ice maker", 2)]
    assert json["days"][-1]["names"] == {"unknown": 2}
    past = empty.client.get("/v1/analytics", params={"until": "2020-01-31"}).json()
    assert (past["since"], past["unresolved"], past["days"]) == ("2020-01-01", [], [])


def test_a_day_that_is_none_is_refused(empty: Served) -> None:
    """A period is named by days of the calendar."""
    answer = empty.client.get("/v1/analytics", params={"since": "2026-02-30"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-argument")
