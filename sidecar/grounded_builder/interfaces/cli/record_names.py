"""Count the names that a command met, after it has answered."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from grounded_builder.compiler.name_stats import NameOccurrence
from grounded_builder.interfaces.cli.context import CliContext
from grounded_builder.storage.errors import StorageError
from grounded_builder.storage.name_stats import NameStatsStore


def count_names(met: Iterable[NameOccurrence], bench: CliContext) -> None:
    """Adds to the counts of names; the answer stands even where they cannot be written."""
    with suppress(StorageError):
        NameStatsStore(bench.store.engine, bench.domain.name).add(met)
