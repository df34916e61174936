from __future__ import annotations

from dataclasses import replace

import pytest

from grounded_builder.catalog.catalog_file import Bounds
from grounded_builder.interfaces.http.schemas import catalog as catalog_shapes
from tests.api.conftest import Serve, Served
from tests.support import catalogs
from tests.support.time_bounds import until


def _smaller() -> bytes:
    return catalogs.jsonl(
        catalogs.add_end_line([catalogs.header(), catalogs.hook(), catalogs.mail()])
    )


def test_a_loaded_catalog_is_active_at_once(empty: Served) -> None:
    """Before a catalog nothing is ready; after loading one it is, and the answer counts tools."""
    assert empty.client.get("/readyz").status_code == 503
    refused = empty.client.post("/v1/n8n/validate", json={"workflow": {}})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no-catalog")
    answer = empty.load()
    assert answer.status_code == 200, answer.text
    loaded = catalog_shapes.LoadedShape.model_validate(answer.json())
    assert (loaded.added, loaded.changed, loaded.removed, loaded.is_new) == (7, 0, 0, True)
    ready = empty.client.get("/readyz").json()
    assert ready["catalogs"] == {"n8n": loaded.fingerprint}


def test_loading_again_changes_nothing(empty: Served) -> None:
    """The same content in another order has the same fingerprint and is not new."""
    first = empty.load().json()
    header, *middle, end = catalogs.acme()
    again = empty.load(catalogs.jsonl([header, *reversed(middle), end])).json()
    assert again["fingerprint"] == first["fingerprint"]
    assert (again["is_new"], again["added"], again["changed"], again["removed"]) == (False, 0, 0, 0)


def test_earlier_catalog_can_be_activated_again(empty: Served) -> None:
    """The catalog before is kept, can be compared with, and used again by a short fingerprint."""
    first = empty.load().json()["fingerprint"]
    second = empty.load(_smaller()).json()
    assert second["removed"] == 5
    params = {"old": first, "new": second["fingerprint"]}
    diff = empty.client.get("/v1/n8n/catalog/diff", params=params).json()
    catalog_shapes.DiffShape.model_validate(diff)
    assert catalogs.AGENT in diff["removed"]
    used = empty.client.post("/v1/n8n/catalog/use", json={"fingerprint": first[:10]})
    assert used.json()["is_active"], used.text
    report = empty.client.post("/v1/n8n/validate", json={"workflow": catalogs.workflow()}).json()
    assert report["catalog"] == first
    history = empty.client.get("/v1/n8n/catalogs").json()["catalogs"]
    assert [item["is_active"] for item in history] == [True, False]


def test_a_reference_explains_what_is_elsewhere(empty: Served) -> None:
    """A catalog kept for comparison is not active; a tool that only it has is distinguished."""
    empty.load(_smaller())
    newer = catalogs.acme_bytes(versions={"n8n": "10.0.0"})
    json = empty.load(newer, reference="true").json()
    assert json["catalog"]["is_reference"]
    assert not json["catalog"]["is_active"]
    workflow = catalogs.workflow()
    workflow["nodes"][1]["type"] = catalogs.AGENT
    report = empty.client.post("/v1/n8n/validate", json={"workflow": workflow}).json()
    assert report["diagnostics"][0]["name"] == "unavailable-tool"
    assert "10.0.0" in report["diagnostics"][0]["message"]


def test_an_unsound_file_leaves_everything_as_it_was(empty: Served) -> None:
    """A file that is cut off, of another schema or domain, or doubled is refused and named."""
    active = empty.load().json()["fingerprint"]
    double = catalogs.jsonl(
        catalogs.add_end_line(
            [catalogs.header(), catalogs.hook(), catalogs.hook() | {"name": "Twice"}]
        )
    )
    for content, item in (
        (b"", "empty"),
        (b"\x89PNG\r\n\x1a\n" * 50, "not a catalog header"),
        (b"[" * 10_000, "not a catalog header"),
        (catalogs.acme_bytes()[:-60], "cut off"),
        (catalogs.acme_bytes(schema=2), "schema 2"),
        (catalogs.acme_bytes(domain="simulink"), "domain simulink"),
        (double, "line 2"),
    ):
        answer = empty.load(content)
        assert answer.status_code == 422, answer.text
        error = answer.json()["error"]
        assert error["code"] == "unsound-catalog"
        assert item in error["message"]
        assert error["help"]
    assert empty.client.get("/v1/n8n/catalog").json()["fingerprint"] == active
    assert len(empty.client.get("/v1/n8n/catalogs").json()["catalogs"]) == 1


