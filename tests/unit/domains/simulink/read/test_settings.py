"""The settings of a model are those of its active configuration set."""

from __future__ import annotations

import pytest

from grounded_builder.domains.simulink.read.model import open_model
from tests.support.simulink_files import CLASSIC, make_split_package, pack_files

SET = (
    '<ConfigSet><Object ClassName="Simulink.SolverCC"><P Name="SolverName">{}</P>'
    '<P Name="FixedStep">{}</P></Object></ConfigSet>'
)
LISTED = (
    '<ConfigSetInfo><ConfigSet PartName="/simulink/configSet0.xml">a</ConfigSet>'
    '<ConfigSet PartName="/simulink/configSet1.xml" Active="true">b</ConfigSet></ConfigSetInfo>'
)


def _solver(files: dict[str, str]) -> str | None:
    whole = {k: v for k, v in make_split_package().items() if "configSet" not in k} | files
    model, _ = open_model(pack_files(whole), "m")
    assert model is not None
    value: str | None = model["settings"].get("SolverName")
    return value


def test_the_set_that_the_package_marks_counts() -> None:
    """Of two configuration sets in separate files the active one is read."""
    both = {
        "simulink/configSet0.xml": SET.format("ode45", "auto"),
        "simulink/configSet1.xml": SET.format("ode3", "0.1"),
    }
    assert _solver(both | {"simulink/configSetInfo.xml": LISTED}) == "ode3"
    assert _solver(both) is None
    assert _solver({"simulink/configSet0.xml": SET.format("ode45", "auto")}) == "ode45"


@pytest.mark.parametrize(("second", "expected"), [("ode45", "ode45"), ("ode3", None)])
def test_sets_of_a_diagram_that_differ_leave_a_value_open(
    second: str, expected: str | None
) -> None:
    """If a diagram lists several sets, only settings on which they agree are read."""
    value = (
        "Simulink.ConfigSet {{\n Simulink.SolverCC {{\n "
        'SolverName "{}"\n FixedStep "0.1"\n }}\n }}\n'
    )
    array = (
        'Array {\n Type "Handle"\n Dimension 2\n'
        + value.format("ode45")
        + value.format(second)
        + 'PropName "ConfigurationSets"\n }\n'
    )
    text = CLASSIC.replace("System {", array + "System {", 1)
    assert text != CLASSIC
    model, _ = open_model(text.encode(), "m")
    assert model is not None
    assert model["settings"].get("SolverName") == expected
    assert model["settings"]["FixedStep"] == "0.1"
