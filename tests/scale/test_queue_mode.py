"""The processes of the compose profile `scale`, without containers."""

from __future__ import annotations

from pathlib import Path

import httpx

from grounded_builder.domains.n8n.deploy.import_run import discard
from tests.support.loopback import ask
from tests.support.n8n_workflows import client_of, node, workflow
from tests.support.nginx import run_nginx
from tests.support.postgres import Postgres
from tests.support.queue_mode import Queue
from tests.support.random_kills import Caller, reduce_catalog
from tests.support.replicas import Forks
from tests.support.time_bounds import PATIENCE_S, until


def test_a_workflow_is_imported_published_and_executed_by_a_worker(
    tmp_path: Path, queue: Queue, postgres: Postgres, forks: Forks, catalog_file: Path
) -> None:
    """Two sidecars and n8n's main, webhook and worker processes behind one nginx: all agree."""
    facts = {
        "GROUNDED_DATABASE_URL": postgres.create("sidecars"),
        "GROUNDED_N8N_URL": queue.main.url,
        "GROUNDED_N8N_API_KEY": queue.main.api_key,
    }
    replicas = [forks.replica(name, f"machine-{name}", **facts) for name in ("one", "two")]
    main = int(queue.main.url.rpartition(":")[2])
    ports = [replica.port for replica in replicas]
    with run_nginx(tmp_path / "nginx", ports, main, queue.webhooks) as (sidecars, n8n):
        caller = Caller(sidecars, replicas[0].token())
        caller.ask("PUT", "/v1/n8n/catalog", content=reduce_catalog(catalog_file.read_bytes()))
        hook = node(
            "Hook",
            "webhook",
            2,
            {"path": "scale", "httpMethod": "POST", "responseMode": "lastNode"},
        )
        field = {"id": "1", "name": "seen", "type": "string", "value": "={{ $json.body.x }}"}
        values = {"assignments": {"assignments": [field]}, "options": {}}
        draft = workflow(hook, node("Set", "set", 3.4, values))
        made = caller.ask("POST", "/v1/n8n/import", draft=draft, publish=True).json()
        assert (made["outcome"], made["published"]) == ("imported", True), made
        again = caller.ask("POST", "/v1/n8n/import", draft=draft, publish=True).json()
        assert again["workflow_id"] == made["workflow_id"]

        def is_answered() -> httpx.Response | None:
            # The process that takes webhooks hears of a new one from the main process.
            answer = ask("POST", f"{n8n}/webhook/scale", json={"x": "y"}, timeout=PATIENCE_S)
            return None if answer.status_code == 404 else answer

        answer = until(is_answered, "the webhook is not known")
        assert answer.json() == {"seen": "y"}, answer.text
        until(lambda: "started execution" in queue.worker_log.read_text(), "not by the worker")
        with client_of(queue.main) as client:
            assert [item["id"] for item in client.workflows_named(draft["name"])] == [
                made["workflow_id"]
            ]
            discard(client, made["workflow_id"])
