"""Counts of names, corrections and decisions, on a real SQLite file."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.compiler.name_stats import (
    NameOccurrence,
    find_corrections,
    normalize_name,
    occurrences_in,
)
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.known import DOMAINS
from grounded_builder.ir.options import CompileOptions
from grounded_builder.settings import Settings
from grounded_builder.storage import Store, name_stats, open_store
from grounded_builder.storage.aliases import AliasStore, DecidedMeanwhileError, Decision
from grounded_builder.storage.database import begin_write
from grounded_builder.storage.name_stats import NameStatsStore, note_corrections
from tests.support import catalogs
from tests.support.databases import url_of


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    compilers = {name: domain.resolving.compile_tool for name, domain in DOMAINS.items()}
    opened = open_store(Settings(state=tmp_path, database_url=url_of(tmp_path)), compilers)
    yield opened
    opened.close()


def test_spellings_of_a_name_are_counted_together(store: Store) -> None:
    """Case, spaces and marks do not tell names apart; the kind and the tool do."""
    book = NameStatsStore(store.engine, "n8n")
    for name in ("Smoke Signal", "smokeSignal", "SMOKE-SIGNAL"):
        book.add([NameOccurrence("unknown", name, "", ("a.b",))])
    book.add([NameOccurrence("corrected", "smoke signal", "a.mail")])
    counts = {(count.kind, count.tool): count for count in book.counts()}
    assert counts["unknown", ""].count == 3
    assert counts["unknown", ""].samples == (("a.b",),)
    assert counts["corrected", "a.mail"].count == 1
    assert NameStatsStore(store.engine, "simulink").counts() == ()


def test_the_stored_names_are_bounded(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows, samples and lengths have bounds; what was seen longest ago goes first."""
    monkeypatch.setattr(name_stats, "MOST_NAMES", 20)
    times = (f"2026-01-01T00:00:{number:02d}.000Z" for number in range(60))
    monkeypatch.setattr(name_stats, "utc_now", lambda: next(times))
    book = NameStatsStore(store.engine, "n8n")
    for number in range(30):
        book.add([NameOccurrence("unknown", f"name {number}", "", (f"tool{number}",))])
    for number in range(9):
        book.add([NameOccurrence("unknown", "name 29", "", (f"other{number}",))])
    counts = {count.name: count for count in book.counts()}
    assert set(counts) == {f"name {number}" for number in range(10, 30)}
    assert len(counts["name 29"].samples) == 5
    assert len(normalize_name("x" * 100_000)) == 200


def test_stored_name_has_no_control_characters() -> None:
    """Control characters, unseen marks and halves of characters leave a name or are escaped."""
    assert normalize_name("a\x00b\x1b[31m\u200bc\n d\u202e") == "ab[31mc d"
    assert normalize_name("\x00\u200b") == ""


def test_any_name_can_be_counted(store: Store) -> None:
    """Every text can be counted: empty, half an emoji, expanding under folding, right-to-left."""
    book = NameStatsStore(store.engine, "n8n")
    strange = ("", "\ud83d", "\ufb03" * 200, "\u0130" * 200, "שלום", "💌", "???", "ﷺ" * 200)
    book.add([NameOccurrence("unknown", normalize_name(name)) for name in strange])
    assert len(book.counts()) == len(strange) - 1


def test_a_decision_on_an_overtaken_view_is_refused(store: Store) -> None:
    """A decision that ignores the last one is refused; an equal decision is accepted."""
    book = AliasStore(store.engine, "n8n")
    first = book.decide(Decision("Pigeon", "alias", "a.mail", by="one"), None)
    assert book.decide(Decision("pigeon", "alias", "a.mail", by="two"), None) == first
    with pytest.raises(DecidedMeanwhileError):
        book.decide(Decision("PIGEON", "alias", "a.fax"), None)
    second = book.decide(Decision("pigeon", "dropped"), first)
    assert book.current() == ()
    with pytest.raises(DecidedMeanwhileError):
        book.decide(Decision("pigeon", "alias", "a.fax"), first)
    assert book.decide(Decision("pigeon", "alias", "a.fax"), second).tool == "a.fax"
    assert AliasStore(store.engine, "simulink").current() == ()


def test_of_many_decisions_at_once_one_is_taken(store: Store) -> None:
    """Of ten simultaneous different decisions from one view exactly one is accepted."""
    book = AliasStore(store.engine, "n8n")

    def decide(number: int) -> bool:
        try:
            book.decide(Decision("pigeon", "alias", f"a.tool{number}"), None)
        except DecidedMeanwhileError:
            return False
        return True

    with ThreadPoolExecutor(10) as pool:
        taken = list(pool.map(decide, range(10)))
    assert taken.count(True) == 1
    assert [decision.tool for decision in book.current()] == [f"a.tool{taken.index(True)}"]


