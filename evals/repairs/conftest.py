"""Makes the workshop over the catalog of the installed n8n, and real workflows for it."""

from __future__ import annotations

from itertools import chain, islice
from pathlib import Path

import pytest

from evals.faults.bench import SHARED
from evals.faults.catalog import Catalog
from evals.faults.injection import own_workflows, real_workflows, scenes_of
from evals.faults.scene import Scene
from evals.repairs.outcome import Workshop, more_own
from tests.support.registries import registry_from

STEP = 4  # every fourth real workflow


@pytest.fixture(scope="session")
def workshop(catalog_file: Path) -> Workshop:
    return Workshop(registry_from(catalog_file.read_bytes()))


@pytest.fixture(scope="session")
def own_scenes(catalog_file: Path) -> list[Scene]:
    catalog = Catalog.read(catalog_file.read_bytes())
    return scenes_of(chain(own_workflows(), more_own()), catalog)


@pytest.fixture(scope="session")
def real_scenes(catalog_file: Path) -> list[Scene]:
    """A seeded slice of real workflows; the tests that ask for it skip where there are none."""
    if not SHARED.exists():
        pytest.skip(f"no real workflows: {SHARED} is absent; own workflows hold the law")
    catalog = Catalog.read(catalog_file.read_bytes())
    return scenes_of(chain(islice(real_workflows(SHARED), 0, None, STEP), more_own()), catalog)
