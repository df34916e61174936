"""Names of products: today's, former ones, and those of licence files, in texts and alone."""

from __future__ import annotations

import pytest

from grounded_builder.domains.simulink.catalog.products import (
    FEATURES,
    find_mentioned_products,
    find_product,
    find_products,
)
from tests.support.simulink import simulink_registry


@pytest.mark.parametrize(
    ("name", "product"),
    [
        ("dsp system toolbox", "DSP System Toolbox"),
        ("Signal_Blocks", "DSP System Toolbox"),
        ("signal_blocks", "DSP System Toolbox"),
        ("Signal Processing Blockset", "DSP System Toolbox"),
        ("SimPowerSystems", "Simscape Electrical"),
        ("Real-Time Workshop", "Simulink Coder"),
        ("Real-Time_Workshop", "Simulink Coder"),
        ("Acme  Blockset", "Acme Blockset"),
    ],
)
def test_a_product_is_known_by_all_its_names(name: str, product: str) -> None:
    """A former name and a feature mean the product of today; what is not known stays as it is."""
    assert find_product(name) == product


def test_simulink_is_always_there() -> None:
    """A list of toolboxes always includes Simulink."""
    assert find_products(["Simscape", " "]) == {"Simulink", "Simscape"}
    assert "Simscape" in find_products(["SimElectronics"])


@pytest.mark.parametrize(
    ("text", "products"),
    [
        ("Cannot find a license for Signal_Blocks.", ("DSP System Toolbox",)),
        ("Maximum number of users for Power_System_Blocks reached.", ("Simscape Electrical",)),
        ("a Simscape Electrical license is needed", ("Simscape Electrical",)),
        ("needs Simscape and Simulink Control Design", ("Simscape", "Simulink Control Design")),
        ("Failed to load library 'simscape_utility_lib'", ()),
        ("Feature: SIMULINK", ("Simulink",)),
        ("acmeSimscape", ()),
        ("", ()),
    ],
)
def test_products_are_found_in_messages(text: str, products: tuple[str, ...]) -> None:
    """Of overlapping names the longest counts, and no name inside another word."""
    assert find_mentioned_products(text) == products


def test_each_name_of_a_feature_is_of_one_product() -> None:
    """Two products never share a feature."""
    features = [feature.casefold() for feature in FEATURES.values()]
    assert len(set(features)) == len(features)


def test_a_product_of_the_catalog_is_none_by_its_former_name() -> None:
    """The products of the shipped blocks are named as today."""
    rows = simulink_registry().tools.values()
    named = {row.requires_license for row in rows if row.requires_license}
    assert all(find_product(name) == name for name in named)
