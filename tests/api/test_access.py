from __future__ import annotations

import pytest

from tests.api.conftest import Serve, Served
from tests.support import catalogs

OPEN = {"/healthz", "/readyz", "/docs", "/openapi.json"}


def test_only_health_and_docs_need_no_token(shared_server: Served) -> None:
    """Every route of the OpenAPI document answers 401 without a token, in the one error shape."""
    with shared_server.bare() as stranger:
        paths = stranger.get("/openapi.json").json()["paths"]
        for path, methods in paths.items():
            for method in methods:
                answer = stranger.request(method, path.replace("{domain}", "n8n"))
                if path in OPEN:
                    assert answer.status_code == 200, path
                    continue
                assert answer.status_code == 401, (method, path)
                assert set(answer.json()["error"]) >= {"code", "message", "help"}
                assert answer.headers["www-authenticate"] == "Bearer"


def test_an_unknown_token_is_refused(shared_server: Served) -> None:
    """A token that was never made opens nothing, whatever bytes it has."""
    with shared_server.bare() as stranger:
        for token in ("x", "grounded_" + "A" * 43, "é", shared_server.token[:-1], "a" * 8_000):
            header = b"Bearer " + token.encode("latin-1")
            answer = stranger.get("/v1/n8n/catalog", headers={b"Authorization": header})
            assert answer.status_code == 401
            assert answer.json()["error"]["code"] == "unauthorized"


@pytest.mark.parametrize(
    ("method", "path", "opening"),
    [
        ("POST", "/v1/n8n/validate", {"validate"}),
        ("POST", "/v1/n8n/resolve", {"validate"}),
        ("GET", "/v1/n8n/tools", {"validate"}),
        ("GET", "/metrics", {"validate"}),
        ("POST", "/v1/n8n/repair", {"draft"}),
        ("POST", "/v1/n8n/build", {"draft"}),
        ("PUT", "/v1/n8n/catalog", set()),
        ("POST", "/v1/n8n/catalog/use", set()),
        ("GET", "/v1/tokens", set()),
        ("POST", "/v1/tokens", set()),
    ],
)
def test_a_scope_opens_its_routes_only(
    shared_server: Served, method: str, path: str, opening: set[str]
) -> None:
    """A token opens the routes of its scope; those of other scopes answer 403."""
    for scope in ("validate", "draft", "import"):
        made = shared_server.client.post(
            "/v1/tokens", json={"label": scope, "scopes": [scope]}
        ).json()
        headers = {"Authorization": f"Bearer {made['token']}"}
        with shared_server.bare(headers=headers) as client:
            status = client.request(method, path).status_code
        assert (status != 403) == (scope in opening), (scope, status)
        shared_server.client.delete(f"/v1/tokens/{made['id']}")


def test_a_token_ends_when_it_is_removed(shared_server: Served) -> None:
    """A removed token is refused at once, and is no longer listed."""
    made = shared_server.client.post(
        "/v1/tokens", json={"label": "short", "scopes": ["validate"]}
    ).json()
    with shared_server.bare(headers={"Authorization": f"Bearer {made['token']}"}) as client:
        assert client.get("/v1/n8n/tools").status_code == 200
        assert shared_server.client.delete(f"/v1/tokens/{made['id']}").status_code == 204
        assert client.get("/v1/n8n/tools").status_code == 401
    listed = shared_server.client.get("/v1/tokens").json()["tokens"]
    assert made["id"] not in {token["id"] for token in listed}
    assert "token" not in listed[0]


def test_the_last_admin_token_stays(shared_server: Served) -> None:
    """The last admin token cannot be removed."""
    only = shared_server.client.get("/v1/tokens").json()["tokens"][0]["id"]
    answer = shared_server.client.delete(f"/v1/tokens/{only}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "last-admin")


def test_a_replica_sees_tokens_and_catalogs_within_a_second(serve: Serve) -> None:
    """A second server over the same database follows the changes of the first one."""
    served, other = serve(), serve()
    assert other.client.get("/readyz").status_code == 503
    served.load()
    made = served.client.post("/v1/tokens", json={"label": "new", "scopes": ["validate"]}).json()
    wanted = served.client.get("/v1/n8n/catalog").json()["fingerprint"]
    other.state.refresh()
    with other.bare(headers={"Authorization": f"Bearer {made['token']}"}) as client:
        report = client.post("/v1/n8n/validate", json={"workflow": catalogs.workflow()}).json()
    assert report["catalog"] == wanted
