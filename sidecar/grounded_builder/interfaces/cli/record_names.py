"""Count the names that a command met, once it has answered."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from grounded_builder.compiler.name_stats import Sighting
from grounded_builder.interfaces.cli.context import Workbench
from grounded_builder.storage.errors import StorageError
from grounded_builder.storage.name_stats import NameBook


def count_names(met: Iterable[Sighting], bench: Workbench) -> None:
    """Add to the counts of names; an answer stands though they cannot be written."""
    with suppress(StorageError):
        NameBook(bench.store.engine, bench.domain.name).add(met)