def test_the_file_is_bounded(serve: Serve) -> None:
    """A catalog beyond the limit is refused, whether its size is announced or not."""
    small = serve(bounds=replace(Bounds(), file_bytes=2_000))
    assert small.load().status_code == 413

    without_length = iter([catalogs.acme_bytes()] * 3)
    answer = small.client.put("/v1/n8n/catalog", content=without_length)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too-large")


def test_tools_are_found_and_shown(shared_server: Served) -> None:
    """Tools are found by name and by word; one is shown whole, an unknown one with its nearest."""
    json = shared_server.client.get("/v1/n8n/tools", params={"q": "acme e-mail"}).json()
    assert json["tools"][0]["id"] == catalogs.MAIL
    everything = shared_server.client.get("/v1/n8n/tools").json()
    assert everything["total"] == 7
    shown = shared_server.client.get(f"/v1/n8n/tools/{catalogs.MAIL}").json()
    assert shown["tool"]["id"] == catalogs.MAIL
    assert len(shown["tool"]["variants"]) == 2
    missing = shared_server.client.get("/v1/n8n/tools/acme-nodes.mial")
    assert missing.status_code == 404
    assert catalogs.MAIL in missing.json()["error"]["help"]


def test_find_answers_in_short(shared_server: Served) -> None:
    """A purpose leads to tools with their operations; one operation tells its parameters."""
    response = shared_server.client.get("/v1/n8n/find", params={"q": "send by Acme Mail"})
    assert len(response.content) <= 2_048
    first = response.json()["tools"][0]
    assert (first["tool"], first["params"]["operation"]) == (catalogs.MAIL, "send")
    result = shared_server.client.get(
        "/v1/n8n/find",
        params={"tool": catalogs.MAIL, "preset": ["resource=message", "operation=send"]},
    )
    assert "to" in result.json()["tools"][0]["parameters"]
    missing = shared_server.client.get("/v1/n8n/find", params={"tool": "acme-nodes.mial"})
    assert missing.status_code == 404


@pytest.mark.parametrize("domain", ["n8n", "simulink", "tools"])
@pytest.mark.parametrize(
    ("query", "message"),
    [("", "tool="), ("q=%20", "tool="), ("query=sine", "has q, tool,"), ("q=x&n=3", "preset")],
)
def test_a_search_for_nothing_is_refused(
    domain: str, query: str, message: str, shared_server: Served
) -> None:
    """A search without a purpose, or with an unknown parameter, is answered with what to send."""
    answer = shared_server.client.get(f"/v1/{domain}/find?{query}")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "bad-argument")
    assert message in error["help"]


def test_metrics_count_by_route(shared_server: Served) -> None:
    """Metrics name routes, never paths, and count verdicts."""
    shared_server.client.post("/v1/n8n/validate", json={"workflow": catalogs.workflow()})
    shared_server.client.get("/v1/n8n/tools/whatever-path")
    text = shared_server.client.get("/metrics").text
    assert 'grounded_verdicts_total{domain="n8n",verdict="ok"}' in text
    assert 'route="/v1/{domain}/tools/{tool_id:path}"' in text
    assert "whatever-path" not in text


def test_counts_outlive_the_server(serve: Serve) -> None:
    """Validations are counted in the database, without what was validated."""
    served = serve()
    served.load()
    served.client.post("/v1/n8n/validate", json={"workflow": catalogs.workflow()})
    served.state.flush()
    until(lambda: served.state.store.counts().get("validate:n8n:ok") == 1, "it is not counted")
