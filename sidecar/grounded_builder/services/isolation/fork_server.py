"""Forks a process for each compile from one that has all catalogs loaded and no threads.

A process that runs threads or V8 cannot be forked safely, and a fresh one takes about a second to
load its modules and catalogs. This one loads them once and is forked for each piece of work. Run
as ``python -m grounded_builder.services.isolation.fork_server FD``, it reads its settings from the
socket.
"""

from __future__ import annotations

import gc
import logging
import os
import pickle
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any, NoReturn

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.known import DOMAINS
from grounded_builder.resolve.diagnose import ReferenceCatalogs
from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.services.isolation.bounds import ProcessBounds, end_with_parent
from grounded_builder.services.isolation.child import answer_and_exit
from grounded_builder.services.isolation.exchange import unpack
from grounded_builder.storage.store import Store

_LOG = logging.getLogger("grounded_builder.services.isolation")
ORDER_HEAD = struct.Struct("!Qdq")
_POLL_S = 0.5
_FRESH_S = 2.0
_CONTROL_BYTES = 16

Mark = tuple[int, ...]


class LoadedHome:
    """A store and the active registries; children read later changes from the database."""

    def __init__(
        self,
        store: Store,
        registries: Mapping[str, Registry] | None = None,
        marks: Mapping[str, Mark] | None = None,
    ) -> None:
        self.store = store
        self._registries = dict(registries or {})
        self._marks = dict(marks or {})

    def load(self) -> None:
        """Reads the active catalogs and closes the connections: children open their own."""
        try:
            for name, mark in self.store.marks().items():
                if name in DOMAINS and self._marks.get(name) != mark:
                    self._load(name)
                    self._marks[name] = mark
        except Exception as error:  # noqa: BLE001 - children load the catalog themselves and report the error
            _LOG.warning("catalogs were not loaded ahead: %s", error)
        finally:
            self.store.engine.dispose()

    def _load(self, name: str) -> None:
        registry = self.store.active(name)
        if registry is not None:
            self._registries[name] = registry
            # Built here once; otherwise every child builds it for the first wrong name.
            registry.search.has_stem("")

    def registry(self, domain: str, fingerprint: str) -> Registry:
        """Returns the registry of a stored catalog under the current decisions about names."""
        known = self._registries.get(domain)
        is_same = known is not None and known.fingerprint == fingerprint
        if known is not None and is_same and self._is_current(domain):
            return known
        return self.store.registry(fingerprint)

    def _is_current(self, domain: str) -> bool:
        return self.store.marks().get(domain) == self._marks.get(domain)

    def references(self, domain: str) -> ReferenceCatalogs:
        """Returns the other catalogs of a domain."""
        return cache(lambda: self.store.references(domain))


def serve_forks(control: socket.socket, home: LoadedHome) -> NoReturn:
    """Forks a child for each channel that arrives on the control socket, until that is closed.

    After SIGTERM it ends as soon as no child is left: a new process holds newer catalogs.
    """
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    asked_to_end: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _frame: asked_to_end.append(number))
    children: set[int] = set()
    loaded = 0.0
    try:
        while children or not asked_to_end:
            ready, _, _ = select.select([control], [], [], _POLL_S)
            _reap(children)
            if not ready:
                continue
            channel = _next_channel(control)
            if channel is None:
                break
            if time.monotonic() - loaded > _FRESH_S:
                home.load()
                loaded = time.monotonic()
            parent = os.getpid()
            pid = os.fork()
            if pid == 0:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                end_with_parent(parent)
                control.close()
                _run_child(channel, home)
            children.add(pid)
            channel.close()
    finally:
        for pid in children:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        os._exit(0)


def _next_channel(control: socket.socket) -> socket.socket | None:
    """Returns the socket over which the next work arrives; None when the control socket
    is closed.
    """
    try:
        message, descriptors, _, _ = socket.recv_fds(control, _CONTROL_BYTES, 1)
    except ConnectionError:
        return None
    if not message or not descriptors:
        return None
    return socket.socket(fileno=descriptors[0])


def _run_child(channel: socket.socket, home: LoadedHome) -> NoReturn:
    """Reads the work and runs it in a child with a deadline."""
    try:
        size, seconds, memory = ORDER_HEAD.unpack(_read_exactly(channel, ORDER_HEAD.size))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        order = _read_exactly(channel, size)
    except (OSError, EOFError):
        os._exit(1)
    bounds = ProcessBounds(seconds, memory)

    def work() -> Any:
        return unpack(order, home)()

    answer_and_exit(channel, work, bounds)


def _read_exactly(channel: socket.socket, size: int) -> bytes:
    buffer = bytearray(size)
    view = memoryview(buffer)
    filled = 0
    while filled < size:
        count = channel.recv_into(view[filled:])
        if not count:
            raise EOFError
        filled += count
    return bytes(buffer)


def _reap(children: set[int]) -> None:
    for pid in tuple(children):
        with suppress(ChildProcessError):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                children.discard(pid)
                if os.WIFSIGNALED(status):
                    _LOG.warning("a compile was ended by signal %d", os.WTERMSIG(status))


def _main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    size = struct.unpack("!Q", _read_exactly(control, 8))[0]
    settings, modules = pickle.loads(_read_exactly(control, size))  # noqa: S301 - from our own parent
    for module in modules:
        import_module(module)
    home = LoadedHome(open_domains_store(settings))
    home.load()
    gc.collect()
    gc.freeze()
    serve_forks(control, home)


if __name__ == "__main__":
    _main()
