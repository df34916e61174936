"""Fields are followed from node to node, and certainly empty reads are reported."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.support.catalogs import acme, add_end_line, jsonl
from tests.support.growth import confirm_fault, find_growth_fault
from tests.support.registries import registry_from
from tests.unit.domains.n8n.drafts import MAIN, STEP, Edge, node, text, tool, workflow

FORM = "n8n-nodes-base.formTrigger"
HOOK = "n8n-nodes-base.webhook"
IF = "n8n-nodes-base.if"
LOOP = "n8n-nodes-base.splitInBatches"
SHEET = "acme-nodes.sheet"
CHAT = "acme-nodes.chatService"
AGGREGATE = "n8n-nodes-base.aggregate"
AGENT = "@n8n/n8n-nodes-langchain.agent"


def _object(name: str, kind: str = "collection") -> dict[str, Any]:
    return {"name": name, "type": kind, "default": {}, "options": []}


def _make_options(name: str, default: str, *values: str) -> dict[str, Any]:
    options = [{"name": value, "value": value} for value in (default, *values)]
    return {"name": name, "type": "options", "default": default, "options": options}


_FIELDS = {
    "name": "formFields",
    "type": "fixedCollection",
    "default": {},
    "typeOptions": {"multipleValues": True},
    "options": [
        {
            "name": "values",
            "values": [text("fieldLabel"), text("fieldName"), text("fieldType")],
        }
    ],
}
_HEAD, *_ = acme()
_LINES = [
    _HEAD,
    tool(STEP, parameters=[text("text")]),
    tool(FORM, inputs=[], parameters=[_FIELDS], traits={"trigger": True}, versions=[2.1, 2.4]),
    tool(
        HOOK,
        inputs=[],
        parameters=[_make_options("httpMethod", "GET", "POST"), text("path")],
        traits={"trigger": True},
    ),
    tool(IF, outputs=[{"kind": "main"}, {"kind": "main"}], parameters=[text("value1")]),
    tool(LOOP, outputs=[{"kind": "main"}, {"kind": "main"}], versions=[3]),
    tool(
        SHEET,
        parameters=[
            _make_options("operation", "append", "sendAndWait"),
            _make_options("responseType", "approval", "freeText"),
        ],
    ),
    tool(
        AGGREGATE,
        parameters=[
            _make_options("aggregate", "aggregateAllItemData"),
            text("destinationFieldName"),
        ],
    ),
    tool(
        CHAT,
        parameters=[
            _make_options("resource", "message"),
            _make_options("operation", "post", "get", "update"),
        ],
        traits={
            "output_examples": [
                {"version": version, "of": ["message", operation], "fields": fields}
                for version, operation, fields in [
                    (1, "post", {"ok": None, "message": {"ts": None}}),
                    (1, "get", {"id": None, "title": None}),
                ]
            ]
        },
    ),
    tool(
        AGENT,
        parameters=[text("text", default="={{ $json.chatInput }}")],
        inputs=[*MAIN],
        versions=[1.7],
    ),
]
KNOWN = registry_from(jsonl(add_end_line(_LINES)))


def _form(*labels: str, version: float = 2.1, **names: str) -> dict[str, Any]:
    fields = [{"fieldLabel": label, "fieldType": "text"} for label in labels]
    fields += [{"fieldLabel": label, "fieldName": name} for label, name in names.items()]
    return node("Form", FORM, {"formFields": {"values": fields}}, typeVersion=version)


def _chain(*nodes: dict[str, Any]) -> dict[str, Any]:
    names = [item["name"] for item in nodes]
    return workflow(nodes, list(pairwise(names)))


def _compile_fixed(draft: Any) -> Compilation:
    return compile_with_fixes(draft, N8N, KNOWN, CompileOptions())


def _absent(draft: Any) -> list[str | None]:
    return [d.token for d in _compile_fixed(draft).diagnostics if d.code == "N8N330"]


def _read(expression: str) -> dict[str, Any]:
    return node("T", STEP, {"text": "={{ " + expression + " }}"})


def _text_of(draft: Any) -> str:
    """The text of the last node after the safe fixes, without its braces."""
    last = _compile_fixed(draft).document["nodes"][-1]["parameters"]["text"]
    return str(last).removeprefix("={{ ").removesuffix(" }}")


@pytest.mark.parametrize(
    ("written", "corrected"),
    [
        ("$json.email", "$json.Email"),
        ("$json['e-mail']", "$json.Email"),
        ("$json.fullName", "$json['Full Name']"),
        ("$json.full_name.toUpperCase()", "$json['Full Name'].toUpperCase()"),
        ("$('Form').item.json.email", "$('Form').item.json.Email"),
        ("$input.first().json.email", "$input.first().json.Email"),
        ("$json.email + $json.fullName", "$json.Email + $json['Full Name']"),
        ("$json.email || 'nobody'", "$json.Email || 'nobody'"),
        ("$json.submittedAt", "$json.submittedAt"),
        ("$json.Email", "$json.Email"),
        ("'$json.email'", "'$json.email'"),
    ],
)
def test_labels_of_forms_are_read_as_written(written: str, corrected: str) -> None:
    """A field of a form has its label as name; a read that differs in spelling is corrected."""
    draft = _chain(_form("Full Name", "Email"), _read(written))
    assert _text_of(draft) == corrected
    assert _absent(draft) == []


def test_newer_forms_use_the_names_of_their_fields() -> None:
    """Since 2.4 the name of a field counts before its label."""
    assert _absent(_chain(_form(version=2.4, Mail="address"), _read("$json.address"))) == []
    assert _absent(_chain(_form(version=2.4, Mail="address"), _read("$json.Mail"))) == ["Mail"]
    assert _absent(_chain(_form(Mail="address"), _read("$json.Mail"))) == []


@pytest.mark.parametrize(
    ("method", "written", "corrected"),
    [
        ("POST", "$json.email", "$json.body.email"),
        ("POST", "$json.order.id", "$json.body.order.id"),
        ("POST", "$json.Body", "$json.body.Body"),
        ("POST", "$json.body.email", "$json.body.email"),
        ("POST", "$json.headers['x-key']", "$json.headers['x-key']"),
        ("GET", "$json.id", "$json.query.id"),
        ("POST", "$json.email || $json.body.email", "$json.email || $json.body.email"),
    ],
)
def test_webhook_field_is_read_from_body_or_query(
    method: str, written: str, corrected: str
) -> None:
    """A webhook outputs the request, and its method determines where a field is."""
    hook = node("Hook", HOOK, {"path": "p", "httpMethod": method})
    assert _text_of(_chain(hook, _read(written))) == corrected


def test_an_answer_is_below_data() -> None:
    """A message that waits outputs the answer alone."""
    ask = node("Ask", SHEET, {"operation": "sendAndWait"})
    assert _text_of(_chain(_form("Email"), ask, _read("$json.approved"))) == "$json.data.approved"
    free = node("Ask", SHEET, {"operation": "sendAndWait", "responseType": "freeText"})
    assert _text_of(_chain(_form("Email"), free, _read("$json.text"))) == "$json.data.text"


def test_a_field_that_a_node_drops_is_read_from_before_it() -> None:
    """Behind a node that replaces its items the field is read from the node that has it."""
    ask = node("Ask", SHEET, {"operation": "sendAndWait"})
    draft = _chain(_form("Email"), ask, _read("$json.Email"))
    assert _text_of(draft) == "$('Form').first().json.Email"
    assert _absent(draft) == []


def test_unknown_nodes_and_absence_are_not_reported() -> None:
    """Outputs of services are unknown, and a condition may test whether a field exists."""
    service = node("Rows", SHEET)
    assert _absent(_chain(_form("Email"), service, _read("$json.anything"))) == []
    branch = node("If", IF, {"value1": "={{ $json.phone }}"})
    assert _absent(_chain(_form("Email"), branch)) == ["phone"]


def test_examples_of_outputs_are_doubted() -> None:
    """A field that only n8n's example shows is proposed, not corrected."""
    post = node("Post", CHAT, {"operation": "post"})
    dropped = _chain(_form("Email"), post, _read("$json.Email"))
    (finding,) = [d for d in _compile_fixed(dropped).diagnostics if d.code == "N8N330"]
    assert finding.help == "write $('Form').first().json.Email"
    assert _text_of(dropped) == "$json.Email"
    assert _absent(_chain(_form("Email"), post, _read("$json.ok + $json.message.any"))) == []
    assert _absent(_chain(_form("Email"), post, _read("$json.total"))) == ["total"]
    updated = node("Update", CHAT, {"operation": "update"})
    assert _absent(_chain(_form("Email"), updated, _read("$json.Email"))) == []


