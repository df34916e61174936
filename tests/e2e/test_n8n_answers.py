"""Answers of the installed n8n at creation and publication, compared with the verdict.

The promise: whatever n8n refuses, at either, we call wrong or incomplete first. Where n8n
says nothing at all, the last column shows that we do.
"""

from __future__ import annotations

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.approval import REASONS
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.domains.n8n.deploy.http import N8nError
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions, Policy
from tests.e2e.faulty_workflows import CASES, HEADER_AUTH, NEVER_ASKED, REFUSED, TAKEN, Case
from tests.support.n8n_workflows import (
    Workflow,
    hook,
    node,
    store_credential,
    workflow,
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_n8n_answers_and_we_judge(case: Case, client: N8nClient, registry: Registry) -> None:
    """n8n answers as the table says, and what it refuses is not ok to us."""
    policy = Policy(opened=REASONS)  # what a person has to approve is no matter of n8n's
    options = CompileOptions("publish", policy, credentials=client.credentials())
    compilation = compile_draft(case.document, N8N, registry, options)
    codes = {diagnostic.code for diagnostic in compilation.diagnostics}
    created, published = answers(client, case.document)
    assert (created, published) == (case.created, case.published)
    if REFUSED in (created, published):
        assert compilation.verdict in ("wrong", "incomplete")
    assert compilation.verdict == case.verdict, sorted(codes)
    assert case.code is None or case.code in codes


def test_a_reference_without_an_id_gets_any_credential(client: N8nClient) -> None:
    """n8n gives a credential reference that has a name alone to any stored one of the type."""
    stored = store_credential(client, "first", "httpHeaderAuth", {"name": "a", "value": "b"})
    unnamed = {"httpHeaderAuth": {"name": "quite another"}}
    made = client.create(
        workflow(hook(), node("X", "httpRequest", 4.2, HEADER_AUTH, credentials=unnamed))
    )
    assert made["nodes"][1]["credentials"]["httpHeaderAuth"] == {"id": stored, "name": "first"}


def answers(client: N8nClient, document: Workflow) -> tuple[int, int | None]:
    """n8n's status at creation, and at publication when it came to that."""
    try:
        made = client.create(document)
    except N8nError as error:
        return error.status, NEVER_ASKED
    try:
        client.activate(made["id"])
    except N8nError as error:
        return TAKEN, error.status
    return TAKEN, TAKEN
