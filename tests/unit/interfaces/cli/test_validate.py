"""``grounded validate`` as the linter of a repository."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support import catalogs
from tests.support.program import PROGRAM, make_acme_state, run


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_acme_state(tmp_path_factory.mktemp("state"))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    write(tmp_path / "good.json", catalogs.workflow())
    write(tmp_path / "bad.json", misspelt())
    write(tmp_path / "package.json", {"name": "no workflow"})
    return tmp_path


def misspelt(notes: str = "") -> dict[str, Any]:
    document = catalogs.workflow()
    document["nodes"][0] |= {"type": "acme-nodes.HOOK", "notes": notes}
    return document


def write(file: Path, document: object) -> None:
    file.write_text(json.dumps(document, indent=2))


def lint(state: Path, repository: Path, *arguments: str) -> tuple[int, str]:
    made = run(state, "validate", *arguments, cwd=repository)
    assert b"Traceback" not in made.stderr
    return made.returncode, made.stdout.decode()


def test_a_folder_is_summed_up(state: Path, repository: Path) -> None:
    """Clean files are silent, files that are no workflows are left out and counted."""
    code, text = lint(state, repository, ".")
    assert code == 1
    assert "good.json" not in text
    assert text.splitlines()[0].startswith("bad.json:")
    assert text.splitlines()[-1] == (
        "2 files: 1 ok, 0 incomplete, 1 wrong; 1 file left out: no workflow"
    )


def test_named_file_is_always_checked(state: Path, repository: Path) -> None:
    """A file that is no workflow is a finding if it is given by name."""
    code, text = lint(state, repository, "package.json")
    assert (code, "GB106" in text) == (1, True)


def test_named_files_of_another_kind_can_be_passed_by(state: Path, repository: Path) -> None:
    """A hook names every JSON file that changed."""
    code, text = lint(state, repository, "--skip-foreign", "package.json", "good.json")
    assert (code, "GB106" in text) == (0, False)
    assert lint(state, repository, "--skip-foreign", "package.json")[0] == 0


def test_comments_configuration_and_options_hide(state: Path, repository: Path) -> None:
    """Hidden findings fail nothing, and their number is printed."""
    write(repository / "bad.json", misspelt("grounded: ignore near-miss-name -- soon"))
    code, text = lint(state, repository, ".")
    assert (code, "1 finding ignored" in text) == (0, True)
    write(repository / "bad.json", misspelt())
    assert lint(state, repository, "--ignore", "GB203,advice", ".")[0] == 0
    (repository / "grounded.toml").write_text('[per-file-ignores]\n"bad.*" = ["GB203"]')
    assert lint(state, repository, ".")[0] == 0
    (repository / "grounded.toml").write_text('exclude = ["bad.json"]')
    assert lint(state, repository, ".")[0] == 0
    assert lint(state, repository, "bad.json")[0] == 1


def test_a_catalog_can_lie_in_the_repository(repository: Path, tmp_path: Path) -> None:
    """The configured file counts from the configuration, wherever the command is run."""
    (repository / "acme.jsonl").write_bytes(catalogs.acme_bytes())
    (repository / "grounded.toml").write_text('catalog = "acme.jsonl"')
    (repository / "below").mkdir()
    write(repository / "below" / "good.json", catalogs.workflow())
    empty = tmp_path / "state"
    made = run(empty, "validate", "good.json", cwd=repository / "below")
    assert (made.returncode, made.stderr) == (0, b"")


def test_a_baseline_lets_only_what_is_new_fail(state: Path, repository: Path) -> None:
    """An accepted finding stays accepted when lines and nodes move; a second one fails."""
    assert lint(state, repository, "--write-baseline", "accepted.json", ".")[0] == 0
    (repository / "grounded.toml").write_text('baseline = "accepted.json"')
    moved = misspelt()
    moved["nodes"].append(moved["nodes"].pop(0))
    (repository / "bad.json").write_text(json.dumps(moved))
    code, text = lint(state, repository, ".")
    assert (code, "known from the baseline" in text) == (0, True)
    moved["nodes"][0]["type"] = "acme-nodes.mial"
    write(repository / "bad.json", moved)
    assert lint(state, repository, ".")[0] == 1


def test_the_class_that_fails_can_be_chosen(state: Path, repository: Path) -> None:
    """``--fail-on`` moves the line between clean and not."""
    assert lint(state, repository, "--fail-on", "never", ".")[0] == 0
    assert lint(state, repository, "--fail-on", "wrong", "bad.json")[0] == 1
    assert lint(state, repository, "--fail-on", "sometimes", ".")[0] == 2


@pytest.mark.parametrize("form", ["json", "jsonl", "github", "sarif", "text"])
def test_all_cores_report_what_one_core_reports(form: str, state: Path, tmp_path: Path) -> None:
    """Many files on two processes give the same output, in the order of the files."""
    for number in range(110):
        write(tmp_path / f"{number:03}.json", misspelt() if number % 2 else catalogs.workflow())
    results = lint(state, tmp_path, "--format", form, "--jobs", "1", ".")
    two = lint(state, tmp_path, "--format", form, "--jobs", "2", ".")
    assert _timeless(results[1]) == _timeless(two[1])
    assert results[0] == two[0] == 1


def _timeless(text: str) -> str:
    return re.sub(r'"ms": ?[0-9.e-]+', "", text)


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.encode("utf-16"),
        lambda text: text.encode("utf-16-le"),
        lambda text: text.encode("utf-32"),
    ],
    ids=["crlf", "bom", "utf-16", "utf-16 without a mark", "utf-32"],
)
def test_every_encoding_of_json_is_read(encode: Any, state: Path, tmp_path: Path) -> None:
    """The same finding at the same line, however the text is stored."""
    file = tmp_path / "a.json"
    file.write_bytes(encode(json.dumps(misspelt(), indent=2)))
    code, text = lint(state, tmp_path, "a.json")
    plain = json.dumps(misspelt(), indent=2).splitlines()
    line = next(number for number, item in enumerate(plain, 1) if "acme-nodes.HOOK" in item)
    assert code == 1
    assert f"a.json:{line}:" in text


@pytest.mark.parametrize("form", ["text", "github"])
def test_a_document_sends_nothing_to_the_terminal(form: str, state: Path, tmp_path: Path) -> None:
    """Names cannot begin a line of their own, nor carry escape codes or direction marks."""
    document = misspelt()
    document["nodes"][0]["name"] = "a\n::error::pwn\x1b[2J\u202ex"
    document["nodes"][0]["type"] = "acme-nodes.HOOK\n::stop-commands::x\x1b[2J"
    document["connections"] = {}
    write(tmp_path / "a.json", document)
    _, text = lint(state, tmp_path, "--format", form, "a.json")
    assert not any(line.startswith(("::error::pwn", "::stop")) for line in text.splitlines())
    assert not any(char in text for char in "\x1b\u202e")
    assert "\\x1b[2J" in text


def test_unreadable_files_are_reported_and_the_rest_goes_on(state: Path, repository: Path) -> None:
    """Bytes that are no text are a finding; the other files are checked all the same."""
    (repository / "noise.json").write_bytes(bytes(range(256)))
    (repository / "empty.json").write_bytes(b"")
    code, text = lint(state, repository, ".")
    assert code == 1
    assert "noise.json:1:1: error GB101" in text
    assert "empty.json:1:1: error GB101" in text
    assert "bad.json" in text


def test_thousands_of_findings_are_all_reported(state: Path, tmp_path: Path) -> None:
    """A file with 3,000 faults has 3,000 findings, counted by rule on request."""
    document = misspelt()
    first = document["nodes"][0]
    document["nodes"] = [
        first | {"name": f"n{number}", "id": str(number)} for number in range(3000)
    ]
    document["connections"] = {}
    write(tmp_path / "a.json", document)
    code, text = lint(state, tmp_path, "--statistics", "a.json")
    assert code == 1
    assert text.count("GB203 near-miss-name [") == 3000
    assert "3,000  GB203" in text


def test_a_narrow_terminal_without_colour_is_enough(state: Path, repository: Path) -> None:
    """The marked line fits into 20 columns, and no escape code is written."""
    made = run(
        state,
        "validate",
        "bad.json",
        cwd=repository,
        env={"COLUMNS": "20", "NO_COLOR": "1", "TERM": "dumb"},
    )
    lines = made.stdout.decode().splitlines()
    marked = [line for line in lines if " | " in line or line.rstrip().endswith("^")]
    assert marked
    assert all(len(line) <= 20 for line in marked)
    assert "\x1b" not in made.stdout.decode()


def test_watch_validates_changed_file(state: Path, repository: Path) -> None:
    """With ``--watch`` a file is checked whenever it is written, until the program ends."""
    entries = {key: value for key, value in os.environ.items() if not key.startswith("GROUNDED_")}
    program = subprocess.Popen(
        [sys.executable, "-u", "-c", PROGRAM, "validate", "--watch", "."],
        cwd=repository,
        env={**entries, "GROUNDED_STATE": str(state)},
        stdout=subprocess.PIPE,
    )
    try:
        _until(program, "waiting for changes")
        write(repository / "good.json", misspelt())
        assert "good.json" in _until(program, "near-miss-name")
    finally:
        program.kill()
        program.wait()


def _until(program: subprocess.Popen[bytes], wanted: str) -> str:
    """The first line that holds the words; the pipe is unbuffered, so no line hides from select."""
    assert program.stdout is not None
    ends, result = time.monotonic() + 60, b""
    while time.monotonic() < ends:
        if select.select([program.stdout], [], [], 1)[0]:
            piece = os.read(program.stdout.fileno(), 65536)
            assert piece, result.decode()
            result += piece
        whole = result[: result.rfind(b"\n") + 1].decode()
        for line in whole.splitlines():
            if wanted in line:
                return line
    raise AssertionError(f"no {wanted!r} in {result.decode()!r}")
