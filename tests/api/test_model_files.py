"""Model files over HTTP: checked as on the command line, within bounds, for clients of any kind."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.api.conftest import Served
from tests.support.simulink_files import (
    CLASSIC,
    make_single_file_package,
    make_split_package,
    pack_files,
)

pytestmark = pytest.mark.sqlite_suffices

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
BROKEN = CLASSIC.replace('DstBlock    "Scope"', 'DstBlock    "Scoop"').encode()


def body_of(raw: bytes, **more: Any) -> dict[str, Any]:
    return {"model": base64.encodebytes(raw).decode(), **more}


def validate_file(served: Served, raw: bytes, **more: Any) -> dict[str, Any]:
    """The report on a file."""
    answer = served.client.post("/v1/simulink/validate", json=body_of(raw, **more))
    assert answer.status_code == 200, answer.text
    entries: dict[str, Any] = answer.json()
    return entries


def codes_and_nodes(report: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(diagnostic["code"], diagnostic["node"]) for diagnostic in report["diagnostics"]]


def test_model_file_findings_name_blocks(shared_server: Served) -> None:
    """The findings of a file in any layout name the block."""
    for good in (
        pack_files(make_split_package()),
        pack_files(make_single_file_package()),
        CLASSIC.encode(),
    ):
        assert validate_file(shared_server, good, name="good")["verdict"] == "ok"
    report = validate_file(shared_server, BROKEN, name="bad.mdl", id=7)
    assert (report["id"], report["verdict"]) == (7, "wrong")
    assert ("GB313", "Inner") in codes_and_nodes(report)


def test_large_file_is_compiled_in_child_process(shared_server: Served) -> None:
    """A large file has the same findings as a small one."""
    padded = BROKEN + b"\n# " + b"x" * 80_000 + b"\n"
    assert codes_and_nodes(validate_file(shared_server, padded, name="bad.mdl")) == codes_and_nodes(
        validate_file(shared_server, BROKEN, name="bad.mdl")
    )


def _bomb() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("simulink/blockdiagram.xml", b" " * 140_000_000)
    return target.getvalue()


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "GB106"),
        (b"hello", "GB106"),
        (pack_files(make_single_file_package())[:200], "SLX101"),
        (_bomb(), "GB104"),
    ],
)
def test_damaged_model_file_is_finding(raw: bytes, code: str, shared_server: Served) -> None:
    """An empty, foreign, truncated or oversized model file is a finding."""
    report = validate_file(shared_server, raw, name="x.slx")
    assert report["verdict"] == "wrong"
    assert [diagnostic["code"] for diagnostic in report["diagnostics"]] == [code]


@pytest.mark.parametrize(
    ("path", "body", "at"),
    [
        ("/v1/simulink/validate", {"model": "no base64!"}, "/model"),
        ("/v1/simulink/validate", {"model": {"kind": "model"}}, "/model"),
        ("/v1/simulink/validate", {"model": "", "name": 1}, "/name"),
        ("/v1/simulink/validate", {"model": "", "catalog": 1}, "/catalog"),
        ("/v1/simulink/repair", {"model": ""}, "/model"),
        ("/v1/simulink/build", {"model": ""}, "/model"),
    ],
)
def test_unusable_model_body_names_field(
    path: str, body: dict[str, Any], at: str, shared_server: Served
) -> None:
    """The error for an unusable body names the field."""
    answer = shared_server.client.post(path, json=body)
    assert (answer.status_code, answer.json()["error"]["at"]) == (400, at)


def test_a_file_is_judged_by_the_catalog_that_is_named(shared_server: Served) -> None:
    """One that is kept and not active; one that is not kept is refused, one of n8n too."""
    active = shared_server.client.get("/v1/simulink/catalog").json()["fingerprint"]
    assert validate_file(shared_server, BROKEN, catalog=active)["catalog"] == active
    other = shared_server.client.get("/v1/n8n/catalog").json()["fingerprint"]
    refused = shared_server.client.post(
        "/v1/simulink/validate", json=body_of(BROKEN, catalog=other)
    )
    assert refused.status_code == 400
    response = shared_server.client.post(
        "/v1/simulink/validate", json=body_of(BROKEN, catalog="0" * 64)
    )
    assert response.status_code == 404


def test_a_plain_client_reads_every_answer(shared_server: Served) -> None:
    """With the form field it is 200 and `ok` says whether there is a report, on every route."""

    def plain(path: str, body: Any, token: str) -> dict[str, Any]:
        headers = {**FORM, "Authorization": f"Bearer {token}"}
        form = urlencode({"payload": json.dumps(body)})
        with shared_server.bare(headers=headers) as client:
            answer = client.post(path, content=form)
        assert answer.status_code == 200, answer.text
        entries: dict[str, Any] = answer.json()
        return entries

    path = "/v1/simulink/validate"
    report = plain(path, body_of(BROKEN, name="bad.mdl"), shared_server.token)
    assert (report["ok"], report["verdict"]) == (True, "wrong")
    for asked, body, token, code in (
        (path, {"model": "?"}, shared_server.token, "bad-argument"),
        (path, {}, shared_server.token, "no-draft"),
        (path, {"model": ""}, "wrong", "unauthorized"),
        (path, {"model": "", "catalog": "0" * 64}, shared_server.token, "no-such-catalog"),
        ("/v1/nowhere", {}, shared_server.token, "not-found"),
    ):
        answer = plain(asked, body, token)
        assert (answer["ok"], answer["error"]["code"]) == (False, code)
    with shared_server.bare(headers={"User-Agent": "grounded-matlab"}) as client:
        assert client.get("/v1/simulink/find?q=sine").json()["error"]["code"] == "unauthorized"


def test_a_file_past_the_bound_is_refused(shared_server: Served) -> None:
    """A body of more than twenty million bytes is not read."""
    answer = shared_server.client.post("/v1/simulink/validate", json={"model": "A" * 20_000_001})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too-large")


def _mdl(kind: str, blocks: str) -> bytes:
    return f'{kind} {{ Version 7.0 System {{ Name "x" {blocks} }} }}'.encode()


def _link(source: str, more: str = "") -> str:
    return f'Block {{ BlockType Reference Name "R" SourceBlock "{source}" {more} }}'


PUMPS = _mdl(
    "Library",
    'Block { BlockType SubSystem Name "Pump" Ports [1, 1] MaskType "Pump" MaskVariables "mode=@1;"'
    ' MaskStyleString "popup(linear|quadratic)" MaskValueString "linear" System { Name "Pump"'
    ' Block { BlockType Inport Name "in" } Block { BlockType Outport Name "out" } } }',
)
LINKED = _mdl("Model", _link("pumps/Pump", 'mode "quadrtaic"'))


def _files(**files: bytes) -> list[dict[str, str]]:
    return [
        {"name": f"{name}.mdl", "model": base64.b64encode(raw).decode()}
        for name, raw in files.items()
    ]


def test_libraries_come_with_the_model(shared_server: Served) -> None:
    """Links are checked by the libraries that were sent, and missing ones are listed."""
    alone = validate_file(shared_server, LINKED, name="m.mdl")
    assert (codes_and_nodes(alone)[0][0], alone["missing_libraries"]) == ("GB206", ["pumps"])
    report = validate_file(shared_server, LINKED, name="m.mdl", libraries=_files(pumps=PUMPS))
    codes = [code for code, _ in codes_and_nodes(report)]
    assert ("GB305" in codes, "GB206" in codes, report["missing_libraries"]) == (True, False, [])
    document = {
        "simulink": 1,
        "layout": "mdl",
        "system": {
            "blocks": [{"sid": "1", "name": "R", "type": "Reference", "source": "pumps/Turbine"}],
            "lines": [],
        },
    }
    answer = shared_server.client.post(
        "/v1/simulink/validate", json={"workflow": document, "libraries": _files(pumps=PUMPS)}
    )
    assert [diagnostic["code"] for diagnostic in answer.json()["diagnostics"]][:1] == ["GB201"]
    padded = LINKED + b"# " + b"x" * 80_000 + b"\n"
    aside = validate_file(shared_server, padded, name="m.mdl", libraries=_files(pumps=PUMPS))
    assert codes_and_nodes(aside) == codes_and_nodes(report)


def test_indirect_missing_libraries_are_listed(shared_server: Served) -> None:
    """Libraries that are missing behind another library are listed; other files supply none."""
    outer = _mdl("Library", _link("pumps/Pump").replace('"R"', '"Outer"'))
    model = _mdl("Model", _link("outer/Outer"))
    for files, missing in (
        ({"outer": outer}, ["pumps"]),
        ({"outer": outer, "pumps": PUMPS}, []),
        ({"outer": b"no library"}, ["outer"]),
        ({"outer": model}, ["outer"]),
    ):
        report = validate_file(shared_server, model, libraries=_files(**files))
        assert report["missing_libraries"] == missing
    assert validate_file(shared_server, pack_files(make_split_package()))["missing_libraries"] == []


@pytest.mark.parametrize(
    ("path", "body", "at"),
    [
        ("simulink/validate", {"libraries": {}}, "/libraries"),
        ("simulink/validate", {"libraries": _files(a=b"") * 101}, "/libraries"),
        ("simulink/validate", {"libraries": _files(a=b"") * 2}, "/libraries/1"),
        ("simulink/validate", {"libraries": ["a"]}, "/libraries/0"),
        ("simulink/validate", {"libraries": [{"name": "a"}]}, "/libraries/0/model"),
        ("simulink/validate", {"libraries": [{"name": "a" * 201}]}, "/libraries/0/name"),
        ("simulink/repair", {"libraries": _files(a=b"")}, "/libraries"),
        ("n8n/validate", {"libraries": _files(a=b"")}, "/libraries"),
    ],
)
def test_libraries_that_cannot_be_used_are_refused(
    path: str, body: dict[str, Any], at: str, shared_server: Served
) -> None:
    """The error names the position of the unusable library, on every route and in every domain."""
    answer = shared_server.client.post(f"/v1/{path}", json={"workflow": {}, **body})
    assert (answer.status_code, answer.json()["error"]["at"]) == (400, at)
    drafted = shared_server.client.post(
        f"/v1/{path}", json={"draft": "x", "libraries": _files(a=b"")}
    )
    assert drafted.json()["error"]["at"] == "/libraries"
