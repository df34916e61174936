"""Defines the target options of a MATLAB installation (release, products), and reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.simulink.catalog.releases import find_release_order
from grounded_builder.ir.target import Exclusion, Target, TargetOption


def is_release(text: str) -> bool:
    """Returns whether a text names a release: R2024b, 2024b or an early one such as R14SP3."""
    return find_release_order(text) is not None


_RELEASE = TargetOption(
    name="release",
    help="The release that models are for: R2024b.",
    expects="a release such as R2024b",
    is_valid=is_release,
)
_PRODUCTS = TargetOption(
    name="products",
    help="The products that are available, separated by commas.",
    is_list=True,
)
OPTIONS = (_RELEASE, _PRODUCTS)


def release_of(target: Target) -> str:
    """Returns the release that a target states, empty where it states none."""
    return target.text(_RELEASE.name)


def products_of(target: Target) -> tuple[str, ...]:
    """Returns the products that a target states, none where any may be there."""
    return target.names(_PRODUCTS.name)


def blocks_of_products(names: Sequence[str], registry: Registry) -> Iterator[str]:
    """Yields the blocks that need a licence for one of these products."""
    excluded = {name.casefold() for name in names}
    for row in registry.tools.values():
        if (row.requires_license or "").casefold() in excluded:
            yield row.id


FORBIDDEN_PRODUCTS = Exclusion("forbid_products", blocks_of_products, "blocks of {name}")
EXCLUSIONS = (FORBIDDEN_PRODUCTS,)


def product_and_age(tool: str, registry: Registry) -> dict[str, Any]:
    """Returns the product of a block and the release that introduced it."""
    since = registry.tool(tool).get("version_introduced")
    return {"since": since or "unknown", "product": registry.tools[tool].family}
