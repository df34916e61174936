"""Files: catalogs in JSON Lines, lists of tools, model files of all three forms, receipts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from grounded_builder.catalog.catalog_file import Bounds, CatalogError, read_catalog
from grounded_builder.catalog.loader import open_index, open_registry, prepare_catalog
from grounded_builder.compiler.receipt import (
    ReceiptClaims,
    Signer,
    artifact_hash,
    make_receipt,
    verify_receipt,
)
from grounded_builder.diagnostics import verdict_of
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.simulink.read.files import open_native
from grounded_builder.domains.tools.domain import TOOLS
from grounded_builder.domains.tools.read.convert_catalog import convert_catalog
from tests.fuzz import seeds
from tests.fuzz.mutation import decode, encode
from tests.fuzz.target import Target
from tests.support import catalogs, simulink_files
from tests.support.tool_lists import make_desk_tools

_BOUNDS = Bounds(file_bytes=200_000, line_bytes=50_000, lines=500, depth=60)
_SIGNER = Signer.of(b"fuzz")
_TERMS = ReceiptClaims(catalog="c" * 64, policy="p" * 64, instance="here")
_NOW = 1_700_000_000.5


def load_catalog(data: bytes) -> None:
    """A catalog is refused with its problems, or every tool in it compiles; again the same."""
    try:
        file = read_catalog(data, bounds=_BOUNDS)
    except CatalogError as error:
        assert error.problems
        assert error.help
        return
    assert read_catalog(data, bounds=_BOUNDS).sha256 == file.sha256
    prepared = prepare_catalog(file)
    bodies = {entry.fingerprint: entry.body for entry in prepared.entries}
    domain = TOOLS if file.header.domain == "tools" else N8N
    registry = open_registry(
        open_index(prepared.index),
        prepared.fingerprint,
        bodies.__getitem__,
        domain.resolving.compile_tool,
    )
    for tool in registry.tools.values():
        for version in tool.versions:
            registry.spec(tool.id, version)


def adopt_tools(data: bytes) -> None:
    """A list of tool definitions becomes a catalog that loads, or is refused with its problems."""
    try:
        adopted = convert_catalog(data)
    except CatalogError as error:
        assert error.problems
        return
    if adopted is not None:
        load_catalog(adopted)


def open_model(data: bytes) -> None:
    """A model file is read or refused by diagnostics, the same ones each time."""
    opened, again = open_native(data, "model.slx"), open_native(data, "model.slx")
    assert opened is not None
    assert again is not None
    assert opened.diagnostics == again.diagnostics
    assert json.dumps(opened.document) == json.dumps(again.document)
    if opened.document is None:
        assert verdict_of(opened.diagnostics) == "wrong"


def open_packed(data: bytes) -> None:
    """The same of a package whose outermost part was changed before it was packed."""
    files = simulink_files.make_single_file_package()
    open_model(simulink_files.pack_files({**files, "simulink/blockdiagram.xml": data}))


def check_receipt(data: bytes) -> None:
    """A receipt is good for the artifact it was made for alone, and never raises."""
    value = decode(data)
    case = value if isinstance(value, dict) else {}
    artifact = case.get("artifact")
    artifact = artifact if isinstance(artifact, dict) else {}
    sent = case.get("receipt")
    original = make_receipt(catalogs.workflow(), "ok", _TERMS, _SIGNER, now=_NOW, lifetime_s=60)
    checked = verify_receipt(sent, artifact, _TERMS, _SIGNER, now=_NOW)
    if checked.outcome == "valid":
        assert sent == original, "a receipt was accepted that nobody made"
        assert _plain(artifact) == _plain(catalogs.workflow()), "the artifact is another"
    assert artifact_hash(artifact) == artifact_hash(artifact)
    later = verify_receipt(sent, artifact, replace(_TERMS, policy="q" * 64), _SIGNER, now=_NOW)
    assert later.outcome != "valid", "a receipt is good under another policy"


def _plain(value: Any) -> str:
    """JSON in which equal numbers are equal texts: 1.0 is 1 to whoever reads it."""
    return json.dumps(_whole(value), sort_keys=True)


def _whole(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _whole(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_whole(child) for child in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _catalogs() -> Iterable[bytes]:
    yield catalogs.acme_bytes()
    lines = catalogs.acme()
    for line in lines[1:-1]:
        yield catalogs.jsonl(catalogs.add_end_line([lines[0], line]))


def _receipts() -> Iterable[bytes]:
    artifact = catalogs.workflow()
    receipt = make_receipt(artifact, "ok", _TERMS, _SIGNER, now=_NOW, lifetime_s=60)
    yield encode({"receipt": receipt, "artifact": artifact})
    yield encode({"receipt": receipt, "artifact": {**artifact, "pinData": {"a": 2**53}}})


TARGETS = (
    Target("catalogs", load_catalog, _catalogs, "lines", 5.0, 300),
    Target(
        "tool-lists",
        adopt_tools,
        lambda: (encode(make_desk_tools()), encode({"tools": make_desk_tools()[:2]})),
        "json",
        5.0,
        200,
    ),
    Target("slx", open_model, seeds.packages, "bytes", 5.0, 200),
    Target("slx-parts", open_packed, seeds.diagrams, "text", 5.0, 200),
    Target("mdl", open_model, seeds.classic_texts, "text", 5.0, 200),
    Target("receipts", check_receipt, _receipts, "json", 2.0, 600),
)
