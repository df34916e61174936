"""The shipped catalog: its contents, and its agreement with the collected facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from grounded_builder.domains.known import DOMAINS
from grounded_builder.domains.simulink.catalog import builtin
from grounded_builder.settings import Settings, sqlite_url
from grounded_builder.storage.store import Store, open_store
from scripts.simulink.catalog import compile_catalog
from scripts.simulink.fix_documented_parameters import is_balanced
from scripts.simulink.sources import SHARED, read_sources
from scripts.simulink.whole_names import whole_names
from tests.support.simulink import block, simulink_registry


def _store(folder: Path) -> Store:
    settings = Settings(state=folder, database_url=sqlite_url(folder))
    compilers = {name: domain.resolving.compile_tool for name, domain in DOMAINS.items()}
    return open_store(settings, compilers, {"simulink": builtin})


@pytest.mark.skipif(not SHARED.exists(), reason="the collected facts lie beside the checkout")
def test_the_shipped_catalog_is_what_the_facts_give() -> None:
    """Compiling the collected facts gives the shipped bytes."""
    made, shipped = compile_catalog(read_sources()).splitlines(), builtin().splitlines()
    assert len(made) == len(shipped)
    assert [(item, two) for item, two in zip(made, shipped, strict=True) if item != two][:3] == []


def test_the_catalog_is_active_until_another_is_loaded(tmp_path: Path) -> None:
    """The shipped catalog is used until the user loads another one."""
    store = _store(tmp_path)
    active = store.active("simulink")
    assert active is not None
    assert "simulink/Sources/Sine Wave" in active.tools
    assert _store(tmp_path).active("simulink") is not None
    lines = builtin().splitlines(keepends=True)
    own = b"".join([lines[0].replace(b'"builtin"', b'"installed"'), *lines[1:]])
    loaded = store.load_catalog(own, "simulink")
    again = _store(tmp_path).active("simulink")
    assert again is not None
    assert again.fingerprint == loaded.fingerprint != active.fingerprint
    assert again.header.origin == "installed"


def test_a_domain_without_one_has_none(tmp_path: Path) -> None:
    """Other domains still start without a catalog."""
    assert _store(tmp_path).active("n8n") is None


def test_every_preset_sets_parameters_of_its_block() -> None:
    """Presets name parameters and options that their blocks have."""
    registry = simulink_registry()
    presets = [row.id for row in registry.tools.values() if "preset" in row.capabilities]
    assert len(presets) > 100
    for path in presets:
        spec = block(path)
        assert spec.base in registry.tools, path
        for name, value in spec.preset.items():
            parameter = spec.parameters[name]
            assert parameter.kind != "choice" or value in parameter.options, (path, name)


def test_every_pattern_is_made_of_blocks_that_exist() -> None:
    """Every pattern can be built, including its parameters."""
    registry = simulink_registry()
    patterns = [row.id for row in registry.tools.values() if "pattern" in row.capabilities]
    assert len(patterns) > 10
    for path in patterns:
        pattern = block(path).pattern
        assert pattern is not None
        for step in pattern["steps"]:
            assert all(block(step["tool"]).has(name) for name in step.get("params", ())), path


def test_successors_exist() -> None:
    """The successor of an old block, or its equivalent, is in the catalog."""
    tools = simulink_registry().tools
    for row in tools.values():
        assert set(row.replaced_by) <= set(tools), row.id
        assert set(row.equivalent_to) <= set(tools), row.id


def test_no_block_is_named_twice_in_the_base_library() -> None:
    """Blocks of one name in the base library are twins, of which one is meant."""
    by_name: dict[str, list[str]] = {}
    for row in simulink_registry().tools.values():
        known = row.package == "simulink" and not row.hidden and not row.equivalent_to
        if known and "Quick Insert" not in row.id:
            by_name.setdefault(row.name, []).append(row.id)
    assert {name: ids for name, ids in by_name.items() if len(ids) > 1} == {}


def test_defaults_are_whole_values() -> None:
    """No default lost a bracket, a quote or a sign."""
    registry = simulink_registry()
    for path in registry.tools:
        for parameter in block(path).parameters.values():
            for value in filter(None, (parameter.default, parameter.builtin)):
                assert is_balanced(value), (path, parameter.name, value)
                assert "?" not in value, (path, parameter.name, value)
    assert (
        block("simulink/Signal Routing/Multiport Switch").value("DataPortIndices", {}) == "{1,2,3}"
    )
    assert block("simulink/Ports & Subsystems/Switch Case").value("CaseConditions", {}) == "{1}"
    assert block("simulink/Ports & Subsystems/In1").value("Unit", {}) == "inherit"


def test_a_type_of_its_own_has_no_mask() -> None:
    """The mask in links of old models does not apply to the blocks that replaced them."""
    assert block("simulink/Ports & Subsystems/Subsystem").mask_type is None
    assert block("simulink/Math Operations/Dot Product").mask_type is None
    assert block("simulink/Sources/Ramp").mask_type == "Ramp"


def test_a_block_is_known_under_the_path_that_files_link_to() -> None:
    """The displayed path and the linked path of a block are one block."""
    shown = block("aerolibtransform2/Quaternions to Rotation Angles")
    linked = block("sharedtransform/Quaternions to Rotation Angles")
    assert shown.usual == {"in": 1, "out": 1}
    assert linked.ports == shown.usual
    assert set(linked.parameters) <= set(shown.parameters)
    diode = block("spsIGBTDiodeLib/IGBT//Diode")
    assert diode.usual == {"in": 1, "lconn": 1, "rconn": 1}
    assert diode.domain == "physical"


@pytest.mark.parametrize(
    ("older", "now"),
    [
        ("powerlib/Elements/Surge Arrester", "sps_lib/Passives/Surge Arrester"),
        ("powerlib/Electrical Sources/AC Current Source", "sps_lib/Sources/AC Current Source"),
        (
            "powerlib_meascontrol/Measurements/THD",
            "sps_lib/Sensors and Measurements/THD",
        ),
    ],
)
def test_a_library_that_was_renamed_is_known_by_both_names(older: str, now: str) -> None:
    """Files keep the library that they were saved with; its ports are those of today's."""
    assert simulink_registry().tools[older].hidden
    assert block(older).usual == block(now).usual is not None
    assert block(older).product == block(now).product


