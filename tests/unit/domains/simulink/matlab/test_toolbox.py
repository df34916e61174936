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

from grounded_builder import __version__
from grounded_builder.domains.simulink import matlab
from grounded_builder.domains.simulink.matlab.toolbox_package import toolbox_files
from grounded_builder.interfaces.cli.context import UnusableError
from grounded_builder.interfaces.cli.main import app

_SOURCE = Path(matlab.__path__[0]) / "toolbox"
_ROOT = Path(__file__).parents[5]
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


def read_files(folder: Path) -> dict[str, bytes]:
    """The files of a folder by their paths in it."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def run_command(*arguments: str) -> str:
    ran = CliRunner().invoke(app, ["matlab", *arguments])
    assert ran.exit_code == 0, ran.exception
    return ran.stdout


def run_and_fail(*arguments: str) -> str:
    ran = CliRunner().invoke(app, ["matlab", *arguments])
    assert isinstance(ran.exception, UnusableError)
    return str(ran.exception)


def test_a_folder_gets_the_whole_toolbox(tmp_path: Path) -> None:
    """Every file, and what to say to MATLAB; nothing else is left beside it."""
    target = tmp_path / "new" / "it's"
    shown = run_command("install", str(target))
    assert read_files(target) == read_files(_SOURCE)
    assert "addpath('" in shown
    assert "it''s')" in shown
    assert [path.name for path in target.parent.iterdir()] == ["it's"]


def test_toolbox_is_replaced_only_with_overwrite(tmp_path: Path) -> None:
    """An older toolbox stays without ``--overwrite``, and foreign files stay even with it."""
    target = tmp_path / "toolbox"
    run_command("install", str(target))
    (target / "+grounded" / "build.m").write_text("old")
    (target / "mine.txt").write_text("mine")
    assert "--overwrite" in run_and_fail("install", str(target))
    assert (target / "+grounded" / "build.m").read_text() == "old"
    run_command("install", str(target), "--overwrite")
    assert read_files(target) == read_files(_SOURCE) | {"mine.txt": b"mine"}


def test_a_folder_of_something_else_is_never_written_to(tmp_path: Path) -> None:
    """``--overwrite`` means an older toolbox, not somebody's documents."""
    (tmp_path / "thesis.txt").write_text("mine")
    assert "does not contain the toolbox" in run_and_fail("install", str(tmp_path), "--overwrite")
    assert list(read_files(tmp_path)) == ["thesis.txt"]


def test_a_zip_holds_the_same_files(tmp_path: Path) -> None:
    """Under one folder, the same bytes each time; one that is there is kept unless asked."""
    result, two = tmp_path / "one.zip", tmp_path / "two.zip"
    run_command("zip", str(result))
    run_command("zip", str(two))
    assert result.read_bytes() == two.read_bytes()
    with ZipFile(result) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    assert entries == {
        f"grounded-matlab/{path}": body for path, body in read_files(_SOURCE).items()
    }
    two.write_bytes(b"mine")
    run_and_fail("zip", str(two))
    assert two.read_bytes() == b"mine"
    run_command("zip", str(two), "--overwrite")
    assert two.read_bytes() == result.read_bytes()


def test_an_installed_package_has_every_file() -> None:
    """The package contains all files of the source, including the parts of scripts."""
    command = [sys.executable, "-W", "ignore", "-c", _PACKAGED]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True)
    loads = [_ROOT / load for load in json.loads(done.stdout.splitlines()[-1])]
    beside = (_SOURCE, _SOURCE.parent / "tail")
    taken = {item for item in loads if any(folder in item.parents for folder in beside)}
    assert taken == {path for folder in beside for path in folder.rglob("*") if path.is_file()}


_CODE = {path: body.decode("ascii") for path, body in toolbox_files() if path.endswith(".m")}
_PUBLIC = {
    Path(path).stem: code for path, code in _CODE.items() if Path(path).parent.name == "+grounded"
}
_FUNCTIONS = [path for path, code in _CODE.items() if code.startswith("function ")]
_HEAD = re.compile(r"function (?:(\w+) = )?(\w+)(?:\((.*)\))?\n")


