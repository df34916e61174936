"""Loads keys and active registries before workers are forked, and reloads changed catalogs."""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from grounded_builder.catalog.registry import Registry
from grounded_builder.ir.domain import Domain
from grounded_builder.storage import StorageError, Store
from grounded_builder.storage.installation import Secrets

_LOG = logging.getLogger("grounded_builder.interfaces.http")

Mark = tuple[int, ...]


@dataclass(slots=True)
class Preloaded:
    """The store, the installation's keys and the active registries, with their search indexes.

    The process that has it runs no threads, has never started V8, and holds no open database
    connection between two calls: forking it is safe.
    """

    store: Store
    domains: Mapping[str, Domain]
    secrets: Secrets
    with_search: bool = True
    registries: dict[str, Registry] = field(default_factory=dict)
    seen: dict[str, Mark] = field(default_factory=dict)

    def refresh(self) -> tuple[str, ...]:
        """Loads catalogs activated since the last call; returns the domains whose catalog changed.

        Where the database does not answer, everything stays unchanged.
        """
        try:
            return self.load_changes()
        except StorageError as error:
            _LOG.warning("%s: %s", error.code, error)
            return ()
        finally:
            # A connection must not be shared across a fork.
            self.store.close()

    def freeze(self) -> None:
        """Excludes all objects from garbage collection, which would write to their memory pages."""
        gc.unfreeze()
        gc.collect()
        gc.freeze()

    def load_changes(self) -> tuple[str, ...]:
        """Does the same and keeps the connection open; raises StorageError without a database."""
        changed: list[str] = []
        for name, registry in changed_registries(
            self.store, self.domains, self.registries, self.seen
        ):
            if self.with_search:
                registry.search.has_stem("")
            self.registries[name] = registry
            changed.append(name)
        return tuple(changed)


def preload(store: Store, domains: Mapping[str, Domain], *, with_search: bool = True) -> Preloaded:
    """Loads every active catalog; raises StorageError without a database."""
    store.first_token()
    preloaded = Preloaded(store, domains, store.secrets(), with_search)
    preloaded.load_changes()
    store.close()
    return preloaded


def changed_registries(
    store: Store,
    domains: Iterable[str],
    known: Mapping[str, Registry],
    seen: dict[str, Mark],
) -> Iterator[tuple[str, Registry]]:
    """Yields the domains whose active registry differs from the known one, with that registry.

    It is of another catalog, or of other decisions about its names. ``seen`` receives the mark of
    the database of each domain after the caller has taken its registry.
    """
    marks = store.marks()
    for name in domains:
        mark = marks.get(name)
        if mark is None or seen.get(name) == mark:
            continue
        active, old = store.active(name), known.get(name)
        if active is not None and (
            old is None or (old.fingerprint, old.learnt) != (active.fingerprint, active.learnt)
        ):
            yield name, active
        seen[name] = mark
