"""The catalogs in use, and whether they are of what runs."""

from __future__ import annotations

from collections.abc import Iterable

from grounded_builder.doctor.observation import Observation
from grounded_builder.storage.catalogs import StoredCatalog
from grounded_builder.storage.condition import Condition

_N8N = "n8n"
_MAKE = "node-catalog-sync --output catalog.jsonl && grounded catalog load catalog.jsonl"


def catalogs(kept: Condition, running: str | None, shipped: Iterable[str]) -> Iterable[Observation]:
    """One observation a catalog; ``running`` is the version of n8n that answers, if it says so.

    ``shipped`` are the domains with a catalog in the package, which counts until one is loaded.
    """
    if not any(one.domain == _N8N for one in kept.active):
        text = "none is loaded: no workflow can be resolved or judged"
        yield Observation("catalog n8n", "failed", text, f"make one: {_MAKE}")
    for domain in sorted(set(shipped) - {one.domain for one in kept.active}):
        yield Observation(
            f"catalog {domain}", "ok", "none is loaded: the one of the package counts"
        )
    for one in kept.active:
        yield _catalog(one, running if one.domain == _N8N else None)


def _catalog(one: StoredCatalog, running: str | None) -> Observation:
    part = f"catalog {one.domain}"
    of = ", ".join(f"{name} {version}" for name, version in one.versions.items())
    of = f" of {of}" if of else ""
    text = f"{one.fingerprint[:12]}{of}: {one.tools} tools, loaded {one.loaded_at[:10]}"
    version = one.versions.get(_N8N)
    if running is not None and version is not None and running != version:
        told = f"{text}; n8n {running} is running"
        return Observation(part, "doubtful", told, f"make it again: {_MAKE}")
    broken = [str(package["name"]) for package in one.packages if package.get("error")]
    if broken:
        told = f"{text}; not loaded: {', '.join(broken[:3])}"
        return Observation(part, "doubtful", told, "`grounded catalog show` tells why")
    current = ", as n8n that is running" if running is not None and running == version else ""
    return Observation(part, "ok", f"{text}{current}")
