"""Plans at an import: attached credentials, and open points of the plan."""

from __future__ import annotations

from typing import Any

from grounded_builder.compiler.receipt import Signer
from grounded_builder.domains.n8n.deploy.admission import Guard, admit_draft
from grounded_builder.ir.options import CompileOptions, StoredCredential
from tests.support.catalogs import MAIL_LOGIN
from tests.support.registries import acme_registry

STORED = (StoredCredential("7", "Acme Mail", MAIL_LOGIN),)


def admit_plan(params: dict[str, Any]) -> Any:
    """A plan of a trigger and a mail, held against an instance with one mail credential."""
    mail = {"resource": "message", "operation": "send", "to": "a@b.c"} | params
    plan = {
        "steps": [
            {"id": "start", "tool": "Acme Hook", "params": {"path": "greet"}},
            {"id": "send", "tool": "Acme Mail", "params": mail},
        ]
    }
    options = CompileOptions(purpose="import", credentials=STORED)
    guard = Guard(acme_registry(), options, Signer.of(b"test"), "here", 60)
    return admit_draft(plan, guard, now=0.0)


def test_the_only_fitting_credential_is_attached() -> None:
    """A step that needs a credential gets the one that the instance has, and nothing is open."""
    admission = admit_plan({})
    assert admission.verdict == "ok"
    assert admission.artifact["nodes"][1]["credentials"] == {
        MAIL_LOGIN: {"id": "7", "name": "Acme Mail"}
    }


def test_unplaced_value_of_plan_stays_open_point() -> None:
    """A drafted value without a parameter stays in the list of open points."""
    admission = admit_plan({"colour": "blue"})
    assert admission.verdict == "incomplete"
    assert "GB308" in [d.code for d in admission.diagnostics]
