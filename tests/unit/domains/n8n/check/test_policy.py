"""Nodes that a policy denies or that need an approval."""

from __future__ import annotations

import pytest

from grounded_builder.ir.options import CompileOptions, Policy, Purpose
from tests.support.approvals import list_required_approvals
from tests.unit.domains.n8n.drafts import (
    COMMAND,
    OLD,
    START,
    STEP,
    codes,
    findings_of,
    node,
    workflow,
)

DRAFT = workflow([node("S", START), node("C", COMMAND, {"command": "ls"})], [("S", "C")])


def test_reaching_the_host_is_advice_when_judging() -> None:
    """A node that reaches the host is pointed out, no more, while nothing is imported."""
    assert codes(DRAFT) == []
    assert [d.node for d in findings_of(DRAFT, "N8N332")] == ["C"]


@pytest.mark.parametrize("purpose", ["import", "publish"])
def test_reaching_the_host_is_asked_of_a_person(purpose: Purpose) -> None:
    """Importing a node that reaches the host needs a person or an operator, or nothing."""
    asked = findings_of(DRAFT, "GB404", CompileOptions(purpose=purpose))
    assert asked
    names = list_required_approvals(asked)
    allowed = CompileOptions(purpose=purpose, policy=Policy(allow_host_access=True))
    approved = CompileOptions(purpose=purpose, approvals=names)
    refused = CompileOptions(purpose=purpose, policy=Policy(no_host_access=True), approvals=names)
    assert not {"GB401", "GB404"} & {*codes(DRAFT, allowed), *codes(DRAFT, approved)}
    assert "GB401" in codes(DRAFT, refused)


def test_a_denied_tool_is_refused() -> None:
    """A tool that the policy names is refused whatever the purpose."""
    draft = workflow([node("S", START), node("T", STEP)], [("S", "T")])
    options = CompileOptions(policy=Policy(denied=(STEP,)))
    assert codes(draft, options) == ["GB401"]
    assert codes(draft) == []


@pytest.mark.parametrize("written", [STEP.upper(), STEP.rpartition(".")[2], "*.step", "ste?"])
def test_a_denial_holds_however_it_is_written(written: str) -> None:
    """A denial counts in any case of letters, and without the package."""
    draft = workflow([node("S", START), node("T", STEP)], [("S", "T")])
    assert codes(draft, CompileOptions(policy=Policy(denied=(written,)))) == ["GB401"]
    assert codes(draft, CompileOptions(policy=Policy(denied=("other", "acme-nodes")))) == []


def test_a_node_retained_for_old_workflows_is_advice() -> None:
    """A type that n8n hides still works and is pointed out."""
    draft = workflow([node("S", START), node("O", OLD)], [("S", "O")])
    assert codes(draft) == []
    assert [d.node for d in findings_of(draft, "N8N331")] == ["O"]


@pytest.mark.parametrize(
    "changed",
    [
        {"parameters": {"command": "rm -rf /"}},
        {"parameters": {"command": "={{ $json.command }}"}},
        {"disabled": True},
        {"name": "D"},
    ],
    ids=["command", "expression", "disabled", "name"],
)
def test_an_approval_is_for_what_was_approved(changed: dict[str, object]) -> None:
    """A node changed after its approval needs a new one, and a stale approval is an error."""
    importing = CompileOptions(purpose="import")
    names = list_required_approvals(findings_of(DRAFT, "GB404", importing))
    command = {**node("C", COMMAND, {"command": "ls"}), **changed}
    other = workflow([node("S", START), command], [("S", str(command["name"]))])
    approving = CompileOptions(purpose="import", approvals=names)
    assert "GB404" in codes(other, approving)
    expected = "GB406" if "name" in changed else "GB407"
    assert findings_of(other, expected, approving)
    assert not {"GB404", "GB407"} & {*codes(DRAFT, approving)}
    moved = workflow([node("S", START), {**node("C", COMMAND, {"command": "ls"}), "notes": "x"}])
    assert "GB404" not in codes(moved, approving)


def test_an_approval_that_names_a_node_alone_approves_nothing() -> None:
    """The form without a digest is an error that names the approval to use."""
    approving = CompileOptions(purpose="import", approvals=("GB404/C",))
    (stale,) = findings_of(DRAFT, "GB407", approving)
    assert list_required_approvals(findings_of(DRAFT, "GB404", approving))[0] in stale.message


def test_approval_digest_needs_key() -> None:
    """The digest of the same content is another in another installation."""
    first, second = (
        list_required_approvals(
            findings_of(DRAFT, "GB404", CompileOptions(purpose="import", path_secret=secret))
        )
        for secret in (b"one", b"two")
    )
    assert first != second
