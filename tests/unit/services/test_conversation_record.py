"""Runs and sessions in a real SQLite file."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from ulid import ULID

from grounded_builder.storage import runs
from grounded_builder.storage.database import open_database
from grounded_builder.storage.sessions import SessionStore
from tests.support.databases import url_of

ANSWER = {"status": "draft"}
DONE = {"status": "done", "outcome": "built"}
ENDING = runs.Ending("built", None, "made", 1, DONE, 12.4)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = open_database(url_of(tmp_path), tmp_path)
    yield made
    made.dispose()


def book(engine: Engine, lifetime_s: int = 60, limit: int = 100) -> SessionStore:
    return SessionStore(engine, lifetime_s, limit)


def new(request: str = "do it") -> runs.NewRun:
    facts: dict[str, Any] = {"constraints": {}, "drafter": "external", "catalog": "f" * 64}
    return runs.NewRun(str(ULID()), "n8n", request, prompt_version="1", shown=("a", "b"), **facts)


def test_a_session_is_read_as_it_was_stored(engine: Engine) -> None:
    """State and answer survive, half an emoji included."""
    run = new()
    state = {"text": "\ud83d \x00 ü", "n": [1, None]}
    book(engine).open(run, state, ANSWER)
    session = book(engine).get(run.id)
    assert session is not None
    assert (session.state, session.answer, session.revision) == (state, ANSWER, 1)
    assert session.is_open


def test_of_two_steps_from_one_state_one_is_taken(engine: Engine) -> None:
    """Steps from the same revision exclude each other, also from several threads."""
    run = new()
    book(engine).open(run, {}, ANSWER)
    session = book(engine).get(run.id)
    assert session is not None
    taken: list[bool] = []

    def move(number: int) -> None:
        draft = runs.Draft(number, "external", [], reply=str(number))
        taken.append(book(engine).move(session, {"n": number}, ANSWER, (draft,), None))

    threads = [threading.Thread(target=move, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [False] * 7 + [True]
    value = runs.get_run(engine, run.id)
    assert value is not None
    assert len(value.drafts) == 1


def test_an_ended_session_takes_nothing(engine: Engine) -> None:
    """After its end a session does not move, whatever revision is named."""
    run = new()
    book(engine).open(run, {}, DONE, (), ENDING)
    session = book(engine).get(run.id)
    assert session is not None
    assert not session.is_open
    assert not book(engine).move(session, {}, ANSWER, (), None)


def test_an_expired_session_is_gone_and_its_run_is_not(engine: Engine) -> None:
    """Expired sessions are not found; two days later they are removed when another begins."""
    run = new()
    book(engine, lifetime_s=-3 * 86_400).open(run, {}, ANSWER)
    assert book(engine).get(run.id) is None
    book(engine).open(new(), {}, ANSWER)
    with engine.connect() as connection:
        count = connection.exec_driver_sql("SELECT count(*) FROM sessions").scalar()
    assert count == 1
    assert runs.get_run(engine, run.id) is not None


def test_a_run_is_stored_whole(engine: Engine) -> None:
    """Prompt, reply, resolutions, diagnostics and outcome are read as they were written."""
    run = new()
    draft = runs.Draft(
        number=1,
        drafter="external",
        messages=[{"role": "user", "content": "x"}],
        reply="a\x00b \ud83d",
        parsed={"steps": []},
        resolved={"nodes": []},
        resolutions=[{"name": "y", "runners_up": ["z"]}],
        verdict="ok",
        diagnostics=[],
        ms=3.6,
    )
    book(engine).open(run, {}, DONE, (draft,), ENDING)
    result = runs.get_run(engine, run.id)
    assert result is not None
    assert (result.line.outcome, result.line.ms, result.shown) == ("built", 12, ["a", "b"])
    assert result.result == DONE
    (read,) = result.drafts
    assert read["reply"] == "a\\0b \\ud83d"
    assert read["resolutions"] == [{"name": "y", "runners_up": ["z"]}]
    assert (read["parsed"], read["ms"]) == ({"steps": []}, 4)
    assert result.as_json()["id"] == run.id


def test_record_limits_large_replies(engine: Engine) -> None:
    """A reply of a megabyte is cut, and a larger parsed value is left out, as the record states."""
    run = new("r" * 50_000)
    draft = runs.Draft(1, "external", [], reply="x" * 1_000_000, parsed={"a": "x" * 2_000_000})
    book(engine).open(run, {}, DONE, (draft,), ENDING)
    value = runs.get_run(engine, run.id)
    assert value is not None
    assert len(value.drafts[0]["reply"]) == 400_000
    assert "omitted" in value.drafts[0]["parsed"]
    assert len(value.line.request) == 20_000


def test_the_oldest_runs_make_room(engine: Engine) -> None:
    """The number of stored runs is limited, with all their rows."""
    made = [new() for _ in range(5)]
    made.sort(key=lambda run: run.id)
    draft = runs.Draft(1, "external", [])
    for run in made:
        book(engine, limit=2).open(run, {}, ANSWER, (draft,))
    assert [line.id for line in runs.list_runs(engine, 10)] == [made[4].id, made[3].id]
    assert [line.id for line in runs.list_runs(engine, 10, made[4].id)] == [made[3].id]
    with engine.connect() as connection:
        count = connection.exec_driver_sql("SELECT count(*) FROM run_drafts").scalar()
    assert count == 2
