"""Provides tests with repair over the catalog of the installed n8n, and with workflows."""

from __future__ import annotations

from itertools import chain, islice
from pathlib import Path

import pytest

from evals.faults.bench import SHARED
from evals.faults.catalog import Catalog
from evals.faults.injection import read_own_workflows, read_real_workflows, read_scenes
from evals.faults.scene import Scene
from evals.repairs.outcome import Workshop, read_more_own
from tests.support.registries import registry_from

STEP = 4  # every fourth real workflow


@pytest.fixture(scope="session")
def workshop(catalog_file: Path) -> Workshop:
    return Workshop(registry_from(catalog_file.read_bytes()))


@pytest.fixture(scope="session")
def own_scenes(catalog_file: Path) -> list[Scene]:
    catalog = Catalog.read(catalog_file.read_bytes())
    return read_scenes(chain(read_own_workflows(), read_more_own()), catalog)


@pytest.fixture(scope="session")
def real_scenes(catalog_file: Path) -> list[Scene]:
    """Returns a slice of the real workflows; skips the test if there are none."""
    if not SHARED.exists():
        pytest.skip(f"no real workflows: {SHARED} is absent; own workflows hold the law")
    catalog = Catalog.read(catalog_file.read_bytes())
    return read_scenes(
        chain(islice(read_real_workflows(SHARED), 0, None, STEP), read_more_own()), catalog
    )
