"""A server over an SQLite file: locks, full disks, broken files."""

from __future__ import annotations

import stat
from typing import Any

from sqlalchemy import event

from grounded_builder.settings import sqlite_url
from tests.api.conftest import Serve, Served
from tests.support import catalogs


def test_the_first_token_is_a_private_file(shared_server: Served) -> None:
    """The token made at first start is readable by its owner alone, and only its hash is kept."""
    path = shared_server.settings.state / "token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    database = (shared_server.settings.state / "grounded.db").read_bytes()
    log = (shared_server.settings.state / "grounded.db-wal").read_bytes()
    assert shared_server.token.encode() not in database + log


def test_a_full_disk_is_reported(serve: Serve) -> None:
    """When nothing more fits, nothing of the catalog is kept, and the active one stays."""
    served = serve()
    active = served.load().json()["fingerprint"]
    engine = served.state.store.engine
    engine.dispose()

    @event.listens_for(engine, "connect")
    def _no_growth(connection: Any, _record: Any) -> None:
        connection.execute("PRAGMA max_page_count = 1")

    many = [catalogs.hook() | {"id": f"acme-nodes.n{n}", "name": f"{n}" * 200} for n in range(900)]
    answer = served.load(catalogs.jsonl(catalogs.add_end_line([catalogs.header(), *many])))
    assert (answer.status_code, answer.json()["error"]["code"]) == (507, "disk-full")
    assert served.client.get("/readyz").json()["catalogs"] == {"n8n": active}
    assert len(served.client.get("/v1/n8n/catalogs").json()["catalogs"]) == 1


def test_a_read_only_database_is_reported(serve: Serve) -> None:
    """A server over a database that it cannot write judges, and refuses to load."""
    writer = serve()
    writer.load()
    path = writer.settings.state / "grounded.db"
    reader = serve(database_url=f"sqlite:///file:{path}?mode=ro&uri=true")
    report = reader.client.post("/v1/n8n/validate", json={"workflow": catalogs.workflow()})
    assert report.json()["verdict"] == "ok"
    answer = reader.load(catalogs.acme_bytes(origin="login"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "database-read-only")
    assert sqlite_url(writer.settings.state) == writer.settings.database_url
