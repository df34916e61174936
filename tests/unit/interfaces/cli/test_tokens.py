"""The commands of ``grounded tokens``, and their effect on a server."""

from __future__ import annotations

from pathlib import Path

import pytest

from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.settings import Settings, sqlite_url
from tests.unit.interfaces.cli.test_aliases import complaint, output_of, read


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state with the token that a server makes at its first start."""
    folder = tmp_path_factory.mktemp("tokens")
    store = open_domains_store(Settings(state=folder, database_url=sqlite_url(folder)))
    store.first_token()
    store.close()
    return folder


def test_a_token_is_made_listed_shown_and_revoked(state: Path) -> None:
    """Scopes and every switch of the policy are kept; the token itself is shown once."""
    wish = ("--scope", "validate", "--scope", "draft", "--allowed-host", "*.acme.com")
    more = ("--denied", "n8n-nodes-base.ssh", "--no-code", "--core-only", "--no-host-access")
    made = read(state, "tokens", "create", "reader", *wish, *more)
    secret = made.pop("token")
    assert made["scopes"] == ["draft", "validate"]
    assert made["policy"] == {
        "allowed_hosts": ["*.acme.com"],
        "no_code": True,
        "core_only": True,
        "no_host_access": True,
        "denied": ["n8n-nodes-base.ssh"],
    }
    assert made in read(state, "tokens", "list")
    assert read(state, "tokens", "show", made["id"]) == made
    text = output_of(state, "tokens", "show", made["id"]) + output_of(state, "tokens", "list")
    assert "policy  allowed_hosts: *.acme.com" in text
    assert secret not in text
    output_of(state, "tokens", "revoke", made["id"])
    assert made["id"] not in output_of(state, "tokens", "list")


def test_a_narrow_token_may_come_before_the_first_start(tmp_path: Path) -> None:
    """It is revoked like any other, and the first start makes the admin token all the same."""
    first = read(tmp_path, "tokens", "create", "early", "--scope", "validate")
    second = read(tmp_path, "tokens", "create", "later", "--scope", "draft")
    output_of(tmp_path, "tokens", "revoke", first["id"])
    store = open_domains_store(Settings(state=tmp_path, database_url=sqlite_url(tmp_path)))
    store.first_token()
    store.first_token()
    store.close()
    listed = read(tmp_path, "tokens", "list")
    assert [item["id"] for item in listed if "admin" not in item["scopes"]] == [second["id"]]
    assert len([item for item in listed if "admin" in item["scopes"]]) == 1
    assert (tmp_path / "token").exists()


def test_invalid_token_command_is_reported(state: Path) -> None:
    """Unknown scopes, a policy of an admin, an unknown id and the last admin are refused."""
    (admin,) = [item for item in read(state, "tokens", "list") if "admin" in item["scopes"]]
    create = ("tokens", "create", "x", "--scope")
    assert "no scope 'write'" in complaint(state, *create, "write")
    assert "takes no policy" in complaint(state, *create, "admin", "--no-code")
    assert "not a name" in complaint(state, *create, "draft", "--denied", " ")
    assert "tokens list" in complaint(state, "tokens", "revoke", "nothing")
    assert "tokens list" in complaint(state, "tokens", "show", "nothing")
    assert "last token with scope admin" in complaint(state, "tokens", "revoke", admin["id"])
