"""Credentials are attached where there is no choice, and asked for where there is one."""

from __future__ import annotations

from typing import Any

from grounded_builder.diagnostics import Diagnostic, new_diagnostic
from grounded_builder.domains.n8n.deploy.attach_credentials import attach
from grounded_builder.domains.rules import BY_CODE
from grounded_builder.ir.options import StoredCredential

ONE = StoredCredential("1", "first", "mailApi")
TWO = StoredCredential("2", "second", "mailApi")
OTHER = StoredCredential("3", "other", "fileApi")


def artifact(**node: Any) -> dict[str, Any]:
    return {"name": "A", "nodes": [{"name": "Hook"}, {"name": "Mail", **node}]}


def make_findings(*kinds: str) -> Diagnostic:
    return new_diagnostic(
        BY_CODE["N8N303"], ("nodes", 1), "wanted", node="Mail", alternatives=kinds
    )


def absent(kind: str) -> Diagnostic:
    return new_diagnostic(
        BY_CODE["N8N306"], ("nodes", 1, "credentials", kind), "absent", alternatives=("fileApi",)
    )


def of_mail(result: Any) -> Any:
    return result.artifact["nodes"][1].get("credentials")


def test_the_only_fitting_one_is_attached() -> None:
    """One stored credential of an accepted type is taken, and reported."""
    result = attach(artifact(), [make_findings("mailApi")], (ONE, OTHER))
    assert of_mail(result) == {"mailApi": {"id": "1", "name": "first"}}
    assert [note.code for note in result.notes] == ["GB402"]
    assert result.questions == ()


def test_of_several_none_is_chosen() -> None:
    """Several that fit, also of several types, are a question that lists them."""
    for stored, kinds in (((ONE, TWO), ("mailApi",)), ((ONE, OTHER), ("mailApi", "fileApi"))):
        result = attach(artifact(), [make_findings(*kinds)], stored)
        assert of_mail(result) is None
        ((question),) = result.questions
        assert question.code == "N8N507"
        assert set(question.alternatives) == {credential.id for credential in stored}


def test_a_name_decides() -> None:
    """A reference to a credential of another instance means the one of its name here."""
    given = {"mailApi": {"id": "elsewhere", "name": "second"}}
    result = attach(artifact(credentials=given), [absent("mailApi")], (ONE, TWO))
    assert of_mail(result) == {"mailApi": {"id": "2", "name": "second"}}


def test_artifact_without_fitting_credential_is_unchanged() -> None:
    """Without a fitting credential, or a list of them, the artifact stays unchanged."""
    for stored in ((OTHER,), (), None):
        result = attach(artifact(), [make_findings("mailApi")], stored)
        assert result.artifact == artifact()
        assert result.notes == result.questions == ()


def test_every_credential_reference_has_id() -> None:
    """A reference by name alone is made one that n8n looks up by name, and never by type."""
    given = {"mailApi": {"name": "some"}, "fileApi": "text", "x": {"id": "", "name": "y"}}
    result = attach(artifact(credentials=given), [], None)
    assert of_mail(result) == {
        "mailApi": {"id": None, "name": "some"},
        "fileApi": {"id": None, "name": "text"},
        "x": {"id": None, "name": "y"},
    }


def test_the_artifact_given_is_not_touched() -> None:
    """Attaching makes a new artifact."""
    given = artifact()
    attach(given, [make_findings("mailApi")], (ONE,))
    assert given == artifact()
