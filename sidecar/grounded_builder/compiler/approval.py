"""What an artifact may do only when a person has approved it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, get_args

from grounded_builder.diagnostics import Diagnostic, Route, new_diagnostic
from grounded_builder.ir.options import CompileOptions

Reason = Literal[
    "host-access", "local-address", "unknown-address", "instance-api", "unreadable-workflow"
]
REASONS: tuple[Reason, ...] = get_args(Reason)

CODE = "GB404"
APPROVED = "GB405"
UNUSED = "GB406"
# Characters of an approval that a message quotes.
_SHOWN = 200


def approval(
    reason: Reason,
    at: Route,
    node: str,
    what: str,
    setting: CompileOptions,
    *,
    token: str | None = None,
) -> Diagnostic | None:
    """Returns the finding that a person has to approve what a node does.

    ``what`` continues the name of the node: "runs commands on the host". None where nothing is
    imported, or where the operator has opened the reason by its name. What was approved is noted.
    """
    policy = setting.policy
    opened = reason in policy.opened or (reason == "host-access" and policy.allow_host_access)
    if setting.purpose == "judge" or opened:
        return None
    name = f"{CODE}/{' > '.join((*setting.within, node))}"
    if name in setting.approvals:
        return new_diagnostic(
            APPROVED, at, f'"{node}" {what}, which was approved', node=node, token=token or reason
        )
    return new_diagnostic(
        CODE,
        at,
        f'"{node}" {what}, which a person has to approve ({reason})',
        help=f'let a person look at it and import with the approval "{name}"; an operator opens '
        f"it for all by {reason} in GROUNDED_OPEN",
        node=node,
        token=token or reason,
    )


def unused_approvals(
    diagnostics: Iterable[Diagnostic], setting: CompileOptions
) -> Iterator[Diagnostic]:
    """Yields a finding for each approval that no node of the document needs.

    Approvals belong to a whole document: nothing is said within an embedded one.
    """
    if not setting.approvals or setting.within:
        return
    findings = tuple(diagnostics)
    used = {f"{CODE}/{finding.node}" for finding in findings if finding.code == APPROVED}
    waiting = {f"{CODE}/{finding.node}" for finding in findings if finding.code == CODE}
    names = ", ".join(f'"{name}"' for name in sorted(used | waiting)) or "no approval"
    for approval_name in dict.fromkeys(setting.approvals):
        if approval_name not in used:
            yield new_diagnostic(
                UNUSED,
                (),
                f'the approval "{approval_name[:_SHOWN]}" belongs to nothing in this document',
                help=f"this document takes {names}",
                token=approval_name[:_SHOWN],
            )
