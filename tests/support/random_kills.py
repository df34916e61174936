"""Kills processes at random moments under load, and checks that nothing is lost or duplicated.

A round starts one of everything that is stored: a conversation, a job, imports into a real n8n, a
catalog, a token. At a random moment one process is killed with SIGKILL and restarted. Clients retry
as clients should: idempotent requests (GET, PUT, DELETE, and POST with a key) are sent again; for a
conversation they first read its state.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx

from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.domains.n8n.deploy.http import N8nError
from grounded_builder.domains.n8n.deploy.import_run import discard
from runtime import n8n_server
from runtime.n8n_server import N8nServer
from runtime.ports import free_port
from tests.support.jobs import PLAN, WHOLE
from tests.support.loopback import ask
from tests.support.n8n_workflows import client_of, hook, list_workflows, node, workflow
from tests.support.nginx import run_nginx
from tests.support.postgres import Postgres
from tests.support.replicas import Forks, Replica
from tests.support.time_bounds import PATIENCE_S, until
from tests.support.tool_lists import tool

T = TypeVar("T")

KINDS = ("sqlite", "postgresql", "replica", "n8n")
_AWAY = (502, 503, 504)
_PAUSE_S = 0.05
_IN_THE_CATALOG = frozenset({"n8n-nodes-base.webhook", "n8n-nodes-base.set"})
_REQUEST = "When the webhook is called, set a field"
_START = {"id": "start", "tool": "n8n-nodes-base.webhook", "params": {"path": "kills"}}
_RIGHT = {"goal": "set", "steps": [_START, {"id": "set", "tool": "n8n-nodes-base.set"}]}
_INVENTED = {"steps": [_START, {"id": "bird", "tool": "n8n-nodes-base.carrierPigeon"}]}
# Approximate duration of the whole load; the moment of a kill is drawn from it.
_SPAN_S = 1.5
_AFTER_S = 0.3
# One second, plus the delays of a busy machine.
_NOTICED_S = 30.0


@dataclass
class Caller:
    """A client that retries interrupted requests; ``cuts`` counts them."""

    url: str
    token: str
    cuts: int = 0

    def ask(self, method: str, path: str, *, content: Any = None, **body: Any) -> httpx.Response:
        """Returns the answer, with as many requests as needed."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            answer = self.ask_once(method, path, content=content, **body)
            if answer is not None:
                return answer
            assert time.monotonic() < deadline, f"{method} {path} is never answered"
            time.sleep(_PAUSE_S)

    def ask_once(
        self, method: str, path: str, *, content: Any = None, **body: Any
    ) -> httpx.Response | None:
        """Returns the answer, or None if the connection was cut or no server was there."""
        sent = {"content": content} if content is not None else {"json": body or None}
        headers = {"Authorization": f"Bearer {self.token}"}
        try:
            answer = ask(method, f"{self.url}{path}", headers=headers, timeout=PATIENCE_S, **sent)
        except httpx.TransportError:
            self.cuts += 1
            return None
        if answer.status_code in _AWAY:
            self.cuts += 1
            return None
        return answer


