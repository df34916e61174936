"""What a server holds before it forks its workers, so that they share the memory of it."""

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

    No thread runs in the process that has it, V8 was never started there, and between two
    calls no connection to the database is open: forking is safe.
    """

    store: Store
    domains: Mapping[str, Domain]
    secrets: Secrets
    with_search: bool = True
    registries: dict[str, Registry] = field(default_factory=dict)
    seen: dict[str, Mark] = field(default_factory=dict)

    def refresh(self) -> tuple[str, ...]:
        """Loads what was activated since; returns the domains whose catalog is another now.

        A database that cannot be asked leaves everything as it is.
        """
        try:
            return self.load_changes()
        except StorageError as error:
            _LOG.warning("%s: %s", error.code, error)
            return ()
        finally:
            # A connection must not be shared over a fork.
            self.store.close()

    def freeze(self) -> None:
        """Sets all objects aside from the collector of circular garbage, which writes to them."""
        gc.unfreeze()
        gc.collect()
        gc.freeze()

    def load_changes(self) -> tuple[str, ...]:
        """Does the same, and leave the connection open; raises StorageError where there is none."""
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
    """Returns whether another catalog is active, or other decisions about its names."""
    return known.fingerprint != active.fingerprint or known.learnt != active.learnt
