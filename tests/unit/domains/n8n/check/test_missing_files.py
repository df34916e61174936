"""A file is taken only where a node before adds it and none in between drops it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.support.catalogs import acme, add_end_line, jsonl
from tests.support.registries import registry_from
from tests.unit.domains.n8n.drafts import node, text, tool, workflow

FORM = "n8n-nodes-base.formTrigger"
TICK = "n8n-nodes-base.someTrigger"
STORE = "n8n-nodes-base.fileStore"
SET = "n8n-nodes-base.set"
CODE = "n8n-nodes-base.code"
REQUEST = "n8n-nodes-base.httpRequest"
BRANCH = "n8n-nodes-base.if"

_SHOWN_FOR = [("upload", "Input Binary Field"), ("download", "Put Output File in Field")]
_STORE = [
    {
        "name": "operation",
        "type": "options",
        "default": "upload",
        "options": [
            {"name": name, "value": name} for name in ("upload", "download", "sendAndWait")
        ],
    },
    *(
        text(
            "binaryPropertyName",
            displayName=label,
            default="data",
            displayOptions={"show": {"operation": [operation]}},
        )
        for operation, label in _SHOWN_FOR
    ),
]
_FIELDS = {
    "name": "formFields",
    "type": "fixedCollection",
    "default": {},
    "typeOptions": {"multipleValues": True},
    "options": [{"name": "values", "values": [text("fieldLabel"), text("fieldType")]}],
}
_KEEP = {"name": "includeBinary", "type": "boolean", "default": True}
_RESPONSE = {
    "name": "response",
    "type": "fixedCollection",
    "default": {},
    "options": [{"name": "response", "values": [text("responseFormat")]}],
}


def _options(*options: Any) -> dict[str, Any]:
    return {"name": "options", "type": "collection", "default": {}, "options": list(options)}


_HEAD, *_ = acme()
KNOWN = registry_from(
    jsonl(
        add_end_line(
            [
                _HEAD,
                tool(FORM, inputs=[], parameters=[_FIELDS], traits={"trigger": True}),
                tool(TICK, inputs=[], traits={"trigger": True}),
                tool(STORE, parameters=_STORE),
                tool(
                    SET,
                    parameters=[
                        {"name": "includeOtherFields", "type": "boolean", "default": False},
                        _options(_KEEP),
                    ],
                    versions=[3.3, 3.4],
                ),
                tool(CODE),
                tool(BRANCH),
                tool(REQUEST, parameters=[_options(_RESPONSE)], versions=[4]),
            ]
        )
    )
)


def _form(*labels: str) -> dict[str, Any]:
    fields = [{"fieldLabel": label, "fieldType": "file"} for label in labels]
    fields.append({"fieldLabel": "Email", "fieldType": "email"})
    return node("Form", FORM, {"formFields": {"values": fields}})


def _store(name: str = "Store", **parameters: Any) -> dict[str, Any]:
    return node(name, STORE, parameters)


def _fix_workflow(*nodes: dict[str, Any]) -> Compilation:
    draft = workflow(nodes, list(pairwise(item["name"] for item in nodes)))
    return compile_with_fixes(draft, N8N, KNOWN, CompileOptions())


def _list_missing_files(*nodes: dict[str, Any]) -> list[str | None]:
    return [d.token for d in _fix_workflow(*nodes).diagnostics if d.code == "N8N359"]


def test_a_form_adds_its_files_by_their_labels() -> None:
    """The only file is taken where another name is written; of several none is chosen."""
    result = _fix_workflow(_form("Your CV"), _store())
    assert result.document["nodes"][-1]["parameters"]["binaryPropertyName"] == "Your_CV"
    assert _list_missing_files(_form("Your CV"), _store(binaryPropertyName="Your_CV_1")) == []
    assert _list_missing_files(_form("CV", "Photo"), _store()) == ["data"]
    assert _list_missing_files(_form("CV", "Photo"), _store(binaryPropertyName="Photo")) == []


def test_a_file_needs_a_source() -> None:
    """A trigger without a file needs a download before an upload."""
    assert _list_missing_files(node("Tick", TICK), _store()) == ["data"]
    download = _store("Get", operation="download")
    assert _list_missing_files(node("Tick", TICK), download, _store()) == []
    named = _store("Get", operation="download", binaryPropertyName="report")
    assert _list_missing_files(node("Tick", TICK), named, _store(binaryPropertyName="report")) == []


@pytest.mark.parametrize(
    ("between", "missing"),
    [
        (node("Ask", STORE, {"operation": "sendAndWait"}), True),
        (node("Set", SET, {}, typeVersion=3.4), True),
        (node("Set", SET, {"includeOtherFields": True}, typeVersion=3.4), False),
        (node("Set", SET, {"options": {"includeBinary": True}}, typeVersion=3.3), False),
        (node("If", BRANCH), False),
        (node("Code", CODE), False),
        (_store("Other", operation="download", binaryPropertyName="x"), False),
    ],
)
def test_nodes_between_may_drop_files(between: dict[str, Any], missing: bool) -> None:
    """Nodes that output new items drop the files, and nothing is claimed about other nodes."""
    draft = (_form("CV"), between, _store(binaryPropertyName="CV"))
    assert _list_missing_files(*draft) == (["CV"] if missing else [])


def test_a_response_is_a_file_under_its_name() -> None:
    """An HTTP Request may add a file, named data unless it says otherwise."""
    request = node("Get", REQUEST, typeVersion=4)
    assert _list_missing_files(node("Tick", TICK), request, _store()) == []
    fixed = _fix_workflow(node("Tick", TICK), request, _store(binaryPropertyName="file"))
    assert fixed.document["nodes"][-1]["parameters"]["binaryPropertyName"] == "data"
    as_json = {"options": {"response": {"response": {"responseFormat": "json"}}}}
    assert _list_missing_files(
        node("Tick", TICK), node("Get", REQUEST, as_json, typeVersion=4), _store()
    ) == ["data"]


def test_expressions_and_pinned_data_are_not_judged() -> None:
    """A name by an expression and data that a person pinned can be anything."""
    assert (
        _list_missing_files(_form("A", "B"), _store(binaryPropertyName="={{ $json.name }}")) == []
    )
    draft = workflow(
        [node("Tick", TICK), _store()], [("Tick", "Store")], pinData={"Tick": [{"json": {}}]}
    )
    findings = compile_with_fixes(draft, N8N, KNOWN, CompileOptions()).diagnostics
    assert [d for d in findings if d.code == "N8N359"] == []
