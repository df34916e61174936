"""Reports node actions that need approval or policy forbids; lists used and unused approvals."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from typing import Literal, get_args

from grounded_builder.compiler.receipt import canonical_json
from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.ir.graph import ResolvedNode
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.rules.artifact import NOT_ALLOWED

NEEDS_APPROVAL = Rule.incomplete(
    "GB404", "needs-approval", "PolicyError", "The node needs a person's approval."
)
APPROVED = Rule.info("GB405", "approved", "A person has approved this node.")
UNUSED_APPROVAL = Rule.advice(
    "GB406", "unused-approval", "PolicyError", "An approval matches no node."
)
STALE_APPROVAL = Rule.wrong(
    "GB407", "stale-approval", "PolicyError", "An approval does not match the current node."
)

Reason = Literal[
    "host-access", "local-address", "unknown-address", "instance-api", "unreadable-workflow"
]
REASONS: tuple[Reason, ...] = get_args(Reason)
# The number of characters of an approval that a message quotes.
_MAX_SHOWN_CHARS = 200
# The hexadecimal digits of the digest in an approval. The digest has a key, so that nobody can
# search for other content with the same digest.
_DIGEST_CHARS = 16


def require_approval(
    reason: Reason, at: Route, bound: ResolvedNode, action: str, options: CompileOptions
) -> Diagnostic | None:
    """Returns the finding that a person has to approve what a node does.

    ``action`` continues the name of the node: "runs commands on the host". Returns None if nothing
    is imported, or if the operator has opened the reason. If the node is approved, the finding is a
    note. The token of either finding is the approval.
    """
    policy = options.policy
    is_open = reason in policy.opened or (reason == "host-access" and policy.allow_host_access)
    if options.purpose == "judge" or is_open:
        return None
    node = bound.node.name
    name = approval_name(bound, options)
    if name in options.approvals:
        return new_diagnostic(
            APPROVED, at, f'"{node}" {action}, which was approved ({reason})', node=node, token=name
        )
    return new_diagnostic(
        NEEDS_APPROVAL,
        at,
        f'"{node}" {action}, which a person has to approve ({reason})',
        help=f'have a person check it, and import with the approval "{name}"; an operator can '
        f"allow it for all with {reason} in GROUNDED_OPEN",
        node=node,
        token=name,
    )


def approval_name(bound: ResolvedNode, options: CompileOptions) -> str:
    """Returns the approval of what a node does now: CODE/NODE@DIGEST.

    The digest is over type, version, parameters and whether the node is disabled, under a key of
    the installation: other content needs another approval. Credentials are attached later, and are
    not part of it.
    """
    node = bound.node
    content = {
        "tool": bound.tool.id if bound.tool is not None else node.tool,
        "version": bound.version,
        "parameters": dict(node.params),
        "disabled": node.disabled,
    }
    digest = hmac.new(options.path_secret, canonical_json(content), hashlib.sha256).hexdigest()
    return (
        f"{NEEDS_APPROVAL.code}/{' > '.join((*options.within, node.name))}@{digest[:_DIGEST_CHARS]}"
    )


def check_unused_approvals(
    diagnostics: Iterable[Diagnostic], options: CompileOptions
) -> Iterator[Diagnostic]:
    """Yields a finding for each approval that no node of the document needs in its current form.

    It is an error if the node waits for another approval: the approved content is not the content
    that would be imported. Approvals belong to a whole document and are not checked within an
    embedded one.
    """
    if not options.approvals or options.within:
        return
    findings = tuple(diagnostics)
    used = {finding.token for finding in findings if finding.rule == APPROVED}
    waiting = {
        _node_part(finding.token or ""): finding
        for finding in findings
        if finding.rule == NEEDS_APPROVAL
    }
    names = sorted({str(finding.token) for finding in waiting.values()} | set(map(str, used)))
    accepted = ", ".join(f'"{name}"' for name in names) or "no approval"
    for name in dict.fromkeys(options.approvals):
        if name in used:
            continue
        current = waiting.get(_node_part(name)) or waiting.get(name)
        shown = name[:_MAX_SHOWN_CHARS]
        if current is not None:
            why = "is for other content of this node" if "@" in name else "names only a node"
            yield new_diagnostic(
                STALE_APPROVAL,
                current.at,
                f'the approval "{shown}" {why}; the current approval is "{current.token}"',
                help="check what the node does now; approve that, or remove the approval",
                node=current.node,
                token=shown,
            )
            continue
        yield new_diagnostic(
            UNUSED_APPROVAL,
            (),
            f'the approval "{shown}" matches no node of this document',
            help=f"this document accepts {accepted}",
            token=shown,
        )


def list_approved(diagnostics: Iterable[Diagnostic]) -> tuple[str, ...]:
    """Returns the approvals that a document needs and has."""
    names = {finding.token for finding in diagnostics if finding.rule == APPROVED}
    return tuple(sorted(name for name in names if name))


def _node_part(name: str) -> str:
    """Returns an approval without its digest."""
    return name.rpartition("@")[0]


def diagnose_refusal(
    bound: ResolvedNode, at: Route, reason: str, token: str | None = None
) -> Diagnostic:
    """Returns the finding that policy does not allow a node; ``token`` is its tool by default."""
    return new_diagnostic(
        NOT_ALLOWED,
        at,
        f'"{bound.node.name}" is not allowed: {reason}',
        help="use another tool, or ask the operator to change the policy",
        node=bound.node.name,
        token=token or bound.node.tool,
    )
