"""Implements ``grounded mcp``: serves the Model Context Protocol on standard input and output."""

from __future__ import annotations

import threading
from functools import cache

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.known import DOMAINS
from grounded_builder.interfaces.cli.context import (
    UnusableError,
    clear_errors,
    settings_from_environment,
)
from grounded_builder.interfaces.mcp.context import McpContext, RefusedError
from grounded_builder.resolve.diagnose import ReferenceCatalogs
from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.services.isolation.compiler import Compiler, Compiling
from grounded_builder.services.isolation.exchange import DomainReferences
from grounded_builder.services.isolation.service import CompileProcesses
from grounded_builder.services.stage_keeper import StageKeeper
from grounded_builder.storage.store import Store


def mcp() -> None:
    """Serve find_tool, get_tool, resolve, validate, repair, build, rehearse, import and
    generate on stdio.
    """
    # The protocol's library takes longer to load than most other commands.
    from grounded_builder.interfaces.mcp.server import serve_on  # noqa: PLC0415

    settings = settings_from_environment()
    with clear_errors():
        open_domains_store(settings).close()
    # Forked before the first thread and before V8 starts.
    processes = CompileProcesses.fork(settings)
    with clear_errors():
        store = open_domains_store(settings)
    compiler = Compiler(processes)
    stages = StageKeeper(settings)
    try:
        serve_on(workplace(store, compiler, stages)).run("stdio")
    finally:
        stages.close()
        compiler.close()


def workplace(store: Store, compiling: Compiling, stages: StageKeeper) -> McpContext:
    """Returns the context of this process; a catalog is read again when another one is active."""
    open_registries: dict[str, tuple[tuple[int, ...] | None, Registry]] = {}
    lock = threading.Lock()

    def registry(domain: str) -> Registry:
        with lock:
            try:
                with clear_errors():
                    mark = store.marks().get(domain)
                    known = open_registries.get(domain)
                    if known is None or known[0] != mark:
                        active = store.active(domain)
                        known = None if active is None else (mark, active)
            except UnusableError as error:
                raise RefusedError(str(error)) from error
            if known is None:
                load = f"`grounded catalog load --domain {domain} FILE` loads one"
                raise RefusedError(f"no catalog of domain {domain} is loaded; {load}")
            open_registries[domain] = known
            return known[1]

    @cache
    def references(domain: str) -> ReferenceCatalogs:
        return DomainReferences(domain, cache(lambda: store.references(domain)))

    return McpContext(store, DOMAINS, registry, references, compiling, stages)
