"""Load the data of a server before it forks its workers, so that they share its memory."""

from __future__ import annotations

import gc
import logging
from collections.abc import Mapping
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
        marks = self.store.marks()
        for name in self.domains:
            mark = marks.get(name)
            if mark is None or self.seen.get(name) == mark:
                continue
            registry = self.store.active(name)
            known = self.registries.get(name)
            if registry is not None and (known is None or differs(known, registry)):
                if self.with_search:
                    registry.search.has_stem("")
                self.registries[name] = registry
                changed.append(name)
            self.seen[name] = mark
        return tuple(changed)


def preload(store: Store, domains: Mapping[str, Domain], *, with_search: bool = True) -> Preloaded:
    """Loads every active catalog; raises StorageError without a database."""
    store.first_token()
    preloaded = Preloaded(store, domains, store.secrets(), with_search)
    preloaded.load_changes()
    store.close()
    return preloaded


def differs(known: Registry, active: Registry) -> bool:
    """Returns whether another catalog, or other decisions about its names, are active."""
    return known.fingerprint != active.fingerprint or known.learnt != active.learnt
