"""Checks the MATLAB code without MATLAB: another parser reads it, and Octave runs it."""

from __future__ import annotations

from pathlib import Path

from tests.octave.test_scripts import Artifact
from tests.octave.test_scripts import artifacts as artifacts  # noqa: PLC0414 - a fixture
from tests.octave.test_scripts import registry as registry  # noqa: PLC0414 - a fixture
from tests.support.matlab_syntax import find_syntax_errors
from tests.support.octave import TOOLBOX


def test_the_toolbox_is_matlab(tmp_path: Path) -> None:
    """Every file of it; a text that does not end is refused, so that the parser is one."""
    files = [path for path in TOOLBOX.rglob("*.m") if path.name != "Contents.m"]
    assert len(files) > 20
    assert find_syntax_errors(files) == {}
    broken = tmp_path / "broken.m"
    broken.write_text("function broken()\ntext = 'it does not end;\nend\n")
    assert list(find_syntax_errors([broken])) == [str(broken)]


def test_the_scripts_are_matlab(artifacts: list[Artifact], tmp_path: Path) -> None:
    """Every script of the forty drafts."""
    files = []
    for number, artifact in enumerate(artifacts):
        file = tmp_path / f"{number}" / artifact["file"]
        file.parent.mkdir()
        file.write_text(artifact["script"], "ascii")
        files.append(file)
    assert find_syntax_errors(files) == {}
