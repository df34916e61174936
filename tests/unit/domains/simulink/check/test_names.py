"""Names and numbers inside one diagram."""

from __future__ import annotations

from tests.support.simulink_models import block, check_model, codes, model, system


def test_two_blocks_of_one_name_are_wrong() -> None:
    """A diagram names each block once; another diagram may use the name again."""
    entries, two = block("a", "Ground"), block("b", "Ground") | {"name": "a"}
    diagnostics = check_model(model([entries, two]))
    assert [(d.code, d.at) for d in diagnostics] == [("GB311", ("system", "blocks", 1, "name"))]
    inner = block("sub", "SubSystem", system([block("c", "Ground") | {"name": "a"}]))
    assert codes(model([entries, inner])) == []


def test_ports_have_numbers_of_their_own() -> None:
    """Two inputs of a subsystem with one number are wrong, parts of one bus are not."""
    first, second = block("i", "Inport"), block("j", "Inport", Port="1")
    sub = block("sub", "SubSystem", system([first, second]))
    assert "SLX327" in codes(model([sub]))
    parts = [item | {"element": {"bus": "states", "path": "x"}} for item in (first, second)]
    assert "SLX327" not in codes(model([block("sub", "SubSystem", system(parts))]))


def test_a_diagram_has_one_enable_port() -> None:
    """Control ports of one kind exclude each other."""
    sub = block("sub", "SubSystem", system([block("p", "EnablePort"), block("q", "EnablePort")]))
    assert "SLX327" in codes(model([sub]))


def test_library_blocks_do_not_link_in_a_circle() -> None:
    """A library whose blocks hold links to each other can never be loaded."""
    entries = block("a", "SubSystem", system([block("x", "", source="own/b")]))
    two = block("b", "SubSystem", system([block("y", "", source="own/a")]))
    three = block("b", "SubSystem", system([]))
    assert codes(model([entries, two], kind="library")) == ["SLX334"]
    assert codes(model([entries, three], kind="library")) == []
