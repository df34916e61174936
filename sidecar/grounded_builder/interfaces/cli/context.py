"""Opens the settings, store, domain and registry of a command; turns errors to UnusableError."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from grounded_builder.catalog.catalog_file import CatalogError
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.name_stats import NameOccurrence
from grounded_builder.domains.known import DOMAINS, read_settings
from grounded_builder.ir.domain import Domain, convert_catalog
from grounded_builder.ir.options import CompileOptions, Purpose
from grounded_builder.ir.target import Target
from grounded_builder.resolve.diagnose import ReferenceCatalogs
from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.services.isolation.bounds import CompileLimitError
from grounded_builder.settings import Settings, SettingsError
from grounded_builder.storage.errors import NoSuchCatalogError, StorageError
from grounded_builder.storage.name_stats import NameStatsStore
from grounded_builder.storage.overlay import OverlayError
from grounded_builder.storage.store import Store


class UnusableError(Exception):
    """The command cannot run; the message names the reason and the remedy."""


@dataclass(frozen=True, slots=True)
class CliContext:
    """A domain, its registry and the compile options."""

    domain: Domain
    registry: Registry
    options: CompileOptions
    store: Store
    references: ReferenceCatalogs


def require_n8n(settings: Settings, purpose: str) -> None:
    """Raises UnusableError where no n8n is configured; ``purpose`` names the command that needs
    one.
    """
    for name, value in (
        ("GROUNDED_N8N_URL", settings.n8n_url),
        ("GROUNDED_N8N_API_KEY", settings.n8n_api_key),
    ):
        if value is None:
            raise UnusableError(f"{name} is not set: {purpose}")


def cli_context(domain: str, catalog: str, purpose: Purpose = "judge") -> CliContext:
    """Opens the context of a compiling command; raises UnusableError when there is no catalog."""
    known = known_domain(domain)
    settings = settings_from_environment()
    with clear_errors():
        store = open_domains_store(settings)
        registry = _registry(store, domain, catalog)
        secret = store.secrets().path_secret
    options = CompileOptions(
        purpose=purpose, policy=settings.policy, limits=settings.limits, path_secret=secret
    )
    # Opening a catalog costs far more than checking a document.
    references = cache(lambda: store.references(domain))
    return CliContext(known, registry, options, store, references)


def with_target(context: CliContext, target: Target) -> CliContext:
    """Returns the context for a target; what it does not state is that of the settings."""
    policy = context.options.policy
    policy = replace(policy, target=target.over(policy.target))
    return replace(context, options=replace(context.options, policy=policy))


def as_drafts(context: CliContext) -> CliContext:
    """Returns the context in which a written value without effect is an error."""
    return replace(context, options=replace(context.options, is_draft=True))


def known_domain(name: str) -> Domain:
    """Returns the domain of this name; raises UnusableError for an unknown name."""
    if name not in DOMAINS:
        raise UnusableError(f"there is no domain {name!r}; known: {', '.join(DOMAINS)}")
    return DOMAINS[name]


def settings_from_environment(host: str | None = None, port: int | None = None) -> Settings:
    """Returns the settings, with host and port from the command line where given."""
    try:
        settings = read_settings()
    except SettingsError as error:
        raise UnusableError(str(error)) from error
    return replace(
        settings,
        host=settings.host if host is None else host,
        port=settings.port if port is None else port,
    )


def open_store() -> Store:
    """Returns the store of this installation; raises UnusableError where it cannot be opened."""
    with clear_errors():
        return open_domains_store(settings_from_environment())


@contextmanager
def clear_errors() -> Iterator[None]:
    """Turns environment errors into UnusableError with one line on the remedy."""
    try:
        yield
    except (StorageError, CatalogError, CompileLimitError, OverlayError) as error:
        raise UnusableError(f"{error}; {error.help}") from error
    except NoSuchCatalogError as error:
        raise UnusableError(f"{error.args[0]}; see `grounded catalog list`") from error


def _registry(store: Store, domain: str, catalog: str) -> Registry:
    if catalog:
        path = Path(catalog)
        if path.is_file():
            return _of_file(store, DOMAINS[domain], path)
        if "/" in catalog or "." in catalog:
            raise UnusableError(f"there is no catalog file {catalog}")
        registry = store.registry(catalog)
        if registry.header.domain != domain:
            raise UnusableError(
                f"{catalog} belongs to domain {registry.header.domain}; "
                f"see `grounded catalog list --domain {domain}`"
            )
        return registry
    active = store.active(domain)
    if active is None:
        making = "make one with `node-catalog-sync --output catalog.jsonl` and "
        load = f"`grounded catalog load --domain {domain} FILE`"
        other = "; models of Simulink need `--domain simulink` alone"
        hint = f"{making}`grounded catalog load catalog.jsonl`{other}" if domain == "n8n" else load
        raise UnusableError(f"no catalog of domain {domain} is loaded; {hint}")
    return active


def _of_file(store: Store, domain: Domain, path: Path) -> Registry:
    """Returns the registry of a catalog file or of published tools, without activating it."""
    with path.open("rb") as stream:
        source = convert_catalog(stream, domain)
        if source is not stream:
            loaded = store.load_catalog(source, domain.name, activate=False)
            return store.registry(loaded.catalog.fingerprint)
    return store.registry_of_file(path, domain.name)


def count_names(met: Iterable[NameOccurrence], context: CliContext) -> None:
    """Adds to the counts of names; the answer stands even where they cannot be written."""
    with suppress(StorageError):
        NameStatsStore(context.store.engine, context.domain.name).add(met)