def test_examples_of_what_is_fetched_are_not_complete() -> None:
    """A fetched thing may have more fields than in an example; those of a form it has not."""
    get = node("Get", CHAT, {"operation": "get"})
    assert _absent(_chain(_form("Email"), get, _read("$json.url"))) == []
    assert _absent(_chain(_form("Email"), get, _read("$json.Email"))) == ["Email"]


def test_fields_pass_through_branches_and_loops() -> None:
    """Nodes that pass items on keep their fields; a loop does not repeat what returns to it."""
    loop = node("Loop", LOOP, typeVersion=3)
    rows = node("Rows", AGGREGATE, {"destinationFieldName": "rows"})
    edges: list[Edge] = [
        ("Form", "If"),
        ("If", "Loop"),
        ("Loop", "main", 1, "T", "main", 0),
        ("T", "Rows"),
        ("Rows", "Loop"),
    ]
    nodes = [_form("Email"), node("If", IF), loop, rows, _read("$json.rows + $json.Email")]
    assert _absent(workflow(nodes, edges)) == ["rows"]


@pytest.mark.parametrize(
    ("code", "edges", "reported"),
    [
        ("$('Yes').item.json.id", [("If", "main", 1, "T", "main", 0)], True),
        (
            "$('Yes').isExecuted ? $('Yes').item.json.id : 0",
            [("If", "main", 1, "T", "main", 0)],
            False,
        ),
        ("$('Form').item.json.Email", [("If", "main", 1, "T", "main", 0)], False),
        ("$('Yes').item.json.id", [], False),
        ("$('Yes').item.json.id", [("Form", "Side"), ("Side", "T")], False),
    ],
)
def test_a_node_of_another_path_may_not_have_run(
    code: str, edges: list[Edge], reported: bool
) -> None:
    """Behind a choice a node that is read must run on every path; parallel paths all run."""
    nodes = [_form("Email"), node("If", IF), node("Yes", SHEET), node("Side", SHEET), _read(code)]
    all_edges: list[Edge] = [("Form", "If"), ("If", "main", 0, "Yes", "main", 0), ("Yes", "T")]
    findings = _compile_fixed(workflow(nodes, [*all_edges, *edges])).diagnostics
    assert [d.token for d in findings if d.code == "N8N329"] == (["Yes"] if reported else [])


def test_values_by_default_are_read_too() -> None:
    """An agent reads chatInput unless it has a text, which only a chat outputs."""
    assert _absent(_chain(_form("Email"), node("Agent", AGENT, typeVersion=1.7))) == ["chatInput"]
    written = node("Agent", AGENT, {"text": "={{ $json.Email }}"}, typeVersion=1.7)
    assert _absent(_chain(_form("Email"), written)) == []


def test_many_nodes_and_reads_take_linear_time() -> None:
    """The time of a workflow grows with its nodes and with its expressions, no faster."""

    def of_size(size: int) -> Any:
        reads = " }} {{ ".join(f"$json.a{number}" for number in range(size))
        steps = [node(f"S{number}", IF) for number in range(size // 10)]
        return _chain(_form("Email"), *steps, _read(reads))

    measure = partial(find_growth_fault, _compile_fixed, of_size, shortest=50, longest=3_200)
    assert confirm_fault(measure) == ""
