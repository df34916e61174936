"""Determines why a block or product is not available: its release, product or licence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.simulink.catalog.products import (
    FEATURES,
    find_product,
    find_products,
)
from grounded_builder.domains.simulink.catalog.releases import is_later
from grounded_builder.domains.simulink.resolve.target import products_of, release_of
from grounded_builder.ir.options import Policy
from grounded_builder.ir.resolution import NameContext

_LICENCE = "licence "
_MOST, _LONGEST = 3, 40


@dataclass(frozen=True, slots=True)
class Terms:
    """The state of an installation: its release, its products (None: all) and missing licences.

    ``strange`` are names in the list of products that are not products.
    """

    release: str = ""
    products: frozenset[str] | None = None
    lost: frozenset[str] = frozenset()
    strange: tuple[str, ...] = ()


def terms_of(context: NameContext, registry: Registry) -> Terms:
    """Returns the terms of the context of a name, with the licences that its catalog states."""
    products = frozenset(products_of(context.target)) | context.families
    return _terms(release_of(context.target), products, registry)


def terms_under(policy: Policy, registry: Registry) -> Terms:
    """Returns the terms of a policy, with the licences that the catalog states."""
    return _terms(release_of(policy.target), frozenset(products_of(policy.target)), registry)


def find_hindrance(tool: str, registry: Registry, terms: Terms) -> str:
    """Returns why a block is not available under these terms; empty where it may be."""
    row = registry.tools[tool]
    reason = find_absence(row.requires_license or "", terms)
    if reason or not terms.release:
        return reason
    spec = registry.spec(tool, row.newest)
    if is_later(spec.release, terms.release):
        return f"it was introduced in {spec.release}, and the release is {terms.release}"
    if is_later(spec.not_before, terms.release):
        return (
            f"it was introduced in {spec.not_before} or later, and the release is {terms.release}"
        )
    return ""


def find_absence(product: str, terms: Terms) -> str:
    """Returns why a product is not available under these terms; empty where it may be."""
    named = find_product(product)
    if named and terms.products is not None and named not in terms.products:
        strange = f" ({', '.join(terms.strange)}: not a product)" if terms.strange else ""
        return f"it belongs to {named}, which is not among the products{strange}"
    return f"there is no licence for {named}" if named in terms.lost else ""


def list_unlicensed(registry: Registry) -> frozenset[str]:
    """Returns the products that are installed and known to have no licence.

    An installation lists its licences by the names of products. A product whose licence feature has
    another name is left out where it is not listed.
    """
    versions = registry.header.versions
    if not versions:
        return frozenset()
    held = {
        find_product(name.removeprefix(_LICENCE)) for name in versions if name.startswith(_LICENCE)
    }
    if not held:
        return frozenset()
    return frozenset(
        name
        for name in versions
        if name not in held and FEATURES.get(name, "").casefold() == _product_key(name)
    )


def release_here(registry: Registry, policy: Policy) -> str:
    """Returns the release for which models are built: of the policy, else of the catalog."""
    return release_of(policy.target) or registry.header.versions.get("release", "")


def _product_key(product: str) -> str:
    return product.replace(" ", "_").casefold()


def _terms(release: str, products: frozenset[str], registry: Registry) -> Terms:
    named = find_products(products) if products else None
    strange = () if named is None else _find_unknown_products(named, registry)
    return Terms(release.strip(), named, list_unlicensed(registry), strange)


@lru_cache(4)
def _find_unknown_products(products: frozenset[str], registry: Registry) -> tuple[str, ...]:
    """Returns names that are neither known products nor products of a tool."""
    known = {find_product(row.requires_license or "") for row in registry.tools.values()}
    unknown = sorted(products - known - FEATURES.keys() - registry.header.versions.keys())
    return tuple(f'"{name[:_LONGEST]}"' for name in unknown[:_MOST])
