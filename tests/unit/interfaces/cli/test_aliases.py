"""``grounded aliases`` and ``grounded tools``, over the invented catalog."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from typer.testing import CliRunner, Result

from grounded_builder.interfaces.cli.context import UnusableError
from grounded_builder.interfaces.cli.main import app
from tests.support import catalogs

PIGEON = "carrier pigeon"
Env = dict[str, str] | None


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state that the tests of this module share; each leaves other names decided."""
    folder = tmp_path_factory.mktemp("aliases")
    (folder / "acme.jsonl").write_bytes(catalogs.acme_bytes())
    output_of(folder, "catalog", "load", str(folder / "acme.jsonl"))
    return folder


def run(state: Path, *arguments: str, given: bytes = b"", env: Env = None) -> Result:
    """The command in this process: what is here is the command, not the program around it."""
    unset: dict[str, str | None] = {key: None for key in os.environ if key.startswith("GROUNDED_")}
    whole = {**unset, "GROUNDED_STATE": str(state), **(env or {})}
    return CliRunner().invoke(app, list(arguments), input=given, env=whole)


def output_of(state: Path, *arguments: str, given: bytes = b"") -> str:
    ran = run(state, *arguments, given=given)
    assert ran.exit_code == 0, ran.exception
    return ran.stdout


def read(state: Path, *arguments: str) -> Any:
    return json.loads(output_of(state, *arguments, "--format", "json"))


def complaint(state: Path, *arguments: str, given: bytes = b"") -> str:
    ran = run(state, *arguments, given=given)
    assert isinstance(ran.exception, UnusableError), ran.exception
    return str(ran.exception)


def test_a_person_decides_and_takes_it_back(state: Path) -> None:
    """Accepting shows what changes and holds at once; a preview and a drop leave nothing."""
    preview = output_of(state, "aliases", "accept", PIGEON, catalogs.MAIL, "--preview")
    assert f"would be: {PIGEON} -> {catalogs.MAIL}" in preview
    assert run(state, "resolve", PIGEON).exit_code == 1
    made = read(state, "aliases", "accept", PIGEON, catalogs.MAIL)
    assert made["taken"]
    assert made["changes"] == [{"name": PIGEON, "before": None, "after": catalogs.MAIL, "runs": []}]
    assert output_of(state, "resolve", "Carrier-Pigeon") == (
        f"Carrier-Pigeon: {catalogs.MAIL} (alias)\n"
    )
    value = read(state, "aliases", "list")["aliases"]
    held = [item for item in value if item["name"] == PIGEON]
    assert [(item["tool"], item["dormant"]) for item in held] == [(catalogs.MAIL, None)]
    assert held[0]["by"]
    assert f"{PIGEON} -> {catalogs.MAIL}" in output_of(state, "aliases", "list")
    assert "nothing" in output_of(state, "aliases", "drop", PIGEON)
    assert run(state, "resolve", PIGEON).exit_code == 1


def test_a_missing_tool_is_reported_with_another(state: Path) -> None:
    """A refused name resolves to none, with the tool to take instead as its candidate."""
    assert "say" in output_of(state, "aliases", "refuse", "telegraph", "--say", catalogs.MAIL)
    answer = run(state, "resolve", "Telegraph")
    assert answer.exit_code == 1
    assert answer.stdout == f"Telegraph: unknown; nearest: {catalogs.MAIL}\n"


REFUSED = (
    (["accept", "pigeon " * 10_000, catalogs.MAIL], "limit is 200"),
    (["accept", PIGEON, "acme-nodes.mial"], catalogs.MAIL),
    (["refuse", catalogs.HOOK], "is the name of"),
    (["drop", PIGEON], "nothing is decided"),
    (["accept", PIGEON, catalogs.MAIL, "--domain", "cooking"], "no domain"),
)


def test_refused_decision_is_one_line(state: Path) -> None:
    """Unusable names, unknown tools and a tool's own names give one line with the remedy."""
    for arguments, words in REFUSED:
        text = complaint(state, "aliases", *arguments)
        assert words in text
        assert "\n" not in text


def test_invented_name_of_generation_is_counted(state: Path) -> None:
    """An invented name in a recorded draft is listed, and proposed when it is frequent."""
    draft = {"steps": [{"id": "post", "tool": "Smoke Signal", "params": {}}]}
    with HTTPServer() as model:
        reply = {"choices": [{"message": {"role": "assistant", "content": json.dumps(draft)}}]}
        model.expect_request("/v1/chat/completions").respond_with_json(reply)
        env = {"GROUNDED_MODEL_URL": model.url_for("/v1"), "GROUNDED_MODEL": "invents"}
        assert run(state, "generate", "send a smoke signal", env=env).exit_code == 1
    counts = read(state, "aliases", "list")["counts"]
    (met,) = [count for count in counts if count["name"] == "Smoke Signal"]
    assert (met["kind"], met["count"] > 0) == ("unknown", True)
    text = output_of(state, "aliases", "propose", "--often", "1")
    assert "Smoke Signal: no such tool" in text


def test_a_tool_is_put_and_removed(state: Path) -> None:
    """A tool from a file or standard input is shown and used until it is removed."""
    line = catalogs.mail() | {"id": "acme-nodes.telegraph", "name": "Acme Telegraph"}
    put = output_of(state, "tools", "put", "-", given=json.dumps(line).encode())
    assert "8 tools, 1 of them added" in put
    assert output_of(state, "tools", "list") == "acme-nodes.telegraph\n"
    assert "acme-nodes.telegraph" in output_of(state, "resolve", "Acme Telegraph")
    file = state / "tool.json"
    file.write_text(json.dumps(line | {"description": "Slow"}))
    assert "1 of them added" in output_of(state, "tools", "put", str(file))
    assert json.loads(output_of(state, "catalog", "show", "acme-nodes.telegraph"))["description"]
    assert "7 tools, 0 of them added" in output_of(state, "tools", "remove", "acme-nodes.telegraph")
    assert output_of(state, "tools", "list") == ""


UNUSABLE = (
    (b"[]", "object"),
    (b'{"id": "a"}', "inputs is missing: give a list"),
    (json.dumps(catalogs.mail()).encode(), "taken"),
)


def test_an_unusable_tool_is_one_clear_line(state: Path) -> None:
    """An invalid tool, or one of the catalog, is refused in one line."""
    for given, words in UNUSABLE:
        assert words in complaint(state, "tools", "put", "-", given=given)
    assert "no tool" in complaint(state, "tools", "remove", "acme-nodes.telegraph")
    assert "/nothing" in complaint(state, "tools", "put", "/nothing/there.json")
