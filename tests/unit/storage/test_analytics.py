"""Statistics of a period on a real SQLite file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from grounded_builder.compiler.name_stats import NameOccurrence
from grounded_builder.domains.known import DOMAINS
from grounded_builder.settings import Settings, sqlite_url
from grounded_builder.storage import Store, name_stats, open_store, runs
from grounded_builder.storage.analytics import analytics
from grounded_builder.storage.database import begin_write
from grounded_builder.storage.name_stats import NameStatsStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    compilers = {name: domain.resolving.compile_tool for name, domain in DOMAINS.items()}
    opened = open_store(Settings(state=tmp_path, database_url=sqlite_url(tmp_path)), compilers)
    yield opened
    opened.close()


def count_occurrences(
    store: Store, day: str, *name_occurrences: NameOccurrence, patch: pytest.MonkeyPatch
) -> None:
    patch.setattr(name_stats, "utc_now", lambda: f"{day}T10:00:00.000Z")
    NameStatsStore(store.engine, "n8n").add(name_occurrences)


def test_names_are_counted_by_day(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only names within the period count, spellings together, most frequent first."""
    ice, put = (
        NameOccurrence("unknown", "Ice Maker"),
        NameOccurrence("corrected", "acme.mail", "a.mail"),
    )
    count_occurrences(store, "2026-01-01", ice, ice, patch=monkeypatch)
    count_occurrences(
        store, "2026-01-02", NameOccurrence("unknown", "iceMaker"), put, patch=monkeypatch
    )
    count_occurrences(
        store, "2026-01-03", NameOccurrence("ambiguous", "mail"), put, patch=monkeypatch
    )
    result = analytics(store.engine, "n8n", "2026-01-02", "2026-01-03", 10)
    assert [(named.name, named.count) for named in result.unresolved] == [
        ("iceMaker", 1),
        ("mail", 1),
    ]
    assert [(named.name, named.tool, named.count) for named in result.corrected] == [
        ("acme.mail", "a.mail", 2)
    ]
    assert [(day.day, day.names) for day in result.days] == [
        ("2026-01-02", {"corrected": 1, "unknown": 1}),
        ("2026-01-03", {"ambiguous": 1, "corrected": 1}),
    ]
    whole = analytics(store.engine, "n8n", "2026-01-01", "2026-01-03", 1)
    assert [(named.kind, named.count) for named in whole.unresolved] == [("unknown", 3)]
    assert analytics(store.engine, "simulink", "2026-01-01", "2026-01-03", 9).days == ()


def test_counts_taken_together_are_added(store: Store) -> None:
    """A counter of occurrences adds each occurrence as often as it was counted."""
    ice = NameOccurrence("unknown", "Ice Maker")
    names = NameStatsStore(store.engine, "n8n")
    names.add(Counter({ice: 3}))
    names.add(Counter({ice: 2}))
    assert [(entry.name, entry.count) for entry in names.counts()] == [("Ice Maker", 5)]


def test_the_stored_days_are_bounded(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest days go first when there are more rows than are kept."""
    monkeypatch.setattr(name_stats, "_MOST_DAYS", 3)
    for day in range(1, 7):
        count_occurrences(
            store, f"2026-01-0{day}", NameOccurrence("unknown", f"name {day}"), patch=monkeypatch
        )
    result = analytics(store.engine, "n8n", "2026-01-01", "2026-12-31", 10)
    assert [item.day for item in result.days] == ["2026-01-04", "2026-01-05", "2026-01-06"]


def test_outcomes_of_runs_are_counted(store: Store) -> None:
    """A run counts by its outcome and reason, and an abandoned one as open."""
    with begin_write(store.engine) as connection:
        for number in range(3):
            run = f"0000000000000000000000000{number}"
            new = runs.NewRun(run, "n8n", "do it", {}, "some model", "f" * 64, "1", ())
            runs.begin(connection, runs.row_of_run(new), 100)
        ending = runs.Ending("refused", "stalled", "", 3, {}, 5.0)
        runs.end(connection, "00000000000000000000000000", runs.row_of_ending(ending))
    result = analytics(store.engine, "n8n", "2000-01-01", "2999-01-01", 10)
    assert result.outcomes == {"open": 2, "refused": 1}
    assert result.reasons == {"stalled": 1}
    assert result.drafters == {"some model": {"open": 2, "refused": 1}}
    assert result.days[0].runs == {"open": 2, "refused": 1}
