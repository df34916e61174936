"""Why a block is not there: it came later, its product is not there, or has no licence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.simulink.catalog.products import (
    FEATURES,
    product_named,
    products_named,
)
from grounded_builder.domains.simulink.catalog.releases import is_later
from grounded_builder.domains.simulink.resolve.target import products_of, release_of
from grounded_builder.ir.options import Policy
from grounded_builder.ir.resolution import NameContext

_LICENCE = "licence "
_MOST, _LONGEST = 3, 40


@dataclass(frozen=True, slots=True)
class Terms:
    """What is said of an installation: its release, its products (None: all), lost licences.

    ``strange`` are names among the products that no product bears.
    """

    release: str = ""
    products: frozenset[str] | None = None
    lost: frozenset[str] = frozenset()
    strange: tuple[str, ...] = ()


def terms_of(context: NameContext, registry: Registry) -> Terms:
    """The terms that a question about a name states, and what its catalog tells of licences."""
    products = frozenset(products_of(context.target)) | context.families
    return _terms(release_of(context.target), products, registry)


def terms_under(policy: Policy, registry: Registry) -> Terms:
    """The terms that a policy states, and what the catalog tells of licences."""
    return _terms(release_of(policy.target), frozenset(products_of(policy.target)), registry)


def hindrance(tool: str, registry: Registry, terms: Terms) -> str:
    """Why a block is not there under these terms; empty where nothing is known against it."""
    row = registry.tools[tool]
    reason = absence(row.requires_license or "", terms)
    if reason or not terms.release:
        return reason
    spec = registry.spec(tool, row.newest)
    if is_later(spec.release, terms.release):
        return f"it came with {spec.release}, and the release is {terms.release}"
    if is_later(spec.not_before, terms.release):
        return f"it came with {spec.not_before} or later, and the release is {terms.release}"
    return ""


def absence(product: str, terms: Terms) -> str:
    """Why a product is not there under these terms; empty where nothing is known against it."""
    named = product_named(product)
    if named and terms.products is not None and named not in terms.products:
        strange = f" ({', '.join(terms.strange)}: no product)" if terms.strange else ""
        return f"it is of {named}, which is not among the products{strange}"
    return f"no licence for {named} is held" if named in terms.lost else ""


def unlicensed(registry: Registry) -> frozenset[str]:
    """The products that are installed and known to have no licence.

    An installation tells the licences that it holds by the names of products; of a product whose
    feature goes by another name nothing is known where it is not told.
    """
    versions = registry.header.versions
    if not versions:
        return frozenset()
    held = {
        product_named(name.removeprefix(_LICENCE)) for name in versions if name.startswith(_LICENCE)
    }
    if not held:
        return frozenset()
    return frozenset(
        name
        for name in versions
        if name not in held and FEATURES.get(name, "").casefold() == _asked(name)
    )


def release_here(registry: Registry, policy: Policy) -> str:
    """The release that models are to run in: as policy states it, else of the installation."""
    return release_of(policy.target) or registry.header.versions.get("release", "")


def _asked(product: str) -> str:
    return product.replace(" ", "_").casefold()


def _terms(release: str, products: frozenset[str], registry: Registry) -> Terms:
    named = products_named(products) if products else None
    strange = () if named is None else _strange(named, registry)
    return Terms(release.strip(), named, unlicensed(registry), strange)


@lru_cache(4)
def _strange(products: frozenset[str], registry: Registry) -> tuple[str, ...]:
    """Names that are no product's: neither one that is known nor one that a tool is of."""
    known = {product_named(row.requires_license or "") for row in registry.tools.values()}
    unknown = sorted(products - known - FEATURES.keys() - registry.header.versions.keys())
    return tuple(f'"{name[:_LONGEST]}"' for name in unknown[:_MOST])
