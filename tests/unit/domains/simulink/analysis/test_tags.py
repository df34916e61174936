"""Goto and From with their scopes."""

from __future__ import annotations

import pytest

from tests.support.simulink_models import Model, block, codes, model, system

ONE = block("one", "Constant")
END = block("end", "Terminator")


def _read(tag: str) -> Model:
    return system([block("f", "From", GotoTag=tag), block("t", "Terminator")], "f -> t")


def _write_tags(visibility: str, *more: Model) -> Model:
    goto = block("g", "Goto", GotoTag="x", TagVisibility=visibility)
    sub = block("sub", "SubSystem", _read("x"))
    return model([ONE, goto, sub, *more], "one -> g")


def test_a_tag_is_read_where_it_is_written() -> None:
    """A local tag is seen in its own diagram."""
    goto, come = block("g", "Goto", GotoTag="x"), block("f", "From", GotoTag="x")
    assert codes(model([ONE, goto, come, END], "one -> g", "f -> end")) == []


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (_write_tags("local"), ["SLX328"]),
        (_write_tags("global"), []),
        (_write_tags("scoped"), ["SLX328"]),
        (_write_tags("scoped", block("v", "GotoTagVisibility", GotoTag="x")), []),
    ],
)
def test_visibility_decides_who_reads_a_tag(document: Model, expected: list[str]) -> None:
    """Local tags stay in their diagram, scoped ones need a scope, global ones go anywhere."""
    assert codes(document) == expected


def test_a_library_may_read_what_another_file_writes() -> None:
    """In a partial model no tag is reported as never written."""
    document = {**model([block("sub", "SubSystem", _read("x"))]), "kind": "library"}
    assert codes(document) == []


def test_two_blocks_do_not_write_one_tag() -> None:
    """Two Goto blocks of a diagram with one tag are wrong, and so are two memories of a name."""
    gotos = [block(name, "Goto", GotoTag="x") for name in "gh"]
    assert codes(model([ONE, *gotos], "one -> g, h")) == ["SLX329"]
    stores = [block(name, "DataStoreMemory", DataStoreName="x") for name in "gh"]
    assert codes(model(stores)) == ["SLX329"]