@pytest.mark.parametrize("path", _FUNCTIONS)
def test_every_function_has_its_help(path: str) -> None:
    """The first line states what the function is for, under its own name, which is the file's."""
    lines = _CODE[path].splitlines()
    name = Path(path).stem
    assert re.match(rf"function .*\b{name}\b", lines[0])
    package = ".".join(part[1:] for part in Path(path).parts if part.startswith("+"))
    whole = f"{package}.{name}" if package else name
    assert lines[1].startswith(f"%{whole.upper()} ")


@pytest.mark.parametrize("name", sorted(_PUBLIC))
def test_the_help_shows_how_a_function_is_called(name: str) -> None:
    """The help of a function has an example, all options and a reference."""
    code = _PUBLIC[name]
    text = "\n".join(line for line in code.split("\n\n")[0].splitlines() if line.startswith("%"))
    assert f"grounded.{name}(" in text
    assert set(_options(code)) <= set(re.findall(r"'(\w+)'", text))
    for other in re.findall(r"grounded\.(\w+)", text):
        assert other in _PUBLIC or other in ("notBuilt", "unreachable", "answer"), other


def _options(code: str) -> list[str]:
    """The names of the options that a function takes in pairs."""
    taken = re.search(
        r"settings = (?:grounded.internal.options_of\()?struct\((.*?)\);", code, re.DOTALL
    )
    given = re.search(r"varargin\{k\}, \{(.*?)\}\)", code, re.DOTALL)
    if given is not None:
        return re.findall(r"'(\w+)'", given[1])
    return re.findall(r"'([A-Z]\w+)'", taken[1]) if taken and "varargin" in code else []


def test_the_editor_knows_every_function() -> None:
    """``functionSignatures.json`` has each with its inputs, options and output as they are."""
    signatures = json.loads(dict(toolbox_files())["functionSignatures.json"])
    assert signatures.pop("_schemaVersion")
    assert {signature.removeprefix("grounded.") for signature in signatures} == set(_PUBLIC)
    for name, code in _PUBLIC.items():
        head = _HEAD.match(code)
        assert head is not None
        shown = signatures[f"grounded.{name}"]
        inputs = [input_ for input_ in shown["inputs"] if input_["kind"] != "namevalue"]
        given = [part for part in (head[3] or "").split(", ") if part and part != "varargin"]
        assert [input_["name"] for input_ in inputs if not input_.get("repeating")] == given, name
        options = [input_["name"] for input_ in shown["inputs"] if input_["kind"] == "namevalue"]
        assert options == _options(code), name
        assert [output["name"] for output in shown["outputs"]] == [head[1]], name


def test_the_contents_list_every_function() -> None:
    """``Contents.m`` has each with the first line of its help, and the version of the package."""
    text = _CODE["Contents.m"]
    for name, code in _PUBLIC.items():
        first = code.splitlines()[1].split(" ", 1)[1]
        assert re.search(rf"^%   grounded\.{name} +- {re.escape(first)}$", text, re.MULTILINE), name
    assert f"\n% Version {__version__} (R2019b) " in text
    assert f"'grounded-matlab/{__version__}'" in _PUBLIC["ask"]


def test_the_code_is_what_octave_runs_too() -> None:
    """The code has no construct that GNU Octave 7 lacks, and does not depend on the time."""
    lacking = (
        r"contains|strings?|websave|datetime|timer|getReport|functiontests|arguments|clock|now"
    )
    for path, code in _CODE.items():
        bare = re.sub(r"'(?:[^'\n]|'')*'", "''", re.sub(r"^\s*%.*$", "", code, flags=re.MULTILINE))
        bare = re.sub(r"%.*", "", bare)
        assert not re.search(rf"(?<![\w.])(?:{lacking})\b *[(\n]", bare), path
        assert '"' not in bare, path


def test_no_file_is_too_long() -> None:
    """About three hundred lines are the most."""
    parts = (_SOURCE.parent / "tail").glob("*.m")
    for code in (*_CODE.values(), *(part.read_text("ascii") for part in parts)):
        assert code.count("\n") < 300
