"""A live sidecar for the tests of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.live_sidecar import Live, run_sidecar


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A sidecar with a state of its own, ended after the file."""
    with run_sidecar(tmp_path_factory.mktemp("live")) as result:
        yield result
