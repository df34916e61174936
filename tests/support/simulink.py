"""The built-in Simulink catalog as a registry, made once a run."""

from __future__ import annotations

from functools import cache

from grounded_builder.domains.simulink.catalog import builtin
from grounded_builder.domains.simulink.spec import BlockSpec, compile_tool
from grounded_builder.registry.catalog_file import read_catalog
from grounded_builder.registry.load import open_index, prepare, registry_of
from grounded_builder.registry.registry import Registry


@cache
def simulink_registry() -> Registry:
    """The registry over the catalog that ships with the package."""
    prepared = prepare(read_catalog(builtin()))
    bodies = {entry.fingerprint: entry.body for entry in prepared.entries}
    index = open_index(prepared.index)
    return registry_of(index, prepared.fingerprint, bodies.__getitem__, compile_tool)


def block(path: str) -> BlockSpec:
    """A block of the catalog in its compact form."""
    spec = simulink_registry().spec(path, 1.0)
    assert isinstance(spec, BlockSpec)
    return spec
