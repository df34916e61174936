"""The order of releases, and the releases that introduced blocks of the catalog."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.domains.simulink.catalog.releases import find_release_order, is_later
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.resolve.tool_search import describe_tool
from tests.support.simulink import block, simulink_registry

IN_ORDER = ["R13", "R14", "R14SP3", "R2006a", "R2006b", "R2019a", "R2019b", "R2024b", "R2026a"]


def every_block() -> Iterator[BlockSpec]:
    registry = simulink_registry()
    return (registry.spec(item, row.newest) for item, row in registry.tools.items())


def test_releases_stand_in_the_order_in_which_they_came() -> None:
    """Half-years follow each other, and names without years come before all with one."""
    assert (
        sorted(IN_ORDER, key=lambda diagnostic: find_release_order(diagnostic) or (9_999, 0, 0))
        == IN_ORDER
    )
    assert all(is_later(two, item) for item, two in pairwise(IN_ORDER))
    assert not any(is_later(name, name) for name in IN_ORDER)


@pytest.mark.parametrize("text", ["2024b", "(R2024b)", "r2024B", "R2024b Update 3", " R2024b "])
def test_a_release_is_read_as_people_and_matlab_write_it(text: str) -> None:
    """The release that MATLAB states and the one that people type are equal."""
    assert find_release_order(text) == find_release_order("R2024b")


@pytest.mark.parametrize("text", ["", None, "unknown", "24.2", "R2024c", "R20240b", "R2024b2"])
def test_invalid_release_is_neither_later_nor_earlier(text: str | None) -> None:
    """A text that is not a release is not compared."""
    assert find_release_order(text) is None
    assert not is_later(text, "R2006a")
    assert not is_later("R2026a", text)


def test_no_block_is_older_than_its_documented_release() -> None:
    """The documented release of a block agrees with every file that contains it."""
    for spec in every_block():
        assert not is_later(spec.release, spec.seen), spec.id
        assert not is_later(spec.not_before, spec.seen), spec.id


def test_since_when_is_a_release_or_unknown() -> None:
    """Every stated release is one; a bound is kept only where the release itself is unknown."""
    results = [
        (block_spec.release, block_spec.not_before, block_spec.seen) for block_spec in every_block()
    ]
    assert all(find_release_order(fact) for facts in results for fact in facts if fact is not None)
    assert not any(release and bound for release, bound, _ in results)


def test_the_kinds_of_knowledge_stay_separate() -> None:
    """The release of a block is documented, bounded by its product, seen in files or unknown."""
    playback = block("simulink/Sources/Playback")
    assert (playback.release, playback.not_before) == ("R2022b", None)
    battery = block("batt_lib/Cells/Battery")
    assert (battery.release, battery.not_before) == (None, "R2022b")
    ramp = block("simulink/Sources/Ramp")
    assert (ramp.release, ramp.not_before, ramp.seen) == (None, None, "R14SP3")
    squeeze = block("simulink/Math Operations/Squeeze")
    assert (squeeze.release, squeeze.not_before, squeeze.seen) == (None, None, None)


def test_unknown_facts_are_reported_as_unknown() -> None:
    """The entry of each block states the release that introduced it, or that it is unknown."""
    registry = simulink_registry()
    known = describe_tool("simulink/Sources/Playback", {}, SIMULINK, registry)
    assert (known["since"], known["product"]) == ("R2022b", "Simulink")
    resistor = "fl_lib/Electrical/Electrical Elements/Resistor"
    unknown = describe_tool(resistor, {}, SIMULINK, registry)
    assert (unknown["since"], unknown["product"]) == ("unknown", "Simscape")
    assert registry.tool(resistor)["version_introduced"] is None


def test_a_type_is_as_new_as_all_its_blocks() -> None:
    """A BlockType in a file is new only where no older block has it."""
    assert block("built-in/Playback").release == "R2022b"
    assert block("simulink/Sources/In Bus Element").release == "R2017a"
    assert block("built-in/Inport").release is None
