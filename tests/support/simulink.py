"""Provides the built-in Simulink catalog as a registry, made once per run."""

from __future__ import annotations

from functools import cache

from grounded_builder.catalog.catalog_file import read_catalog
from grounded_builder.catalog.loader import open_index, open_registry, prepare_catalog
from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.simulink.catalog import builtin
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec, compile_tool


@cache
def simulink_registry() -> Registry:
    """Returns the registry over the catalog that ships with the package."""
    prepared = prepare_catalog(read_catalog(builtin()))
    bodies = {entry.fingerprint: entry.body for entry in prepared.entries}
    index = open_index(prepared.index)
    return open_registry(index, prepared.fingerprint, bodies.__getitem__, compile_tool)


def block(path: str) -> BlockSpec:
    """Returns a block of the catalog in its compact form."""
    spec = simulink_registry().spec(path, 1.0)
    assert isinstance(spec, BlockSpec)
    return spec