@pytest.mark.parametrize(
    ("kind", "name", "half"),
    [
        ("SubSystem", "PropExecContextOutsideSubsystem", "PropExecContext"),
        ("Lookup_n-D", "UseOneInputPortForAllInputData", "UseOneInputPortForAll"),
        ("PreLookup", "DiagnosticForOutOfRangeInput", "DiagnosticForOutOfRange"),
        ("Sqrt", "IntermediateResultsDataTypeStr", "IntermediateResults"),
        ("Find", "ShowOutputForNonzeroInputValues", "ShowOutputForNonzero"),
        ("Gain", "SaturateOnIntegerOverflow", "SaturateOnInteger"),
    ],
)
def test_a_long_name_is_whole(kind: str, name: str, half: str) -> None:
    """A name that a table broke in two is one parameter, and its start alone is none."""
    known = block(f"built-in/{kind}").parameters
    assert name in known
    assert half not in known


def test_a_row_with_nothing_beside_it_ends_the_name_before() -> None:
    """A row continues the name above only if files contain the whole name."""
    entries = {
        "LatchInputFor": {"raw": "off | on", "prompt": "Latch"},
        "FeedbackSignals": {"raw": "", "prompt": ""},
        "SampleTime": {"raw": "-1", "prompt": "Sample time"},
        "Terminator": {"raw": "", "prompt": ""},
    }
    known = frozenset({"LatchInputForFeedbackSignals", "SampleTime", "Terminator"})
    assert list(whole_names(entries, known)) == [
        "LatchInputForFeedbackSignals",
        "SampleTime",
        "Terminator",
    ]


def test_shared_blocks_of_other_makers_are_taken_by_their_path_alone() -> None:
    """A block of a third party resolves only by its path, and its ports are not certain."""
    registry = simulink_registry()
    shared = [row for row in registry.tools.values() if "community" in row.capabilities]
    assert len(shared) > 50
    for row in shared:
        assert row.hidden, row.id
        assert row.requires_license is None, row.id
        assert block(row.id).ports is None, row.id


def test_linked_blocks_that_no_list_has_are_taken_by_their_path_alone() -> None:
    """A block whose library is not listed is known in files, and never offered."""
    registry = simulink_registry()
    modulator = "commdigbbndcpm2/GMSK Modulator Baseband"
    assert registry.tools[modulator].hidden
    assert block(modulator).usual == {"in": 1, "out": 1}
    assert registry.tools[modulator].family == "Communications Toolbox"
