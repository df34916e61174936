"""Model files made to be large once they are read: refused while they are read, not after."""

from __future__ import annotations

import io
import warnings
import zipfile
from functools import partial

import pytest

from grounded_builder.domains.simulink.read import section
from grounded_builder.domains.simulink.read.model import open_model
from grounded_builder.services.isolation.bounds import ProcessBounds
from grounded_builder.services.isolation.child import run_forked

_BEGIN, _END = "<ModelInformation><Model><System>", "</System></Model></ModelInformation>"
_BOUNDS = ProcessBounds(seconds=60, memory=60_000_000)


def _slx(inside: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("simulink/blockdiagram.xml", _BEGIN + inside + _END)
    return buffer.getvalue()


# Each holds four times what may be read, and more than what the process may hold of it.
_HOSTILE = {
    "elements": lambda: _slx("<a/>" * 400_000),
    "values": lambda: _slx('<P Name="a">1</P>' * 400_000),
    "nested": lambda: _slx("<a>" * 400_000),
    "one tag": lambda: _slx("<a " + " ".join(f"a{n}='{n}'" for n in range(400_000)) + "/>"),
    "attributes": lambda: _slx('<a b="" c="" d="" e=""/>' * 80_000),
    "sections": lambda: b"Model {\nSystem {\n" + b"Block {\n}\n" * 400_000 + b"}\n}",
    "words": lambda: b"Model {\nSystem {\n" + b"a b\n" * 400_000 + b"}\n}",
}


@pytest.mark.long
@pytest.mark.parametrize("kind", _HOSTILE)
def test_a_file_is_refused_while_it_is_read(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The finding names the bound, in a process that could not hold the whole."""
    monkeypatch.setattr(section, "MOST_ELEMENTS", 100_000)
    raw = _HOSTILE[kind]()
    model, findings = run_forked(partial(open_model, raw), _BOUNDS)
    assert model is None
    assert [finding.code for finding in findings] in (["GB104"], ["GB105"])


def test_a_text_of_many_pieces_is_read_in_time() -> None:
    """A text that continues over 200,000 lines is joined once, not at each line."""
    raw = b'Model {\nName "a"\nX ' + b'"\\"x"\n' * 200_000 + b"System {\n}\n}"
    model, _ = open_model(raw)
    assert model is not None
    assert model["settings"]["X"] == '"x' * 200_000


def test_the_bound_is_above_the_largest_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of 20,000 blocks with 12 values each is read: here a twentieth of both."""
    monkeypatch.setattr(section, "MOST_ELEMENTS", section.MOST_ELEMENTS // 20)
    block = '<Block BlockType="Gain" Name="g" SID="1">' + '<P Name="Gain">1</P>' * 12 + "</Block>"
    model, findings = open_model(_slx(block * 1_000))
    assert model is not None, findings
    assert len(model["system"]["blocks"]) == 1_000


@pytest.mark.parametrize("slash", ["", "/"])
def test_a_package_with_two_diagrams_is_refused(slash: str) -> None:
    """Another program may open the other of two files with one name."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("simulink/blockdiagram.xml", _BEGIN + _END)
        with warnings.catch_warnings(action="ignore"):
            archive.writestr(f"{slash}simulink/blockdiagram.xml", _BEGIN + _END)
    model, findings = open_model(buffer.getvalue())
    assert model is None
    assert [finding.message for finding in findings] == [
        "the package holds two files named simulink/blockdiagram.xml"
    ]


def test_a_text_package_of_too_many_files_is_refused() -> None:
    """The number of files is bounded in both forms of a package."""
    part = b"__MWOPC_PART_BEGIN__ /a\n"
    raw = b"# MathWorks OPC Text Package\n" + part * 50_001 + b"__MWOPC_PACKAGE_END__\n"
    _, findings = open_model(raw)
    assert [finding.message for finding in findings] == [
        "the package holds 50,001 files, the limit is 50,000"
    ]