@dataclass
class Place:
    """The processes under load, of which some are killed."""

    kind: str
    n8n: N8nServer
    n8n_state: Path
    forks: Forks
    replicas: list[Replica]
    url: str
    token: str
    number: int = 0
    cuts: int = 0
    fingerprints: list[str] = field(default_factory=list)

    def round(self, rng: random.Random) -> None:
        """Kills once under load; raises AssertionError that names what was lost or duplicated."""
        self.number += 1
        tasks: list[Callable[[Caller], None]] = [
            self._talk,
            self._build,
            self._load,
            self._revoke,
            *[self._import] * (6 if self.kind == "n8n" else 2),
        ]
        callers = [Caller(self.url, self.token) for _ in tasks]
        with ThreadPoolExecutor(len(tasks)) as pool:
            running = [
                pool.submit(task, caller) for task, caller in zip(tasks, callers, strict=True)
            ]
            time.sleep(rng.uniform(0, _SPAN_S))
            self._kill(rng)
            for future in running:
                future.result()
        self.cuts += any(caller.cuts for caller in callers)
        self._look_whole()

    def _kill(self, rng: random.Random) -> None:
        if self.kind == "n8n":
            self.n8n = restart_n8n(self.n8n, self.n8n_state)
            return
        victim = rng.choice(self.replicas)
        self.forks.kill(victim)
        time.sleep(rng.uniform(0, _AFTER_S))
        self.forks.start(victim)

    def _talk(self, caller: Caller) -> None:
        """Runs a conversation of two rounds, which must both be stored once.

        It has no trial, which a kill of n8n may interrupt.
        """
        opened = caller.ask("POST", "/v1/n8n/sessions", request=_REQUEST, trial=False)
        session = opened.json()["session"]
        for number, reply in enumerate((_INVENTED, _RIGHT), 1):
            text = json.dumps(reply)
            while True:
                response = caller.ask_once("POST", f"/v1/sessions/{session}/drafts", reply=text)
                now = caller.ask("GET", f"/v1/sessions/{session}").json()
                if response is not None or now.get("round") != number:
                    break
        done = caller.ask("GET", f"/v1/sessions/{session}").json()
        run = caller.ask("GET", f"/v1/runs/{session}").json()
        assert done["status"] != "draft", done
        assert [draft["number"] for draft in run["drafts"]] == [1, 2], run["drafts"]
        assert [json.loads(draft["reply"]) for draft in run["drafts"]] == [_INVENTED, _RIGHT]
        assert run["result"] == done

    def _build(self, caller: Caller) -> None:
        """Runs a job with a key, which must be drafted, leased and built once."""
        key = uuid.uuid4().hex
        path = "/v1/simulink/jobs"
        job = caller.ask("POST", path, plan=PLAN, key=key, attempts=9).json()["jobs"][0]["id"]
        deadline = time.monotonic() + PATIENCE_S
        while True:
            now = caller.ask("GET", f"{path}/{job}?picture=false").json()["jobs"][0]
            if now["state"] in ("built", "failed"):
                break
            assert time.monotonic() < deadline, now
            taken = caller.ask("POST", f"{path}/lease", worker=key, seconds=1.5, job=job)
            for item in taken.json()["jobs"]:
                report = {"lease": item["lease"], "report": WHOLE}
                caller.ask("POST", f"{path}/{job}/result", **report)
            time.sleep(_PAUSE_S)
        assert now["state"] == "built", now
        assert sum(not attempt["silent"] for attempt in now["attempts"]) == 1, now["attempts"]
        again = caller.ask("POST", path, plan=PLAN, key=key, attempts=9).json()["jobs"][0]["id"]
        assert again == job, "the job was made twice"

    def _import(self, caller: Caller) -> None:
        """Runs an import with a key, after which n8n must have one workflow of it."""
        start, end = hook(), node("Set", "set", 3.4)
        del start["id"], end["id"]
        draft = workflow(start, end)
        deadline = time.monotonic() + PATIENCE_S
        while True:
            answer = caller.ask("POST", "/v1/n8n/import", draft=draft, key=draft["name"])
            assert answer.is_success, answer.text
            made = answer.json()
            if made["outcome"] == "imported":
                break
            assert time.monotonic() < deadline, made
            caller.cuts += 1
            time.sleep(_PAUSE_S)
        name, workflow_id = draft["name"], made["workflow_id"]
        stored = self._ask_n8n(lambda n8n: [item["id"] for item in n8n.workflows_named(name)])
        assert stored == [workflow_id], (stored, workflow_id)
        self._ask_n8n(lambda n8n: discard(n8n, workflow_id))

    def _ask_n8n(self, question: Callable[[N8nClient], T]) -> T:
        """Returns the answer of n8n, which may just have been killed."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                with client_of(self.n8n) as client:
                    return question(client)
            except N8nError:
                assert time.monotonic() < deadline, "n8n does not come back"
                time.sleep(_PAUSE_S)

    def _load(self, caller: Caller) -> None:
        """Loads a catalog, which must be active once the request is answered."""
        text = {"type": "string"}
        content = json.dumps(
            [tool(f"tool_{self.number}_{n}", f"Tool {n}.", text=text) for n in range(40)]
        ).encode()
        loaded = caller.ask("PUT", "/v1/tools/catalog", content=content)
        assert loaded.status_code == 200, loaded.text
        self.fingerprints.append(loaded.json()["fingerprint"])
        self._until_everywhere(lambda at: self._active(at) == self.fingerprints[-1])

    def _revoke(self, caller: Caller) -> None:
        """Revokes a token, which no replica may accept once the request is answered."""
        wanted = {"label": "k", "scopes": ["validate"]}
        made = caller.ask("POST", "/v1/tokens", **wanted).json()
        ended = caller.ask("DELETE", f"/v1/tokens/{made['id']}").status_code
        assert ended in (204, 404), ended
        self._until_everywhere(
            lambda at: (
                (answer := Caller(at, made["token"]).ask_once("GET", "/v1/tools/catalog")) is None
                or answer.status_code == 401
            )
        )

    def _until_everywhere(self, is_so: Callable[[str], bool]) -> None:
        """Waits until a condition holds at every running replica, within its time limit."""
        for replica in self.replicas:
            deadline = time.monotonic() + _NOTICED_S
            while not is_so(replica.url):
                if replica.pid is None or not replica.answers():
                    deadline = time.monotonic() + _NOTICED_S
                assert time.monotonic() < deadline, f"{replica.url} does not notice"
                time.sleep(_PAUSE_S)

    def _active(self, url: str) -> str:
        answer = Caller(url, self.token).ask_once("GET", "/v1/tools/catalog")
        return "" if answer is None else str(answer.json().get("fingerprint"))

    def _look_whole(self) -> None:
        """Checks that the active catalog is complete and that a database file is sound."""
        caller = Caller(self.url, self.token)
        shown = caller.ask("GET", "/v1/tools/catalog").json()
        assert shown["fingerprint"] == self.fingerprints[-1]
        assert shown["tools"] == 40, shown
        for number in (0, 39):
            answer = caller.ask("GET", f"/v1/tools/tools/tool_{self.number}_{number}")
            assert answer.status_code == 200, answer.text
        if self.kind == "sqlite":
            file = Path(self.replicas[0].env["GROUNDED_STATE"]) / "grounded.db"
            with sqlite3.connect(file) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert _list_imported(self.n8n) == [], "workflows that no answer reported"


@contextmanager
def place(
    kind: str, folder: Path, n8n: N8nServer, n8n_state: Path, catalog: bytes
) -> Iterator[Place]:
    """Yields processes to kill: sidecars in front of this n8n, over a new database."""
    forks = Forks(folder)
    with ExitStack() as stack:
        stack.callback(forks.close)
        facts = {"GROUNDED_N8N_URL": n8n.url, "GROUNDED_N8N_API_KEY": n8n.api_key}
        facts["GROUNDED_DRAFTERS"] = "planner"
        names = ["first"]
        if kind != "sqlite":
            server = Postgres.start_new()
            stack.callback(server.remove)
            facts["GROUNDED_DATABASE_URL"] = server.create("kills")
        if kind in ("replica", "n8n"):
            names.append("second")
        replicas = [forks.replica(name, _machine(kind, name), **facts) for name in names]
        url = replicas[0].url
        if len(replicas) > 1:
            ports = [replica.port for replica in replicas]
            url, _ = stack.enter_context(run_nginx(folder / "nginx", ports))
        made = Place(kind, n8n, n8n_state, forks, replicas, url, replicas[0].token())
        caller = Caller(url, made.token)
        loaded = caller.ask("PUT", "/v1/n8n/catalog", content=reduce_catalog(catalog))
        assert loaded.is_success, loaded.text
        _clear(n8n)
        caller.ask("POST", "/v1/simulink/jobs?wait=20", plan=PLAN, key="first")
        caller.ask("POST", "/v1/n8n/validate", workflow=workflow(hook(), node("Set", "set", 3.4)))
        yield made


def _list_imported(n8n: N8nServer) -> list[str]:
    """Returns the ids of the workflows that imports of these tests created."""
    with client_of(n8n) as client:
        return [item["id"] for item in list_workflows(client) if item["name"].startswith("test ")]


def _clear(n8n: N8nServer) -> None:
    """Removes leftovers of failed rounds and other tests, which would fail the next rounds."""
    with client_of(n8n) as client:
        for number in _list_imported(n8n):
            discard(client, number)


def restart_n8n(server: N8nServer, state: Path, **extra_env: str) -> N8nServer:
    """Kills an n8n, restarts it at the same address and returns it."""
    kill(server)
    port = int(server.url.rpartition(":")[2])
    until(lambda: free_port(port) == port, f"port {port} stays taken")
    return n8n_server.start(state, port, extra_env)


def kill(server: N8nServer) -> None:
    """Kills an n8n and its children."""
    with suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    until(lambda: not server.alive(), "n8n did not end")


def reduce_catalog(catalog: bytes) -> bytes:
    """Returns a catalog with only the tools used here, which loads quickly."""
    lines = [json.loads(line) for line in catalog.splitlines()]
    few = [line for line in lines if line.get("id") in _IN_THE_CATALOG]
    logins = {
        credential["name"]
        for line in few
        for way in line["variants"]
        for credential in way.get("credentials", ())
    }
    few += [x for x in lines if x["kind"] == "credential" and x["id"] in logins]
    kinds = [line["kind"] for line in few]
    end = {"kind": "end", "tools": kinds.count("tool"), "credentials": kinds.count("credential")}
    return b"".join(json.dumps(line).encode() + b"\n" for line in (lines[0], *few, end))


def _machine(kind: str, name: str) -> str:
    """Returns a machine name per replica, so that one cannot see when the other's process ends."""
    return f"machine-{name}" if kind in ("replica", "n8n") else ""
