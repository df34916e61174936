"""``grounded mcp``: serve the Model Context Protocol on standard input and output."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

from grounded_builder.cli.environment import (
    UnusableError,
    clear_errors,
    opened,
    settings_from_environment,
)
from grounded_builder.domains.known import DOMAINS
from grounded_builder.mcp.workplace import RefusedError, Workplace
from grounded_builder.registry.registry import Registry
from grounded_builder.storage.store import Store
from grounded_builder.unresolved import References


def mcp() -> None:
    """Serve find_tool, get_tool, resolve, validate, repair, build, import and generate on stdio."""
    # The protocol's library is more than most other commands load altogether.
    from grounded_builder.mcp.server import serve_on  # noqa: PLC0415

    with clear_errors():
        store = opened(settings_from_environment())
    serve_on(workplace(store)).run("stdio")


def workplace(store: Store) -> Workplace:
    """A workplace of this process: catalogs are read anew when another is active."""
    compiler = ThreadPoolExecutor(1, "compile")
    kept: dict[str, tuple[tuple[int, ...] | None, Registry]] = {}
    lock = threading.Lock()

    def registry(domain: str) -> Registry:
        with lock:
            try:
                with clear_errors():
                    mark = store.marks().get(domain)
                    known = kept.get(domain)
                    if known is None or known[0] != mark:
                        active = store.active(domain)
                        known = None if active is None else (mark, active)
            except UnusableError as error:
                raise RefusedError(str(error)) from error
            if known is None:
                load = f"`grounded catalog load --domain {domain} FILE` loads one"
                raise RefusedError(f"no catalog of domain {domain} is loaded; {load}")
            kept[domain] = known
            return known[1]

    @cache
    def references(domain: str) -> References:
        return cache(lambda: store.references(domain))

    def compiling(work: Any) -> Any:
        return compiler.submit(work).result()

    return Workplace(store, DOMAINS, registry, references, compiling)
