"""Provides one running stage and the catalog of its n8n to all tests of rehearsals."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from evals.rehearsal_hostile.__main__ import PACKAGE, PACKAGE_NAME, PACKAGES
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.expectations import Fault
from grounded_builder.domains.n8n.rehearsal.rehearse import Rehearsal, rehearse
from grounded_builder.domains.n8n.rehearsal.stage import Installation, Stage
from grounded_builder.domains.n8n.rehearsal.workflow_copy import CopyOrder
from grounded_builder.domains.n8n.trial.choose_samples import Given
from runtime import paths
from tests.support.n8n_server import provide_catalog
from tests.support.npm import unpack_package
from tests.support.registries import registry_from

Rehearse = Callable[..., Rehearsal]


@pytest.fixture(scope="session")
def user_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an n8n with a community package of the registry, and one that is hostile."""
    folder = tmp_path_factory.mktemp("user")
    packages = folder / PACKAGES
    shutil.copytree(PACKAGE, packages / PACKAGE_NAME)
    shutil.copytree(
        unpack_package("n8n-nodes-datastore", "0.1.18"), packages / "n8n-nodes-datastore"
    )
    return folder


@pytest.fixture(scope="session")
def registry(n8n_dir: Path, user_folder: Path) -> Registry:
    """The catalog of the n8n that runs on the stage."""
    assert n8n_dir.is_dir()
    return registry_from(provide_catalog(user_folder).read_bytes())


@pytest.fixture(scope="session")
def installation(n8n_dir: Path, user_folder: Path) -> Installation:
    """The programs of a stage, and community packages."""
    start_script = n8n_dir / "node_modules" / "n8n" / "bin" / "n8n"
    proxy = paths.REHEARSAL_PROXY / "src" / "proxy.js"
    return Installation(paths.node(), start_script, proxy, user_folder / ".n8n" / "nodes")


@pytest.fixture(scope="session")
def stage(installation: Installation) -> Iterator[Stage]:
    """A running stage."""
    result = Stage(installation, paths.cache() / "test-rehearsal")
    result.start()
    yield result
    result.close()


@pytest.fixture
def rehearsed(stage: Stage, registry: Registry) -> Rehearse:
    """Returns the function that rehearses a workflow."""

    def run(
        document: Mapping[str, Any],
        given: Given | None = None,
        open_routes: Sequence[Route] = (),
        faults: Mapping[str, Fault] | None = None,
    ) -> Rehearsal:
        graph = N8N.reading.read(document).graph
        assert graph is not None
        resolved, _ = resolve_graph(graph, N8N, registry, tuple)
        return rehearse(
            stage, CopyOrder(resolved, given or {}, open_routes, faults or {}), "a test"
        )

    return run
