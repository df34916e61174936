"""Triggers start with samples of their kind: fields of a form, files, headers of a caller."""

from __future__ import annotations

from base64 import b64encode

from tests.rehearsal.conftest import Rehearse
from tests.support.n8n_workflows import node, workflow

_FIELDS = [
    {"fieldLabel": "Size", "fieldType": "dropdown", "fieldOptions": {"values": [{"option": "S"}]}},
    {"fieldLabel": "Count", "fieldType": "number"},
    {"fieldLabel": "My list", "fieldType": "file"},
]


def test_a_form_has_its_fields_and_a_file_that_is_read(rehearsed: Rehearse) -> None:
    """A dropdown has one of its options, and the file is one that the reading node can read."""
    read = {"operation": "csv", "binaryPropertyName": "My_list"}
    document = workflow(
        node("Ask", "formTrigger", 2.2, {"formTitle": "Ask", "formFields": {"values": _FIELDS}}),
        node("Rows", "extractFromFile", 1, read),
    )
    (run,) = rehearsed(document).natural_runs
    assert run.execution.status == "success", run.execution.failure
    asked, rows = (item.step.outputs["main"][0] for item in run.steps)
    answers = asked[0]["json"]
    assert (answers["Size"], answers["Count"], answers["formMode"]) == ("S", 1, "production")
    assert [row["json"]["name"] for row in rows] == ["name 1", "name 2"]


def test_a_mail_has_its_attachment(rehearsed: Rehearse) -> None:
    """A trigger whose mails have attachments gives one under its prefix."""
    mail = {"format": "resolved", "dataPropertyAttachmentsPrefixName": "file_"}
    read = {"operation": "pdf", "binaryPropertyName": "file_0"}
    document = workflow(
        node("Mail", "emailReadImap", 2, mail),
        node("Text", "extractFromFile", 1, read),
    )
    (run,) = rehearsed(document).natural_runs
    assert run.execution.status == "success", run.execution.failure
    assert run.steps[1].step.outputs["main"][0][0]["json"]["numpages"] == 1


def test_a_caller_sends_headers_and_files(rehearsed: Rehearse) -> None:
    """The real webhook node receives a form with a file, its fields and the sample's headers."""
    hook = {"path": "files", "httpMethod": "POST", "responseMode": "lastNode"}
    read = {"operation": "text", "binaryPropertyName": "note"}
    document = workflow(node("Hook", "webhook", 2, hook), node("Text", "extractFromFile", 1, read))
    note = {"mimeType": "text/plain", "fileName": "a.txt", "data": b64encode(b"hello").decode()}
    item = {
        "json": {"body": {"city": "Oslo"}, "headers": {"x-shop": "7"}},
        "binary": {"note": note},
    }
    (run,) = rehearsed(document, {"Hook": [item]}).natural_runs
    assert run.execution.status == "success", run.execution.failure
    called, text = (item.step.outputs["main"][0][0]["json"] for item in run.steps)
    assert (called["body"], called["headers"]["x-shop"]) == ({"city": "Oslo"}, "7")
    assert text["data"] == "hello"
