"""Holds the state of a server process (store, registries, tokens), and refreshes it on a timer."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

from starlette.requests import Request

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.name_stats import NameOccurrence
from grounded_builder.interfaces.http.admission import Admission, Lane
from grounded_builder.interfaces.http.compile_draft import no_catalog
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.metrics import Metrics
from grounded_builder.interfaces.http.preload import Mark, changed_registries
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions, Switches
from grounded_builder.resolve.diagnose import ReferenceCatalogs
from grounded_builder.services.isolation.compiler import Compiler
from grounded_builder.services.isolation.exchange import DomainReferences
from grounded_builder.services.stage_keeper import StageKeeper
from grounded_builder.settings import Settings
from grounded_builder.storage import StorageError, Store, Token
from grounded_builder.storage.installation import Secrets
from grounded_builder.storage.name_stats import NameStatsStore

_LOG = logging.getLogger("grounded_builder.interfaces.http")
# Changes by another replica are seen within a second, changes by this one at once.
_POLL_S = 0.8
_POLLS_A_FLUSH = 6
# The shortest time between two database reads for an unknown token.
_TOKENS_S = 0.1
_MOST_NAMES = 1_000
_MOST_QUEUED = 512


@dataclass(slots=True)
class State:
    """The state of one server process.

    Registries and tokens are immutable values, replaced by reference; a request works with those it
    started with. ``compiler`` compiles drafts off the event loop. ``working`` and ``waiting`` bound
    the requests of the two kinds, lanes those for threads.
    """

    settings: Settings
    store: Store
    domains: Mapping[str, Domain]
    secrets: Secrets
    compiler: Compiler
    working: Admission
    waiting: Admission
    generations: Lane
    stages: StageKeeper
    steps: Lane = field(default_factory=lambda: Lane("converse", 8, _MOST_QUEUED))
    routes: Lane = field(default_factory=lambda: Lane("route", 8, _MOST_QUEUED))
    imports: Lane = field(default_factory=lambda: Lane("import", 8, _MOST_QUEUED))
    rehearsals: Lane = field(default_factory=lambda: Lane("rehearse", 1, _MOST_QUEUED // 32))
    trials: Lane = field(default_factory=lambda: Lane("try", 4, _MOST_QUEUED // 8))
    metrics: Metrics = field(default_factory=Metrics)
    tokens: tuple[Token, ...] = ()
    tokens_at: float = 0.0
    reading_tokens: asyncio.Lock = field(default_factory=asyncio.Lock)
    registries: dict[str, Registry] = field(default_factory=dict)
    compared: dict[str, tuple[Mark, tuple[Registry, ...]]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    names: Counter[tuple[str, NameOccurrence]] = field(default_factory=Counter)
    seen: dict[str, Mark] = field(default_factory=dict)
    switches: Switches = field(default_factory=Switches)

    def domain(self, name: str) -> Domain:
        """Returns the domain of this name; raises ApiError when there is none."""
        value = self.domains.get(name)
        if value is None:
            known = ", ".join(self.domains)
            message = f"there is no domain {name[:60]!r}"
            raise ApiError(HTTPStatus.NOT_FOUND, "unknown-domain", message, f"domains: {known}")
        return value

    def registry(self, name: str) -> Registry:
        """Returns the active registry of a domain that this process has loaded.

        Raises ApiError without one. The gate of a route loads that of the domain in its path.
        """
        self.domain(name)
        active = self.registries.get(name)
        if active is None:
            raise no_catalog(name)
        return active

    def load_registry(self, name: str) -> Registry:
        """Returns the active registry of a domain, loading it first where necessary.

        Raises ApiError without a catalog. Loading takes a while: the event loop must not do it.
        """
        self.domain(name)
        if name not in self.registries:
            # Another replica may just have loaded the first one; a shipped catalog is unpacked
            # into the database on first use.
            active = self.store.active(name)
            if active is not None:
                self.registries = {**self.registries, name: active}
                self.seen.setdefault(name, self.store.marks()[name])
        return self.registry(name)

    def references(self, name: str) -> ReferenceCatalogs:
        """Returns the other catalogs of a domain, read on first use."""

        def read() -> tuple[Registry, ...]:
            mark = self.seen[name]
            known = self.compared.get(name)
            if known is None or known[0] != mark:
                known = (mark, self.store.references(name))
                self.compared = {**self.compared, name: known}
            return known[1]

        return DomainReferences(name, read)

    def compile_options(self, seed: str = "") -> CompileOptions:
        """Returns the compile options."""
        return CompileOptions(
            policy=self.settings.policy,
            limits=self.settings.limits,
            seed=seed,
            path_secret=self.secrets.path_secret,
        )

    def narrow(self, switches: Switches | None) -> State:
        """This state under a policy that a token or a request narrows; itself where neither does.

        Counters and caches are shared with the state of the server.
        """
        if switches is None or switches == Switches():
            return self
        store = self.store.narrow(switches)
        constrained = self.switches.combine(switches)
        return replace(self, store=store, settings=store.settings, switches=constrained)

    def refresh(self) -> None:
        """Applies changes that this or another process has made in the database."""
        self.tokens = self.store.tokens()
        changed = changed_registries(self.store, self.domains, self.registries, self.seen)
        for name, active in changed:
            self.registries = {**self.registries, name: active}
        self.metrics.show_catalogs(self.registries.values())

    async def look_for_tokens(self) -> None:
        """Reads the tokens now: another replica may have created one that is not known here.

        Of many concurrent callers one reads, a few times a second at most.
        """
        asked_at = time.monotonic()
        async with self.reading_tokens:
            if self.tokens_at > asked_at:
                return
            await asyncio.sleep(max(0.0, self.tokens_at + _TOKENS_S - time.monotonic()))
            began = time.monotonic()
            with contextlib.suppress(StorageError):
                self.tokens = await asyncio.to_thread(self.store.tokens)
            self.tokens_at = began

    def sight(self, domain: str, sightings: Iterable[NameOccurrence]) -> None:
        """Counts names that were met; beyond a bound between two flushes, only some."""
        for sighting in sightings:
            if len(self.names) < _MOST_NAMES or (domain, sighting) in self.names:
                self.names[domain, sighting] += 1

    def flush(self) -> None:
        """Writes the counts of this process to the database; they are retained where it is busy."""
        counts, self.counts = self.counts, Counter()
        swapped, self.names = self.names, Counter()
        # Replaced as a whole: a request that started before may still be counting.
        names = Counter(swapped)
        try:
            self.store.count(counts)
            counts = Counter()
            for domain in {domain for domain, _ in names}:
                met = Counter({key[1]: names[key] for key in names if key[0] == domain})
                NameStatsStore(self.store.engine, domain).add(met)
                names = Counter({key: names[key] for key in names if key[0] != domain})
        except StorageError:
            self.counts.update(counts)
            self.names.update(names)
            raise


async def follow(state: State) -> None:
    """Refreshes about once a second, and flushes counts occasionally, until cancelled."""
    was_failing = False
    for poll in itertools.count(1):
        await asyncio.sleep(_POLL_S)
        try:
            await asyncio.to_thread(state.refresh)
            if poll % _POLLS_A_FLUSH == 0:
                await asyncio.to_thread(state.flush)
            was_failing = False
        except StorageError as error:
            # The data in memory stays valid; it is logged once, not every second.
            if not was_failing:
                _LOG.warning("%s: %s", error.code, error)
            was_failing = True


async def unfollow(task: asyncio.Task[None], state: State) -> None:
    """Stops following and writes the last counts."""
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    with contextlib.suppress(StorageError):
        await asyncio.to_thread(state.flush)


def state_of(request: Request) -> State:
    """Returns the state of the app that serves a request."""
    state = request.app.state.grounded
    assert isinstance(state, State)  # noqa: S101 - narrows the type for the type checker
    return state.narrow(getattr(request.state, "switches", None))


def stored_registry_of(state: State, name: str, catalog: Any) -> Registry:
    """Returns the registry of a stored catalog of a domain, by its fingerprint."""
    if not isinstance(catalog, str) or state.store.catalog(catalog).domain != name:
        message = f"catalog is not the fingerprint of a catalog of domain {name}"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/catalog")
    active = state.load_registry(name)
    return active if catalog == active.fingerprint else state.store.registry(catalog)
