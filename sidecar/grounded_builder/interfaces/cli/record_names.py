"""Count the names that a command met, once it has answered."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from grounded_builder.compiler.name_stats import NameOccurrence
from grounded_builder.interfaces.cli.context import CliContext
from grounded_builder.storage.errors import StorageError
from grounded_builder.storage.name_stats import NameStatsStore


def count_names(met: Iterable[NameOccurrence], bench: CliContext) -> None:
    """Adds to the counts of names; an answer stands though they cannot be written."""
    with suppress(StorageError):
        NameStatsStore(bench.store.engine, bench.domain.name).add(met)
