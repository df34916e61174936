"""Catalog entries that contradict themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.n8n.catalog.contradictions import contradictions
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.support import catalogs
from tests.support.program import run
from tests.support.registries import registry_from

_CHOICE = {"name": "way", "type": "options", "default": "a"}
_AB = [{"name": "A", "value": "a"}, {"name": "B", "value": "b"}]
_TWICE = {**_CHOICE, "options": [*_AB, {"name": "A again", "value": "a"}]}
_ORPHAN = {"name": "text", "type": "string", "displayOptions": {"show": {"absent": ["x"]}}}
_DEEP = {"name": "more", "type": "collection", "options": [_ORPHAN]}
_TABLE = {
    "source": "={{ $parameter.ways === 2 ? ['main', 'main'] : ['main'] }}",
    "reads": ["ways"],
    "table": [{"when": {"ways": 2}, "ports": [{"kind": "main"}, {"kind": "main"}]}],
}


def _odd(*parameters: dict[str, Any], **facts: Any) -> catalogs.Line:
    variant = {"versions": [1], "inputs": [], "outputs": [{"kind": "main"}], **facts}
    variant |= {"parameters": list(parameters), "traits": {"trigger": True}}
    return {"kind": "tool", "id": "acme-nodes.odd", "name": "Odd", "variants": [variant]}


def _file(tool: catalogs.Line) -> bytes:
    return catalogs.jsonl(catalogs.add_end_line([catalogs.header(), tool]))


@pytest.mark.parametrize(
    ("tool", "part"),
    [
        (_odd(_TWICE), '"way" has the option "a" twice'),
        (_odd(_ORPHAN), '"text" is shown by "absent", which is not declared'),
        (_odd(_DEEP), '"more.text" is shown by "absent"'),
        (_odd(outputs=_TABLE), 'its outputs depend on "ways", which is not declared'),
    ],
    ids=["option", "condition", "deep", "ports"],
)
def test_contradictory_tool_is_reported_and_usable(tool: catalogs.Line, part: str) -> None:
    """Each contradiction is one line, and drafts with the tool are still checked."""
    assert [part in contradiction for contradiction in contradictions(tool)] == [True]
    node = {"name": "O", "type": "acme-nodes.odd", "typeVersion": 1, "position": [0, 0]}
    draft = {"name": "w", "nodes": [node | {"parameters": {}}], "connections": {}, "settings": {}}
    registry = registry_from(_file(tool))
    assert compile_draft(draft, N8N, registry, CompileOptions()).verdict == "ok"


def test_loading_reports_contradictions_once(tmp_path: Path) -> None:
    """Contradictions are reported when a tool is new, and not again later."""
    file = tmp_path / "odd.jsonl"
    file.write_bytes(_file(_odd(_TWICE, _ORPHAN)))
    loaded = run(tmp_path, "catalog", "load", str(file))
    assert loaded.returncode == 0
    notes = [line for line in loaded.stderr.decode().splitlines() if line.startswith("note: ")]
    assert [line.split(": ")[1] for line in notes] == 2 * ["acme-nodes.odd (version 1)"]
    assert b"note: " not in run(tmp_path, "catalog", "load", str(file)).stderr


def test_a_sound_catalog_has_no_contradictions() -> None:
    """Names beside a declaration, at the root and of the node itself are all known."""
    known = {"name": "b", "type": "string", "displayOptions": {"show": {"a": [1], "@version": [1]}}}
    root = {"name": "c", "type": "string", "displayOptions": {"hide": {"/a": [1]}}}
    group = {"name": "g", "type": "fixedCollection", "options": [{"name": "x", "values": [root]}]}
    tool = _odd({"name": "a", "type": "number"}, known, group, {**_CHOICE, "options": _AB})
    assert list(contradictions(tool)) == []
    for line in catalogs.acme():
        if line["kind"] == "tool":
            assert list(contradictions(line)) == []
