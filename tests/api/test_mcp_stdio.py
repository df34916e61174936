"""`grounded mcp` on standard input and output, asked by the SDK's own client."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.settings import Settings
from tests.support import catalogs
from tests.support.databases import url_of
from tests.support.mcp_clients import (
    call_and_fail,
    call_successfully,
    list_published_tools,
    run_over_stdio,
)

pytestmark = pytest.mark.sqlite_suffices


def test_the_program_serves_all_domains(tmp_path: Path) -> None:
    """It lists its tools, judges by the active catalog, and notices another one."""
    store = open_domains_store(Settings(state=tmp_path, database_url=url_of(tmp_path)))
    store.load_catalog(catalogs.acme_bytes())

    async def work(client: Client) -> tuple[Any, ...]:
        names = [item["name"] for item in await list_published_tools(client)]
        draft = {"steps": [{"tool": "Acme Fax", "params": {}}]}
        judged = await call_successfully(client, "validate", draft=draft)
        none = await call_and_fail(client, "find_tool", query="x", domain="tools")
        added = {**catalogs.mail(), "id": "acme-nodes.fax", "name": "Acme Fax"}
        tool = {key: value for key, value in added.items() if key != "kind"}
        await asyncio.to_thread(store.put_tool, "n8n", tool)
        again = await call_successfully(client, "resolve", name="Acme Fax")
        return names, judged, none, again

    names, judged, none, again = run_over_stdio(
        "grounded",
        "mcp",
        work=work,
        GROUNDED_STATE=str(tmp_path),
        GROUNDED_DATABASE_URL=url_of(tmp_path),
    )
    store.close()
    assert len(names) == 9
    assert judged["findings"][0]["code"] in ("GB201", "GB202")
    assert "grounded catalog load --domain tools" in none
    assert again["tool"] == "acme-nodes.fax", json.dumps(again)
