"""Data stores and the memories that keep them."""

from __future__ import annotations

from tests.support.simulink_models import block, codes, model, system

READ = block("r", "DataStoreRead", DataStoreName="speed")
MEMORY = block("m", "DataStoreMemory", DataStoreName="speed")


def test_a_memory_around_a_block_keeps_its_store() -> None:
    """A memory is in reach in the diagram of the block and in those around it."""
    assert "SLX346" not in codes(model([READ, MEMORY]))
    assert "SLX346" not in codes(model([MEMORY, block("box", "SubSystem", system([READ]))]))


def test_a_store_that_nothing_keeps_is_reported() -> None:
    """A memory of another name, inside of another subsystem, or commented out keeps nothing."""
    assert "SLX346" in codes(model([READ]))
    assert "SLX346" in codes(model([READ, block("m", "DataStoreMemory", DataStoreName="Speed")]))
    assert "SLX346" in codes(model([READ, block("box", "SubSystem", system([MEMORY]))]))
    assert "SLX346" in codes(model([READ, MEMORY | {"properties": {"Commented": "on"}}]))


def test_data_stores_of_partial_model_are_not_checked() -> None:
    """The file around a subsystem file or a library may define the store."""
    assert "SLX346" not in codes(model([READ], kind="library"))
