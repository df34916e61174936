"""Makes the bench over the catalog of the installed n8n."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.bench import Bench
from tests.faults.catalog import Catalog
from tests.faults.judge import judge_over


@pytest.fixture(scope="session")
def bench(catalog_file: Path) -> Bench:
    content = catalog_file.read_bytes()
    return Bench(Catalog.read(content), judge_over(content))
