"""Valid and invalid inputs of compiling commands, run as programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grounded_builder import __version__
from tests.support import catalogs
from tests.support.program import make_acme_state, run


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_acme_state(tmp_path_factory.mktemp("state"))


@pytest.mark.parametrize("verb", ["validate", "repair", "build", "resolve", "generate"])
def test_every_line_is_answered_under_its_id(verb: str, state: Path) -> None:
    """An id is echoed whatever JSON it is; a bad line is reported and the rest continues."""
    ids = [1, "s", None, True, 1.5, [1, {"a": 2}], {"x": [-(2**80)]}, "", 2**64, 10**30]
    body = {"workflow": catalogs.workflow(), "text": "acme mail", "request": "Greet"}
    good = [json.dumps({"id": id_, **body}) for id_ in ids]
    lines = [*good[:4], "no JSON", "[]", "42", '{"id": "empty"}', *good[4:]]
    made = run(state, verb, "--format", "jsonl", given="\n".join(lines).encode())
    assert (made.returncode, made.stderr) == (1, b"")
    records = [json.loads(line) for line in made.stdout.splitlines()]
    assert [record["id"] for record in records] == [*ids[:4], None, None, None, "empty", *ids[4:]]
    bad = [record for record in records if "error" in record]
    assert bad == records[4:8]
    assert {frozenset(item) for item in bad} == {frozenset({"id", "error"})}
    assert all(isinstance(item["error"], str) and item["error"] for item in bad)


def test_a_question_out_of_shape_is_a_bad_line_too(state: Path) -> None:
    """An unreadable context is reported in the shape of all unusable lines."""
    asked = b'{"id": 7, "text": "acme mail", "context": 5}'
    made = run(state, "resolve", "--format", "jsonl", given=asked)
    assert (made.returncode, made.stderr) == (1, b"")
    assert json.loads(made.stdout).keys() == {"id", "error"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("validate", "absent.json"),
        ("validate", "{folder}"),
        ("validate", "--format", "jsonl", "absent.jsonl"),
        ("repair", "--format", "jsonl", "{folder}"),
        ("build", "absent.json"),
        ("resolve", "--format", "jsonl", "absent.jsonl"),
        ("resolve",),
        ("find",),
        ("import", "{folder}"),
        ("import", "absent.json"),
        ("validate", "--catalog", "./absent.jsonl", "-"),
        ("validate", "--catalog", "abcdef", "-"),
        ("validate", "--domain", "absent", "-"),
        ("catalog", "load", "absent.jsonl"),
        ("catalog", "use", "abcdef"),
        ("explain", "absent"),
        ("serve", "--port", "99999"),
    ],
    ids=" ".join,
)
def test_unusable_input_exits_with_two(
    arguments: tuple[str, ...], state: Path, tmp_path: Path
) -> None:
    """A missing path, catalog, domain or code gives one line, never a traceback."""
    named = [argument.format(folder=tmp_path) for argument in arguments]
    made = run(state, *named)
    assert made.returncode == 2, (made.stdout, made.stderr)
    assert b"Traceback" not in made.stderr
    assert made.stdout == b""
    assert made.stderr


def test_the_version_is_reported_with_the_catalogs_that_came_with_it(state: Path) -> None:
    """The version needs no command, and has the fingerprint of the shipped catalog."""
    made = run(state, "--version")
    first, *others = made.stdout.decode().splitlines()
    assert (made.returncode, first) == (0, f"grounded {__version__}")
    shipped = run(state, "resolve", "--domain", "simulink", "--format", "json", "gain")
    assert shipped.returncode == 0
    listed = run(state, "catalog", "list", "--domain", "simulink").stdout.decode()
    assert [other.split()[2][:-1] for other in others] == [listed.split()[1]]


def test_a_catalog_of_another_domain_is_refused(state: Path) -> None:
    """A fingerprint is a catalog of one domain: drafts of another are not checked by it."""
    shown = json.loads(run(state, "catalog", "show").stdout)
    made = run(state, "validate", "--domain", "simulink", "--catalog", shown["fingerprint"], "-")
    assert (made.returncode, made.stdout) == (2, b"")
    assert b"belongs to domain n8n; see `grounded catalog list" in made.stderr


def test_a_damaged_database_is_one_line_to_the_sidecar_too(tmp_path: Path) -> None:
    """The server states what is wrong with its database as the other commands do."""
    (tmp_path / "grounded.db").write_bytes(b"no database")
    made = run(tmp_path, "serve", "--port", "0")
    assert made.returncode == 2
    assert made.stderr.count(b"\n") == 1
    assert b"move the file away" in made.stderr


@pytest.mark.parametrize("form", ["text", "github", "json", "sarif"])
def test_half_an_emoji_is_shown_escaped(form: str, state: Path, tmp_path: Path) -> None:
    """Characters that no terminal can show are escaped in every format."""
    document = catalogs.workflow()
    document["nodes"][0]["type"] = "acme-nodes.\ud800"
    file = tmp_path / "half.json"
    file.write_text(json.dumps(document))
    made = run(state, "validate", "--format", form, str(file))
    assert (made.returncode, made.stderr) == (1, b"")
    assert b"\\ud800" in made.stdout


def test_too_large_document_is_not_decoded(state: Path, tmp_path: Path) -> None:
    """A document over the limit is a finding, even if its JSON is valid."""
    file = tmp_path / "large.json"
    file.write_text(json.dumps({**catalogs.workflow(), "pad": "x" * 9_000_000}))
    for verb in ("validate", "repair", "build"):
        made = run(state, verb, "--format", "json", str(file))
        assert (made.returncode, made.stderr) == (1, b"")
        assert b'"GB104"' in made.stdout
