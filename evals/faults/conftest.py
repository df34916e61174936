"""Provides tests with fault injection over the catalog of the installed n8n."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.faults.bench import Bench
from evals.faults.catalog import Catalog
from evals.faults.judge import judge_over


@pytest.fixture(scope="session")
def context(catalog_file: Path) -> Bench:
    content = catalog_file.read_bytes()
    return Bench(Catalog.read(content), judge_over(content))
