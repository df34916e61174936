"""Uploads of installed products from MATLAB in pieces: any order, repeated, cut off, wrong."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.api.conftest import Serve, Served
from tests.support.databases import drop_catalog, url_of
from tests.support.time_bounds import limit_cpu_time

Facts = list[dict[str, Any]]


def facts(count: int = 20, *, stated: int | None = None) -> Facts:
    """An invented library of so many blocks."""
    first = {
        "kind": "installation",
        "release": "2030a",
        "products": [{"name": "Acme Blocks", "version": "3.1"}],
        "licences": ["Acme_Blocks"],
        "libraries": [{"name": "acme_lib", "error": ""}],
    }
    blocks = [
        {
            "kind": "block",
            "path": f"acme_lib/Things/Thing {n}",
            "block_type": "SubSystem",
            "mask_type": f"Thing{n}",
            "ports": [1, 1, 0],
            "parameters": [
                {"name": "Size", "type": "string", "options": [], "default": str(n)},
                {"name": "Mode", "type": "enum", "options": ["slow", "fast"], "default": "slow"},
            ],
            "inside": ["built-in/Gain"],
        }
        for n in range(count)
    ]
    return [first, *blocks, {"kind": "end", "blocks": count if stated is None else stated}]


def pieces(code: Facts, each: int = 3) -> list[str]:
    lines = [json.dumps(item) + "\n" for item in code]
    return ["".join(lines[at : at + each]) for at in range(0, len(lines), each)]


def send_piece(served: Served, upload: str, parts: Sequence[str], number: int) -> dict[str, Any]:
    """The answer to one piece, counted from 1."""
    body = {"upload": upload, "number": number, "total": len(parts), "lines": parts[number - 1]}
    answer = served.client.post("/v1/simulink/catalog/pieces", json=body)
    assert answer.status_code == 200, answer.text
    entries: dict[str, Any] = answer.json()
    assert entries["ok"] is True
    return entries


def test_pieces_in_any_order_make_one_environment(empty: Served) -> None:
    """The last one that was missing completes it, whichever it is; it is not made active."""
    active = empty.state.load_registry("simulink").fingerprint
    parts = pieces(facts())
    entries = set()
    for seed in range(3):
        order = list(range(1, len(parts) + 1))
        random.Random(seed).shuffle(order)
        for sofar, number in enumerate(order, 1):
            answer = send_piece(empty, f"u-{seed}", parts, number)
            assert answer["missing"] == sorted(order[sofar:])
        entries.add(answer["environment"])
    assert len(entries) == 1
    registry = empty.state.store.registry(entries.pop())
    assert "acme_lib/Things/Thing 7" in registry.tools
    assert registry.header.versions["release"] == "2030a"
    assert registry.header.versions["licence Acme_Blocks"] == "held"
    assert empty.state.load_registry("simulink").fingerprint == active


def test_a_piece_twice_is_one_piece(empty: Served) -> None:
    """Before and after the end; another text under the same number is refused."""
    parts = pieces(facts())
    for number in [1, 1, *range(2, len(parts) + 1)]:
        answer = send_piece(empty, "u", parts, number)
    assert send_piece(empty, "u", parts, 2) == answer
    send_piece(empty, "v", parts, 1)
    other = {"upload": "v", "number": 1, "total": len(parts), "lines": "other"}
    refused = empty.client.post("/v1/simulink/catalog/pieces", json=other)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "other-piece")


def test_upload_continues_after_server_restart(serve: Serve) -> None:
    """Pieces that arrived before the restart are not requested again."""
    parts = pieces(facts())
    served = serve()
    send_piece(served, "u", parts, 1)
    send_piece(served, "u", parts, 3)
    two = serve()
    answer = send_piece(two, "u", parts, 2)
    assert answer["missing"] == list(range(4, len(parts) + 1))


def test_an_upload_goes_on_at_another_host(serve: Serve, tmp_path: Path) -> None:
    """Servers with folders of their own share what came in by the database."""
    served = serve(state=tmp_path / "a", database_url=url_of(tmp_path))
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "token").write_text(served.token)
    hosts = [served, serve(state=tmp_path / "b", database_url=url_of(tmp_path))]
    parts = pieces(facts())
    for number in range(1, len(parts) + 1):
        answer = send_piece(hosts[number % 2], "u", parts, number)
    for host in hosts:
        assert host.state.store.catalog(answer["environment"]).tools == answer["blocks"]
        assert send_piece(host, "u", parts, 1) == answer


def test_a_removed_environment_is_made_again(empty: Served) -> None:
    """An upload whose catalog is gone starts again, and comes to the same."""
    parts = pieces(facts())
    for number in range(1, len(parts) + 1):
        answer = send_piece(empty, "u", parts, number)
    drop_catalog(empty.state.store, answer["environment"])
    assert send_piece(empty, "u", parts, 1)["missing"] == list(range(2, len(parts) + 1))
    for number in range(2, len(parts) + 1):
        again = send_piece(empty, "u", parts, number)
    assert again == answer


def test_oldest_uploads_are_dropped(empty: Served) -> None:
    """Only the newest eight uploads are stored."""
    parts = pieces(facts())
    for number in range(9):
        send_piece(empty, f"u-{number}", parts, 1)
    assert 1 in send_piece(empty, "u-0", parts, 2)["missing"]
    assert send_piece(empty, "u-8", parts, 2)["missing"] == list(range(3, len(parts) + 1))


def test_the_last_piece_from_many_at_once(empty: Served) -> None:
    """Racing senders get the same environment."""
    parts = pieces(facts())
    for number in range(1, len(parts)):
        send_piece(empty, "u", parts, number)
    with ThreadPoolExecutor(6) as pool:
        last = list(pool.map(lambda _: send_piece(empty, "u", parts, len(parts)), range(6)))
    assert len({item["environment"] for item in last}) == 1
    assert last[0]["environment"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('{"kind": "block"}\n', "line 1"),
        ("not json\n", "line 1 is not JSON"),
        ("", "the first line does not describe an installation"),
        ("".join(pieces(facts(4, stated=9))), "the report is incomplete"),
    ],
)
def test_facts_that_make_no_catalog_are_refused(lines: str, message: str, empty: Served) -> None:
    """Nothing of a refused upload is stored, and the same upload may begin again."""
    body = {"upload": "u", "number": 1, "total": 1, "lines": lines}
    answer = empty.client.post("/v1/simulink/catalog/pieces", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad-catalog")
    assert message in answer.json()["error"]["message"]
    assert send_piece(empty, "u", ["".join(pieces(facts()))], 1)["environment"]


@pytest.mark.parametrize(
    "body",
    [
        {"upload": "../x", "number": 1, "total": 1, "lines": ""},
        {"upload": "u", "number": 0, "total": 1, "lines": ""},
        {"upload": "u", "number": 1, "total": 1_000_000, "lines": ""},
        {"upload": "u", "number": 1, "lines": ""},
    ],
)
def test_a_plain_client_reads_what_is_wrong(body: dict[str, Any], empty: Served) -> None:
    """With the form field it is 200, else 400."""
    form = urlencode({"payload": json.dumps(body)})
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    plain = empty.client.post("/v1/simulink/catalog/pieces", content=form, headers=headers)
    assert (plain.status_code, plain.json()["ok"], plain.json()["environment"]) == (200, False, "")
    strict = empty.client.post("/v1/simulink/catalog/pieces", json=body)
    assert strict.status_code == 400


def test_a_piece_past_the_total_is_refused(empty: Served) -> None:
    """Number five of four."""
    body = {"upload": "u", "number": 5, "total": 4, "lines": ""}
    answer = empty.client.post("/v1/simulink/catalog/pieces", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "other-piece")


def test_twenty_thousand_blocks_come_through(empty: Served) -> None:
    """A large installation in many pieces; only the last one takes its time."""
    parts = pieces(facts(20_000), 100)
    for number in range(1, len(parts)):
        with limit_cpu_time(1):
            send_piece(empty, "large", parts, number)
    answer = send_piece(empty, "large", parts, len(parts))
    assert answer["blocks"] == 20_001  # and the bare SubSystem
