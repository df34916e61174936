"""Checks the active catalogs, and whether they match the software that runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grounded_builder.interfaces.cli.doctor.finding import Observation
from grounded_builder.storage.catalogs import StoredCatalog
from grounded_builder.storage.inspect import Condition

_N8N = "n8n"
_MAKE = "node-catalog-sync --output catalog.jsonl && grounded catalog load catalog.jsonl"
_MEANS = {
    _N8N: ("no n8n workflow can be resolved or checked", _MAKE),
    "tools": ("no request can be routed", "grounded catalog load --domain tools FILE"),
}


@dataclass(frozen=True, slots=True)
class CheckedDomains:
    """The ``domains`` to check, and those of them that are in use."""

    domains: frozenset[str]
    used: frozenset[str]


def check_catalogs(
    condition: Condition, wanted: CheckedDomains, running: str | None, shipped: Iterable[str]
) -> Iterable[Observation]:
    """Yields one observation for each catalog; ``running`` is the version of n8n that answers, if
    known.

    ``shipped`` are the domains with a catalog in the package, which is used until one is loaded.
    """
    absent = wanted.domains - {stored.domain for stored in condition.active}
    for domain in sorted(absent.difference(shipped)):
        if domain in wanted.used | condition.domains or domain == _N8N:
            yield _missing_catalog(domain, needed=domain in wanted.used | condition.domains)
    for domain in sorted(absent.intersection(shipped)):
        yield Observation(
            f"catalog {domain}", "ok", "none is loaded: the catalog of the package is used"
        )
    for stored in condition.active:
        if stored.domain in wanted.domains:
            yield _catalog(stored, running if stored.domain == _N8N else None)


def _missing_catalog(domain: str, *, needed: bool) -> Observation:
    part, (meaning, making) = f"catalog {domain}", _MEANS[domain]
    text = f"no catalog is active: {meaning}"
    if needed:
        return Observation(part, "failed", text, f"make one: {making}")
    return Observation(part, "absent", f"{text}; Simulink needs none", f"for n8n: {making}")


def _catalog(stored: StoredCatalog, running: str | None) -> Observation:
    part = f"catalog {stored.domain}"
    of = ", ".join(f"{name} {version}" for name, version in stored.versions.items())
    of = f" of {of}" if of else ""
    text = f"{stored.fingerprint[:12]}{of}: {stored.tools} tools, loaded {stored.loaded_at[:10]}"
    version = stored.versions.get(_N8N)
    if running is not None and version is not None and running != version:
        value = f"{text}; n8n {running} is running"
        return Observation(part, "doubtful", value, f"load it again: {_MAKE}")
    broken = [str(package["name"]) for package in stored.packages if package.get("error")]
    if broken:
        value = f"{text}; not loaded: {', '.join(broken[:3])}"
        return Observation(part, "doubtful", value, "`grounded catalog show` has the reasons")
    current = ", as n8n that is running" if running is not None and running == version else ""
    return Observation(part, "ok", f"{text}{current}")
