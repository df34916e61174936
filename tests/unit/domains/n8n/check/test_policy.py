"""Policy decides what may be in an artifact; what n8n has put aside is only advice."""

from __future__ import annotations

import pytest

from grounded_builder.ir.options import CompileOptions, Policy, Purpose
from tests.unit.domains.n8n.drafts import COMMAND, OLD, START, STEP, codes, node, said, workflow

DRAFT = workflow([node("S", START), node("C", COMMAND, {"command": "ls"})], [("S", "C")])


def test_reaching_the_host_is_advice_when_judging() -> None:
    """A node that reaches the host is pointed out, no more, while nothing is imported."""
    assert codes(DRAFT) == []
    assert [d.node for d in said(DRAFT, "N8N332")] == ["C"]


@pytest.mark.parametrize("purpose", ["import", "publish"])
def test_reaching_the_host_is_asked_of_a_person(purpose: Purpose) -> None:
    """An import of a node that reaches the host waits for a person, an operator or nobody."""
    assert "GB404" in codes(DRAFT, CompileOptions(purpose=purpose))
    allowed = CompileOptions(purpose=purpose, policy=Policy(allow_host_access=True))
    approved = CompileOptions(purpose=purpose, approvals=("GB404/C",))
    refused = CompileOptions(
        purpose=purpose, policy=Policy(no_host_access=True), approvals=("GB404/C",)
    )
    assert not {"GB401", "GB404"} & {*codes(DRAFT, allowed), *codes(DRAFT, approved)}
    assert "GB401" in codes(DRAFT, refused)


def test_a_denied_tool_is_refused() -> None:
    """A tool that the policy names is refused whatever the purpose."""
    draft = workflow([node("S", START), node("T", STEP)], [("S", "T")])
    setting = CompileOptions(policy=Policy(denied=(STEP,)))
    assert codes(draft, setting) == ["GB401"]
    assert codes(draft) == []


def test_a_node_kept_for_old_workflows_is_advice() -> None:
    """A type that n8n hides still works and is pointed out."""
    draft = workflow([node("S", START), node("O", OLD)], [("S", "O")])
    assert codes(draft) == []
    assert [d.node for d in said(draft, "N8N331")] == ["O"]
