"""The stage behind HTTP and MCP: warm between rehearsals, replaced when it dies."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from grounded_builder.domains.n8n.rehearsal.stage import Installation, StageError
from grounded_builder.services.stage_keeper import StageKeeper
from grounded_builder.settings import RehearsalSetting, Settings
from runtime import paths
from tests.api.conftest import Served, servers
from tests.rehearsal.processes import list_processes
from tests.support.mcp_clients import call_successfully, run_over_http
from tests.support.n8n_workflows import node, workflow
from tests.support.time_bounds import PATIENCE_S, until

ROUTE = "/v1/n8n/rehearsal"
_OF_OTHERS: set[int] = set()
_FOLDER = b"N8N_USER_FOLDER="
_CALL = {"method": "POST", "url": "https://api.acme.example/v1/orders"}
_CODE = {"jsCode": "await new Promise((done) => setTimeout(done, 20000)); return [];"}
CALLS = workflow(node("Start", "manualTrigger", 1), node("Call", "httpRequest", 4.2, _CALL))
SLEEPS = workflow(node("Start", "manualTrigger", 1), node("Sleep", "code", 2, _CODE))


@pytest.fixture(scope="module")
def served(
    installation: Installation, catalog_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """A server that may rehearse."""
    _OF_OTHERS.update(list_processes())
    state = tmp_path_factory.mktemp("doors")
    (state / "rehearsal").symlink_to(paths.cache() / "test-rehearsal")
    programs = RehearsalSetting(installation.node, installation.n8n, installation.proxy)
    with servers(state) as start:
        result = start(rehearsal=programs)
        assert result.load(catalog_file.read_bytes()).status_code == 200
        yield result


def _list_own(*words: str) -> list[int]:
    """Returns such processes that this module started: other modules share a stage."""
    return [number for number in list_processes(*words) if number not in _OF_OTHERS]


def _is_run_in_progress() -> bool:
    """Returns whether an n8n of this module has an execution in its database that runs."""
    for number in _list_own("bin/n8n", "start"):
        with suppress(OSError, StopIteration, sqlite3.Error):
            environment = Path(f"/proc/{number}/environ").read_bytes().split(b"\0")
            setting = next(entry for entry in environment if entry.startswith(_FOLDER))
            database = Path(setting.removeprefix(_FOLDER).decode(), ".n8n", "database.sqlite")
            with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
                query = "select count(*) from execution_entity where status = 'running'"
                if connection.execute(query).fetchone()[0]:
                    return True
    return False


def _rehearse(served: Served, document: Any) -> Any:
    answer = served.client.post(ROUTE, json={"workflow": document})
    assert answer.status_code == 200, answer.text
    return answer.json()


def _urls(content: Any) -> list[str]:
    return [
        exchange["url"]
        for run in content["runs"]
        for step in run["steps"]
        for exchange in step["requests"]
    ]


def _plan(channel: str, *expected: Any) -> str:
    """Returns a plan that reports to a channel, as a model writes it."""
    body = json.dumps({"channel": channel, "text": "done"})
    url = "https://chat.acme.example/post"
    params = {"method": "POST", "url": url, "sendBody": True, "specifyBody": "json"}
    steps = [
        {"id": "go", "tool": "Manual Trigger"},
        {
            "id": "tell",
            "tool": "HTTP Request",
            "action": "Tell the team",
            "params": {**params, "jsonBody": body},
        },
    ]
    return json.dumps({"steps": steps, "expect": list(expected)})


def _converse(served: Served, replies: Sequence[str], **asked: Any) -> tuple[Any, list[str]]:
    """Returns the outcome of a conversation with these replies, and the messages about drafts."""
    body = {"request": "when I click, tell the team by HTTP", "trial": True, **asked}
    answer = served.client.post("/v1/n8n/sessions", json=body).json()
    told = [message["content"] for message in answer.get("messages", ())[:1]]
    for reply in replies:
        place = f"/v1/sessions/{answer['session']}/drafts"
        answer = served.client.post(place, json={"reply": reply}).json()
        if answer["status"] != "draft":
            break
        told.append(answer["messages"][-1]["content"])
    return answer, told


def test_a_contradicted_expectation_goes_back_once(served: Served) -> None:
    """The drafter reads what was sent; the summary says what was proven and contradicted."""
    expected = {"requests": {"node": "tell", "body": {"channel": "#team"}}, "why": "to the team"}
    later = {"node": "tell", "items": {"items_of": "go"}, "why": "one message"}
    wrong, right = _plan("#other", expected), _plan("#team", expected, later)
    done, told = _converse(served, [wrong, right])
    assert '"expect"' in told[0]
    assert "unmet-expectation" in told[-1]
    assert "to the team: 0 such requests were sent, at least 1 expected" in told[-1]
    assert '"channel": "#other"' in told[-1].replace('":"', '": "')
    assert done["outcome"] == "built", done["summary"]
    assert "proven: to the team, one message" in done["summary"]
    assert "The run of an earlier draft showed:" in done["summary"]

    done, told = _converse(served, [wrong, wrong])
    assert (done["outcome"], len(told)) == ("incomplete", 2)
    assert "not proven: to the team" in done["summary"]
    assert any(code["code"] == "N8N607" for code in done["diagnostics"])


def test_expectations_of_a_person_are_judged(served: Served) -> None:
    """A constraint states them; what the draft expects beside them does not replace them."""
    stated = {
        "requests": {"host": "chat.acme.example", "body": {"channel": "#team"}},
        "why": "the team",
    }
    asked = {"constraints": {"expect": [stated]}}
    done, _ = _converse(served, [_plan("#other")] * 2, **asked)
    assert done["outcome"] == "incomplete"
    assert "not proven: the team" in done["summary"]
    done, _ = _converse(served, [_plan("#team")], **asked)
    assert (done["outcome"], "proven: the team" in done["summary"]) == ("built", True)
    done, _ = _converse(served, [], constraints={"expect": [{"requests": {"url": "x"}}]})
    assert done["outcome"] == "refused"
    assert 'unknown key "url"' in done["summary"]
    done, _ = _converse(served, [_plan("#team")], **{**asked, "trial": False})
    assert done["summary"].endswith("Expected but not judged, as no rehearsal was made: 1.")


def test_two_rehearsals_wait_for_each_other(served: Served) -> None:
    """Both are answered by one n8n, which an MCP client then uses too."""
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda _: _rehearse(served, CALLS), range(2)))
    assert [result["outcome"] for result in results] == ["passed"] * 2
    assert [_urls(result) for result in results] == [[_CALL["url"]]] * 2

    async def work(client: Client) -> Any:
        expectations = [{"requests": {"host": "api.acme.example"}, "count": 2}]
        return await call_successfully(client, "rehearse", draft=CALLS, expectations=expectations)

    content = run_over_http(f"{served.url}/mcp", served.token, work)
    assert content["outcome"] == "failed"
    assert content["expectations"][0]["met"] is False
    assert len(_list_own("bin/n8n", "start")) == 1


def test_faults_time_and_an_earlier_rehearsal(served: Served) -> None:
    """The node gets the fault, the schedule its time; the comparison shows only what differs."""
    rule = {"rule": {"interval": [{"field": "days", "triggerAtHour": 9}]}}
    code = "{ json: { ...$input.first().json, day: $today.toISODate(), at: new Date() } }"
    body = "={{ JSON.stringify({ ...$json, now: $now, id: $execution.id }) }}"
    call = {**_CALL, "sendBody": True, "specifyBody": "json", "jsonBody": body}
    document = workflow(
        node("Each day", "scheduleTrigger", 1.2, rule),
        node("Look", "code", 2, {"jsCode": f"return [{code}]"}),
        node("Call", "httpRequest", 4.2, call),
    )
    document["settings"] = {"timezone": "Europe/Oslo"}
    asked = {"workflow": document, "at": "2026-03-01T08:00:00Z"}
    first = served.client.post(ROUTE, json=asked).json()
    (request,) = first["runs"][0]["steps"][2]["requests"]
    body = request["body"]
    assert body["Readable date"] == "March 1st 2026, 9:00:00 am"
    assert (body["day"], body["at"]) == ("2026-03-01", "2026-03-01T08:00:00.000Z")
    assert body["now"] == "2026-03-01T09:00:00.000+01:00"
    same = served.client.post(ROUTE, json={**asked, "against": first}).json()
    difference = same["difference"]
    assert (difference["equal"], difference["left_out"]) == (True, 1), difference["runs"]
    failed = served.client.post(
        ROUTE, json={**asked, "against": first, "faults": {"Call": "500"}}
    ).json()
    assert failed["outcome"] == "failed"
    (changed,) = failed["difference"]["runs"][0]["nodes"]
    places = [change["at"] for change in changed["requests"][0]["changes"]]
    assert (changed["node"], places) == ("Call", ["/status"])


def test_an_n8n_that_dies_is_replaced(served: Served) -> None:
    """The rehearsal that it interrupts says so, and the next one has an n8n again."""
    _rehearse(served, CALLS)
    with ThreadPoolExecutor(1) as pool:
        interrupted = pool.submit(_rehearse, served, SLEEPS)
        until(_is_run_in_progress, "no run begins")
        for number in _list_own("bin/n8n", "start"):
            os.kill(number, signal.SIGKILL)
        result = interrupted.result()
    assert (result["outcome"], "n8n" in result["reason"]) == ("unavailable", True), result
    assert _rehearse(served, CALLS)["outcome"] == "passed"


def test_a_try_is_a_rehearsal(
    installation: Installation, catalog_file: Path, tmp_path: Path
) -> None:
    """The command line rehearses where the programs are set, and prints what differs."""
    (tmp_path / "workflow.json").write_text(json.dumps(CALLS))
    env = {
        **os.environ,
        "GROUNDED_STATE": str(tmp_path),
        "GROUNDED_REHEARSAL_NODE": str(installation.node),
        "GROUNDED_REHEARSAL_N8N": str(installation.n8n),
        "GROUNDED_REHEARSAL_PROXY": str(installation.proxy),
    }

    def call(command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        program = str(Path(sys.executable).parent / "grounded")
        line = [program, command, str(tmp_path / "workflow.json"), "--catalog", str(catalog_file)]
        return subprocess.run(
            [*line, *arguments], env=env, capture_output=True, text=True, check=False
        )

    tried = call("try", "--format", "json")
    assert (tried.returncode, _urls(json.loads(tried.stdout))) == (0, [_CALL["url"]]), tried.stderr
    (tmp_path / "earlier.json").write_text(tried.stdout)
    against = ("--against", str(tmp_path / "earlier.json"))
    failed = call("rehearse", "--fail", "Call=404", *against)
    assert failed.returncode == 1
    assert "/status: 200 -> 404" in failed.stdout
    refused = call("rehearse", "--sample", 'Begin={"a": 1}')
    assert '"Begin", which is not a trigger' in refused.stderr


def _settings(installation: Installation, state: Path) -> Settings:
    (state / "rehearsal").symlink_to(paths.cache() / "test-rehearsal")
    programs = RehearsalSetting(installation.node, installation.n8n, installation.proxy)
    return Settings(state=state, database_url="", rehearsal=programs)


def test_an_idle_stage_ends(installation: Installation, tmp_path: Path) -> None:
    """Nothing runs any more when nobody rehearsed for a while."""
    keeper = StageKeeper(_settings(installation, tmp_path), idle_s=0.1)
    with keeper.use() as stage:
        assert stage.is_running
    deadline = time.monotonic() + PATIENCE_S
    while stage.is_running:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    keeper.close()


def test_a_stage_is_replaced_after_many_uses(installation: Installation, tmp_path: Path) -> None:
    """The memory that n8n keeps of its runs ends with the stage."""
    keeper = StageKeeper(_settings(installation, tmp_path), most_uses=1)
    with keeper.use() as first:
        pass
    with keeper.use() as second:
        assert second.is_running
    assert not first.is_running
    keeper.close()


def test_the_end_of_the_program_waits_for_no_start(
    installation: Installation, tmp_path: Path
) -> None:
    """A keeper that is closed ends a start at once, and begins none after."""
    keeper = StageKeeper(_settings(installation, tmp_path))
    reasons: list[str] = []

    def use() -> None:
        try:
            with keeper.use():
                pass
        except StageError as error:
            reasons.append(str(error))

    thread = threading.Thread(target=use)
    thread.start()
    time.sleep(0.5)
    keeper.close()
    thread.join(PATIENCE_S)
    use()
    assert len(reasons) == 2
    assert "program is ending" in reasons[1]
