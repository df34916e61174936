"""``grounded matlab``: the toolbox leaves the package whole, and replaces nothing unasked."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
from typer.testing import CliRunner

from grounded_builder.cli.environment import UnusableError
from grounded_builder.cli.main import app
from grounded_builder.domains.simulink import matlab
from grounded_builder.domains.simulink.matlab.delivery import toolbox_files

_SOURCE = Path(matlab.__path__[0]) / "toolbox"
_ROOT = Path(__file__).parents[3]
# The files beside the modules that setuptools would take along.
_PACKAGED = """
import json, setuptools
distribution = setuptools.Distribution({"script_name": "pyproject.toml"})
distribution.parse_config_files(["pyproject.toml"])
distribution.include_package_data = False
distribution.set_defaults()
command = distribution.get_command_obj("build_py")
command.ensure_finalized()
found = [f"{where}/{name}" for _, where, _, names in command.data_files for name in names]
print(json.dumps(found))
"""


def held(folder: Path) -> dict[str, bytes]:
    """The files of a folder by their paths in it."""
    files = (one for one in folder.rglob("*") if one.is_file())
    return {one.relative_to(folder).as_posix(): one.read_bytes() for one in files}


def said(*arguments: str) -> str:
    ran = CliRunner().invoke(app, ["matlab", *arguments])
    assert ran.exit_code == 0, ran.exception
    return ran.stdout


def refused(*arguments: str) -> str:
    ran = CliRunner().invoke(app, ["matlab", *arguments])
    assert isinstance(ran.exception, UnusableError)
    return str(ran.exception)


def test_a_folder_gets_the_whole_toolbox(tmp_path: Path) -> None:
    """Every file, and what to say to MATLAB; nothing else is left beside it."""
    target = tmp_path / "new" / "it's"
    shown = said("install", str(target))
    assert held(target) == held(_SOURCE)
    assert "addpath('" in shown
    assert "it''s')" in shown
    assert [one.name for one in target.parent.iterdir()] == ["it's"]


def test_what_is_there_is_replaced_only_when_asked(tmp_path: Path) -> None:
    """An older toolbox stays until ``--overwrite``; files that are not ours stay even then."""
    target = tmp_path / "toolbox"
    said("install", str(target))
    (target / "+grounded" / "build.m").write_text("old")
    (target / "mine.txt").write_text("mine")
    assert "--overwrite" in refused("install", str(target))
    assert (target / "+grounded" / "build.m").read_text() == "old"
    said("install", str(target), "--overwrite")
    assert held(target) == held(_SOURCE) | {"mine.txt": b"mine"}


def test_a_folder_of_something_else_is_never_written_to(tmp_path: Path) -> None:
    """``--overwrite`` means an older toolbox, not somebody's documents."""
    (tmp_path / "thesis.txt").write_text("mine")
    assert "holds no toolbox" in refused("install", str(tmp_path), "--overwrite")
    assert list(held(tmp_path)) == ["thesis.txt"]


def test_a_zip_holds_the_same_files(tmp_path: Path) -> None:
    """Under one folder, the same bytes each time; one that is there is kept unless asked."""
    one, two = tmp_path / "one.zip", tmp_path / "two.zip"
    said("zip", str(one))
    said("zip", str(two))
    assert one.read_bytes() == two.read_bytes()
    with ZipFile(one) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    assert found == {f"grounded-matlab/{path}": body for path, body in held(_SOURCE).items()}
    two.write_bytes(b"mine")
    refused("zip", str(two))
    assert two.read_bytes() == b"mine"
    said("zip", str(two), "--overwrite")
    assert two.read_bytes() == one.read_bytes()


def test_an_installed_package_has_every_file() -> None:
    """What packaging takes along is what lies in the source, the parts of scripts too."""
    command = [sys.executable, "-W", "ignore", "-c", _PACKAGED]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True)
    found = [_ROOT / one for one in json.loads(done.stdout.splitlines()[-1])]
    beside = (_SOURCE, _SOURCE.parent / "tail")
    taken = {one for one in found if any(folder in one.parents for folder in beside)}
    assert taken == {one for folder in beside for one in folder.rglob("*") if one.is_file()}


@pytest.mark.parametrize("path", [path for path, _ in toolbox_files() if path.endswith(".m")])
def test_every_function_has_its_help(path: str) -> None:
    """The first line says what the function is for, under its own name, which is the file's."""
    lines = dict(toolbox_files())[path].decode("ascii").splitlines()
    name = Path(path).stem
    assert re.match(rf"function .*\b{name}\b", lines[0])
    assert lines[1].startswith(f"%GROUNDED.{name.upper()} ")


def test_the_editor_knows_functions_that_exist() -> None:
    """``functionSignatures.json`` names functions of the toolbox alone."""
    files = dict(toolbox_files())
    signatures = json.loads(files["functionSignatures.json"])
    names = {one.removeprefix("grounded.") for one in signatures if not one.startswith("_")}
    assert names <= {Path(path).stem for path in files}