def test_a_decision_moves_the_mark(store: Store) -> None:
    """Replicas see from the marks that something was decided, and taken back."""
    store.load_catalog(catalogs.acme_bytes())
    book, marks = AliasStore(store.engine, "n8n"), [store.marks()]
    first = book.decide(Decision("pigeon", "alias", catalogs.MAIL), None)
    marks.append(store.marks())
    book.decide(Decision("pigeon", "dropped"), first)
    marks.append(store.marks())
    assert marks[0] != marks[1] != marks[2] != marks[0]


def test_corrections_are_counted_by_runs(store: Store) -> None:
    """A run counts once for a name and a tool, however often it wrote them."""
    for run in ("A", "B"):
        with begin_write(store.engine) as connection:
            pairs = [("Pigeon", "a.mail"), ("pigeon", "a.mail"), ("pigeon", "a.fax")]
            note_corrections(connection, "n8n", run, pairs)
    name_corrections = NameStatsStore(store.engine, "n8n").corrections()
    assert [
        (name_correction.tool, name_correction.count, name_correction.runs)
        for name_correction in name_corrections
    ] == [
        ("a.fax", 2, ("B", "A")),
        ("a.mail", 2, ("B", "A")),
    ]


def _draft(tool: str, step: str = "post", **facts: Any) -> dict[str, Any]:
    """The record of a draft with one step, whose name stays open unless it is of a tool."""
    code = None if tool.startswith("a.") else "GB201"
    results = [{"code": code, "at": "/steps/0/tool", "node": step, "name": tool}] if code else []
    return {
        "drafter": "external",
        "verdict": "wrong" if code else "ok",
        "parsed": {"steps": [{"id": step, "tool": tool}]},
        "resolved": {"nodes": [{"id": step, "tool_id": None if code else tool}]},
        "diagnostics": results,
        "resolutions": results,
    } | facts


def test_only_the_same_step_of_the_same_drafter_corrects() -> None:
    """Names of other steps, other drafters or refused runs are no corrections."""
    wrong, right = _draft("Pigeon"), _draft("a.mail")
    assert find_corrections("built", [wrong, right]) == (("Pigeon", "a.mail"),)
    assert find_corrections("incomplete", [wrong, wrong, right]) == (("Pigeon", "a.mail"),)
    assert find_corrections("refused", [wrong, right]) == ()
    assert find_corrections("built", [wrong, _draft("a.mail", "other")]) == ()
    assert find_corrections("built", [wrong, _draft("a.mail", drafter="planner")]) == ()
    assert find_corrections("built", [wrong]) == ()
    assert find_corrections("built", []) == ()


def test_a_node_of_the_same_name_corrects_a_document() -> None:
    """In a native document the step is the only node with that name."""

    def document(*types: str) -> dict[str, Any]:
        return {"nodes": [{"name": "Post", "type": type_} for type_ in types]}

    results = [{"code": "GB202", "at": "/nodes/0/type", "node": "Post", "name": "Pigeon"}]
    wrong = _draft("Pigeon", resolved=None, parsed=document("Pigeon"))
    wrong |= {"diagnostics": results, "resolutions": results}
    right = _draft("a.x", resolved=None, parsed=document("a.mail"))
    assert find_corrections("built", [wrong, right]) == (("Pigeon", "a.mail"),)
    twice = right | {"parsed": document("a.mail", "a.fax")}
    assert find_corrections("built", [wrong, twice]) == ()


def test_an_occurrence_contains_only_names_and_ids(store: Store) -> None:
    """Of a draft with secrets only the wrong name and the ids beside it are stored."""
    store.load_catalog(catalogs.acme_bytes())
    registry = store.active("n8n")
    assert registry is not None
    draft = catalogs.workflow()
    draft["nodes"].append(draft["nodes"][1] | {"name": "Post", "type": "Smoke Signal"})
    draft["nodes"][1]["parameters"]["to"] = "hush@secret.example"
    name_occurrences = occurrences_in(
        compile_draft(draft, DOMAINS["n8n"], registry, CompileOptions()), registry
    )
    beside = (catalogs.HOOK, catalogs.MAIL)
    assert name_occurrences == (NameOccurrence("unknown", "Smoke Signal", "", beside),)
