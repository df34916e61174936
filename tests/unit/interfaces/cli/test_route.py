"""The command `grounded route`, run in this process against a state of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from grounded_builder.interfaces.cli.main import app
from tests.support.tool_lists import make_web_tools


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GROUNDED_STATE", str(tmp_path))
    (tmp_path / "tools.json").write_text(json.dumps(make_web_tools()))
    return tmp_path


def test_a_request_is_routed_without_a_model(home: Path) -> None:
    """The call is printed; without any match the exit code is 1 and the tools are named."""
    file = str(home / "tools.json")
    result = _run("route", "search the web for red pandas", "--tools", file)
    assert result.exit_code == 0
    assert result.stdout == 'call_1: web_search {"query": "search the web for red pandas"}\n'
    none = _run("route", "Who is Gibby?", "--tools", file, "--drafter", "none")
    assert none.exit_code == 1
    assert none.stdout == (
        "Agent could not determine a matching tool.\nconnected: calendar.list_events, web_search\n"
    )


def test_a_list_of_tools_is_loaded_like_a_catalog(home: Path) -> None:
    """After `catalog load` the stored tools are routed over, shown and resolved."""
    loaded = _run("catalog", "load", "--domain", "tools", str(home / "tools.json"))
    assert loaded.exit_code == 0, loaded.output
    assert "2 tools added" in loaded.stdout
    shown = _run("catalog", "show", "--domain", "tools", "web_search")
    assert json.loads(shown.stdout)["family"] == "web"
    assert _run("route", "search the web", "--drafter", "none").exit_code == 0
    resolved = _run("resolve", "--domain", "tools", "Web Search", "browse")
    assert resolved.stdout.startswith("Web Search: web_search (name)\nbrowse: unknown")


def test_a_file_of_tools_is_named_as_a_catalog(home: Path) -> None:
    """`--catalog` takes a list of definitions as it takes a catalog file, and activates none."""
    plan = home / "plan.json"
    plan.write_text(json.dumps([{"tool": "web_serch", "arguments": {"query": "x"}}]))
    command = ("validate", "--domain", "tools", "--catalog", str(home / "tools.json"))
    result = _run(*command, "--format", "json", str(plan))
    assert result.exit_code == 1
    assert "web_search" in result.stdout
    assert "no catalog" in str(_run("validate", "--domain", "tools", str(plan)).exception)


def test_a_dialogue_takes_replies_and_results_line_by_line(home: Path) -> None:
    """Replies and results are read as JSON Lines, and unusable lines are reported."""
    call = {"tool": "web_search", "arguments": {"query": "Gibby"}}
    lines: list[Any] = [
        {"result": {"call": "call_1", "output": 1}},
        {"reply": {"tool_call": call}},
        {"result": {"call": "call_1", "output": "a character"}},
    ]
    result = _run(
        "route",
        "Who is Gibby?",
        "--tools",
        str(home / "tools.json"),
        "--drafter",
        "external",
        "--format",
        "jsonl",
        given="no json\n" + "\n".join(map(json.dumps, lines)) + "\n",
    )
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [record.get("status", "error") for record in records] == [
        "ask",
        "error",
        "error",
        "call",
        "done",
    ]
    assert records[-1]["outcome"] == "executed"
    assert result.exit_code == 0


def _run(*arguments: str, given: str | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=given)
