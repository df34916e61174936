"""The Simulink catalog that ships, read once for all stores of the tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.shipped_catalogs import read_catalogs_once


@pytest.fixture(scope="session", autouse=True)
def read_once() -> Iterator[None]:
    """A store of a test begins empty, and takes the catalog that another one has read."""
    with pytest.MonkeyPatch.context() as patch:
        read_catalogs_once(patch.setattr)
        yield
